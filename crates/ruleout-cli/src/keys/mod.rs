//! Reading keys as people have them.
//!
//! An input is opened and decompressed ([`source`]), read in big blocks of whole records ([`blocks`]), each record
//! gives one key or none ([`extract`]), and keys arrive as batches of hashes, since that is what filters take.

mod blocks;
mod extract;
pub mod hex;
mod skipped;
mod source;

use std::ops::ControlFlow;

use anyhow::{Context as _, Error, Result, anyhow};
use memchr::memchr_iter;
use ruleout::Hasher;

use self::blocks::{BlockError, Blocks, LONGEST_RECORD};
use self::extract::Found;
pub use self::extract::{Delimiter, Extractor};
use self::skipped::Skipped;
pub use self::source::Input;
use crate::messages;
use crate::progress::Progress;

/// Keys per batch: enough to hide the latency of memory, few enough to stay in the first-level cache.
const BATCH: usize = 4096;

/// How inputs are read.
pub struct Reading {
    /// The byte that ends a record.
    pub terminator: u8,
    /// Take off gzip and zstd.
    pub decompress: bool,
    /// Take off a byte order mark.
    pub drop_bom: bool,
    /// Say nothing about it.
    pub quiet: bool,
    pub extractor: Extractor,
}

/// Some keys of one input, in its order.
pub struct Batch<'a> {
    /// The hash of each key.
    pub hashes: &'a [u64],
    block: &'a [u8],
    records: &'a [(u32, u32)],
}

impl Batch<'_> {
    /// The record that key `index` was found in, as it was read, without its terminator.
    pub fn record(&self, index: usize) -> &[u8] {
        let (start, end) = self.records[index];
        &self.block[start as usize..end as usize]
    }
}

/// The batch in the making.
struct Gathered {
    hashes: Vec<u64>,
    /// Where each record lies in its block, which is little longer than the longest record: far below 4 GiB.
    records: Vec<(u32, u32)>,
}

impl Gathered {
    fn new() -> Self {
        Self { hashes: Vec::with_capacity(BATCH), records: Vec::with_capacity(BATCH) }
    }

    #[inline]
    fn push(&mut self, hash: u64, start: usize, end: usize) {
        self.hashes.push(hash);
        self.records.push((start as u32, end as u32));
    }

    /// Hands the batch to `each`, unless it is empty, and begins a new one.
    fn hand_over(
        &mut self,
        block: &[u8],
        each: &mut impl FnMut(&Batch<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        if self.hashes.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let flow = each(&Batch { hashes: &self.hashes, block, records: &self.records })?;
        self.hashes.clear();
        self.records.clear();
        Ok(flow)
    }
}

impl Reading {
    /// Hands every key of `input` to `each`, batch by batch, until `each` breaks off. Warns of records that were
    /// skipped although they are neither empty nor comments.
    ///
    /// # Errors
    /// When the input cannot be read or a record has no key; the message names the input and the record. Also
    /// what `each` returns.
    pub fn keys(
        &mut self,
        input: &Input,
        hasher: &Hasher,
        progress: &mut Progress,
        each: impl FnMut(&Batch<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let mut skipped = Skipped::default();
        let flow = self.read(input, hasher, progress, &mut skipped, each)?;
        if let Some(message) = skipped.message(input, self.unit(), self.extractor.field) {
            // The bar would be drawn over it; if more is to be read, it comes back.
            progress.finish();
            messages::warning(message);
        }
        Ok(flow)
    }

    /// What a record is called.
    fn unit(&self) -> &'static str {
        if self.terminator == b'\n' { "line" } else { "record" }
    }

    fn read(
        &mut self,
        input: &Input,
        hasher: &Hasher,
        progress: &mut Progress,
        skipped: &mut Skipped,
        mut each: impl FnMut(&Batch<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let unreadable = |encoding: Option<&str>| match encoding {
            Some(encoding) => format!("cannot read {input} as {encoding}"),
            None => format!("cannot read {input}"),
        };
        if input.is_typed() && !self.quiet {
            messages::note("reading keys from the terminal; Ctrl-D on a line of its own ends them");
        }
        let mut source = input.open(self.decompress, progress.taken()).with_context(|| unreadable(None))?;
        let encoding = source.encoding;
        if self.drop_bom && source.drop_bom().with_context(|| unreadable(encoding))? && !self.quiet {
            messages::note(format_args!("{input}: dropped a byte order mark (--keep-bom keeps it)"));
        }
        let unit = self.unit();
        let mut blocks = Blocks::new(source.bytes, self.terminator);
        let mut number: u64 = 0;
        let mut gathered = Gathered::new();
        loop {
            let block = match blocks.next() {
                Ok(Some(block)) => block,
                Ok(None) => return Ok(ControlFlow::Continue(())),
                Err(BlockError::Read(error)) => return Err(Error::new(error).context(unreadable(encoding))),
                Err(BlockError::TooLong) => {
                    let limit = LONGEST_RECORD >> 20;
                    return Err(anyhow!("{input}: {unit} {} is longer than {limit} MiB", number + 1));
                }
            };
            // A record without its terminator ends where the block does.
            let unfinished = Some(block.len()).filter(|_| !block.ends_with(&[self.terminator]));
            let mut start = 0;
            for end in memchr_iter(self.terminator, block).chain(unfinished) {
                number += 1;
                match self.extractor.key(&block[start..end]) {
                    Ok(Found::Key(key)) => {
                        gathered.push(hasher.hash(key), start, end);
                        if gathered.hashes.len() == BATCH && gathered.hand_over(block, &mut each)?.is_break()
                        {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    Ok(Found::Nothing) => {}
                    Ok(Found::EmptyField) => skipped.add(number),
                    Err(error) => return Err(anyhow!("{input}: {unit} {number}: {error}")),
                }
                start = end + 1;
            }
            if gathered.hand_over(block, &mut each)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            progress.tick();
        }
    }
}
