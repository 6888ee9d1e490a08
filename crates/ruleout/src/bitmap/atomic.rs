//! Bitmaps that many threads insert into at once.

use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::BitLayout;
use crate::bits::{Buf, Mask};
use crate::config::Config;
use crate::error::ConfigError;
use crate::family::Family;
use crate::frame::Len;
use crate::hash::{HashId, Hasher};
use crate::native::Native;
use crate::traits::{Filter, HashFilter, Inserted};

/// How many counters the number of keys is spread over, so that threads seldom meet at one.
const COUNTERS: usize = 16;

/// A counter with a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Counter(AtomicU64);

/// A bitmap filter over atomic words, for many threads at once.
///
/// Use it by the name of the family's alias, [`AtomicBloom`](crate::AtomicBloom) for one. Insertion needs no
/// lock and no `&mut`; [`Atomic::freeze`] turns it, without copying, into the plain filter, which can be saved.
///
/// **Was it new?** When threads race to insert one key, each may be told [`Inserted::New`]; never are all of them
/// told [`Inserted::MaybeSeen`]. So "new" may be answered more than once for a key, and is never lost. A thread
/// that inserted a key, or learned of it by any synchronisation, finds it.
///
/// ```
/// use ruleout::{BlockedConfig, Inserted};
/// let seen = BlockedConfig::fpr(10_000, 0.01).build_atomic()?;
/// let new: usize = std::thread::scope(|threads| {
///     let counts: Vec<_> = (0..4)
///         .map(|_| threads.spawn(|| (0..1000u64).filter(|i| seen.insert(&i.to_le_bytes()) == Inserted::New).count()))
///         .collect();
///     counts.into_iter().map(|thread| thread.join().unwrap()).sum()
/// });
/// assert!(new >= 990); // every key is new to someone, save for a false positive at the rate asked
/// let filter = seen.freeze();
/// assert!((0..1000u64).all(|i| filter.may_contain(&i.to_le_bytes())));
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
pub struct Atomic<P> {
    params: P,
    hasher: Hasher,
    /// The keys that were there before this became atomic.
    before: Len,
    inserted: [Counter; COUNTERS],
    words: Vec<AtomicU64>,
    /// Index of the first word in use.
    start: usize,
    /// Length of the payload in bytes.
    len: usize,
}

impl<P: BitLayout> Atomic<P> {
    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] when memory runs out.
    pub fn new(params: P, hasher: Hasher) -> Result<Self, ConfigError> {
        Native::new(params, hasher).map(Self::from)
    }

    /// The plain filter, with everything inserted so far.
    ///
    /// # Complexity
    /// The words stay where they are; a pass over them at most.
    pub fn freeze(self) -> Native<P> {
        let inserted = self.inserted.into_iter().map(|counter| counter.0.into_inner()).sum();
        let words = self.words.into_iter().map(AtomicU64::into_inner).collect();
        let data = Buf::from_parts(words, self.start, self.len);
        Native::from_parts(self.params, self.hasher, self.before.plus(inserted), data)
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The hasher.
    pub fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// The number of keys inserted so far: those of threads still running may be missing.
    pub fn len(&self) -> Len {
        self.before.plus(self.inserted.iter().map(|counter| counter.0.load(Relaxed)).sum())
    }

    /// Whether surely nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.len() == Len::EMPTY
    }

    /// Inserts a key.
    ///
    /// # Complexity
    /// As the plain filter's insertion; two atomic operations more at most for each position not yet set.
    pub fn insert(&self, key: &[u8]) -> Inserted {
        self.insert_hash(self.hasher.hash(key))
    }

    /// Inserts the key with this hash.
    pub fn insert_hash(&self, hash: u64) -> Inserted {
        self.count(hash, 1);
        self.set(hash)
    }

    /// Inserts many and gives the number of those that were [`Inserted::New`]; counts them in one step.
    pub fn insert_hashes(&self, hashes: &[u64]) -> usize {
        if let Some(&first) = hashes.first() {
            self.count(first, hashes.len() as u64);
        }
        hashes.iter().filter(|&&hash| self.set(hash) == Inserted::New).count()
    }

    /// Whether `key` may be in the set: `false` is certain, `true` is "maybe".
    pub fn may_contain(&self, key: &[u8]) -> bool {
        self.may_contain_hash(self.hasher.hash(key))
    }

    /// Whether a key with this hash may be in the set.
    pub fn may_contain_hash(&self, hash: u64) -> bool {
        self.params.positions(hash).all(|position| {
            let (word, bit) = self.place(position);
            word.load(Relaxed) & bit != 0
        })
    }

    fn count(&self, hash: u64, keys: u64) {
        self.inserted[hash as usize % COUNTERS].0.fetch_add(keys, Relaxed);
    }

    fn set(&self, hash: u64) -> Inserted {
        let mut fresh = 0;
        for position in self.params.positions(hash) {
            let (word, bit) = self.place(position);
            // Most positions of a well-filled filter are set, and a load does not take the line from others.
            if word.load(Relaxed) & bit == 0 {
                fresh |= !word.fetch_or(bit, Relaxed) & bit;
            }
        }
        Inserted::new_if(fresh != 0)
    }

    /// The word of a position, and its bit there: the words hold the payload's bytes in memory order.
    fn place(&self, position: u64) -> (&AtomicU64, u64) {
        (&self.words[self.start + (position / 64) as usize], (1u64 << (position % 64)).to_le())
    }
}

impl<P: BitLayout> Config<P> {
    /// An empty filter that many threads insert into.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`Config::build`].
    pub fn build_atomic(&self) -> Result<Atomic<P>, ConfigError> {
        self.build().map(Atomic::from)
    }
}

impl<P: BitLayout> From<Native<P>> for Atomic<P> {
    fn from(filter: Native<P>) -> Self {
        let (params, hasher, before, data) = filter.into_parts();
        let (words, start, len) = data.into_parts();
        let words = words.into_iter().map(AtomicU64::new).collect();
        Self { params, hasher, before, inserted: Default::default(), words, start, len }
    }
}

impl<P: BitLayout> Filter for Atomic<P> {
    fn family(&self) -> Family {
        P::FAMILY
    }

    fn size_bytes(&self) -> usize {
        self.len
    }

    /// From the number of insertions: a scan of words that others are writing has no single moment it speaks of.
    fn expected_fpr(&self) -> f64 {
        self.len().bound().map_or(1.0, |keys| self.params.fpr_at(keys))
    }

    fn may_contain(&self, key: &[u8]) -> bool {
        Atomic::may_contain(self, key)
    }
}

impl<P: BitLayout> HashFilter for Atomic<P> {
    fn hash_id(&self) -> HashId {
        self.hasher.id()
    }

    fn may_contain_hash(&self, hash: u64) -> bool {
        Atomic::may_contain_hash(self, hash)
    }

    fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        hits.fill_with(hashes, |&hash| Atomic::may_contain_hash(self, hash));
    }
}

impl<P: BitLayout> fmt::Debug for Atomic<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Atomic")
            .field("params", &self.params)
            .field("hasher", &self.hasher)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
