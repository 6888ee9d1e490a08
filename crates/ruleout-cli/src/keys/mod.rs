//! Reading keys as people have them.
//!
//! An input is opened and decompressed ([`source`]), read in big blocks of whole records ([`blocks`]), each record
//! gives one key or none ([`extract`]), and keys arrive as batches of hashes, since that is what filters take.

mod blocks;
mod extract;
pub mod hex;
mod skipped;
mod source;
mod time;

use std::ops::{ControlFlow, Range};

use anyhow::{Context as _, Error, Result, anyhow};
use memchr::memchr_iter;
use ruleout::Hasher;

use self::blocks::{BlockError, Blocks, LONGEST_RECORD};
pub use self::extract::{Delimiter, Extractor};
use self::extract::{Found, RecordError};
use self::skipped::Skipped;
pub use self::source::Input;
pub use self::time::{TimeField, TimeUnit};
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
    /// Where a record with a key tells its time, if it does.
    pub time: Option<TimeField>,
    /// What becomes of records without a key.
    pub without_key: &'static str,
}

/// Some records of one input, in its order, and the keys in them.
pub struct Batch<'a> {
    /// The hash of each key.
    pub hashes: &'a [u64],
    /// The time of each key in nanoseconds since 1970; none when the reading asks for no times.
    pub times: &'a [u64],
    block: &'a [u8],
    records: &'a [Span],
}

impl Batch<'_> {
    /// Every record as it was read, without its terminator, and the index of its key, if it has one.
    pub fn records(&self) -> impl Iterator<Item = (Option<usize>, &[u8])> {
        let mut keys = 0;
        self.records.iter().map(move |span| {
            let key = span.has_key.then_some(keys);
            keys += usize::from(span.has_key);
            (key, &self.block[span.start as usize..span.end as usize])
        })
    }
}

/// Where a record lies in its block, which is little longer than the longest record: far below 4 GiB.
struct Span {
    start: u32,
    end: u32,
    has_key: bool,
}

/// The batch in the making.
struct Gathered {
    hashes: Vec<u64>,
    times: Vec<u64>,
    records: Vec<Span>,
}

impl Gathered {
    fn new() -> Self {
        Self { hashes: Vec::with_capacity(BATCH), times: Vec::new(), records: Vec::with_capacity(BATCH) }
    }

    /// Takes the record at `place` of `block` in, and gives whether it is as it should be: it has a key, or is empty or a
    /// comment. An error leaves what was gathered before.
    #[inline]
    fn take(
        &mut self,
        reading: &mut Reading,
        hasher: &Hasher,
        block: &[u8],
        place: Range<usize>,
    ) -> Result<bool, RecordError> {
        let record = &block[place.clone()];
        let found = reading.extractor.key(record)?;
        if let Found::Key(key) = found {
            if let Some(time) = &reading.time {
                self.times.push(time.of(record)?);
            }
            self.hashes.push(hasher.hash(key));
        }
        let has_key = matches!(found, Found::Key(_));
        self.records.push(Span { start: place.start as u32, end: place.end as u32, has_key });
        Ok(found != Found::EmptyField)
    }

    /// Hands the batch to `each`, unless it is empty, and begins a new one.
    fn hand_over(
        &mut self,
        block: &[u8],
        each: &mut impl FnMut(&Batch<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        if self.records.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let flow = each(&Batch { hashes: &self.hashes, times: &self.times, block, records: &self.records })?;
        self.hashes.clear();
        self.times.clear();
        self.records.clear();
        Ok(flow)
    }
}

impl Reading {
    /// Hands every record of `input` and the keys in them to `each`, batch by batch, until `each` breaks off. Warns of
    /// records that have no key although they are neither empty nor comments.
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
        if let Some(message) = skipped.message(input, self.unit(), self.extractor.field, self.without_key) {
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
                match gathered.take(self, hasher, block, start..end) {
                    Ok(true) => {}
                    Ok(false) => skipped.add(number),
                    Err(error) => {
                        // What was before it stands.
                        let _: ControlFlow<()> = gathered.hand_over(block, &mut each)?;
                        return Err(anyhow!("{input}: {unit} {number}: {error}"));
                    }
                }
                if gathered.records.len() == BATCH && gathered.hand_over(block, &mut each)?.is_break() {
                    return Ok(ControlFlow::Break(()));
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
