//! The shape of a prefix filter: that of the filter beneath, the extractor, and what goes in.

use crate::base::{BaseParams, read_base};
use crate::bits::Mask;
use crate::error::{ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Len, ParamKind, Section, Value, integers};
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::{Layout, Params, Tally};

use super::Extractor;

/// What sets the hash of a prefix apart from that of a key of the same bytes: the fraction of √7.
const PREFIX_MARK: u64 = 0xA54F_F53A_5F1D_36F1;

/// The hash under which a prefix goes into a filter that whole keys go into too.
pub(super) const fn marked(hash: u64) -> u64 {
    hash ^ PREFIX_MARK
}

/// The shape of a [`Prefix`](super::Prefix) filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixParams {
    pub(super) base: BaseParams,
    pub(super) extractor: Extractor,
    pub(super) whole_keys: bool,
}

impl PrefixParams {
    /// A filter of family `base` for `capacity` entries, which are distinct prefixes, and distinct keys too when
    /// `whole_keys` go in, that reaches `goal`.
    ///
    /// # Errors
    /// [`ConfigError`] when no prefix filter is made of `base`, or no filter of it reaches the goal.
    pub fn new(
        base: Family,
        extractor: Extractor,
        whole_keys: bool,
        capacity: u64,
        goal: Goal,
    ) -> Result<Self, ConfigError> {
        check_base(base)?;
        Self::of(BaseParams::for_goal(base, capacity, goal)?, extractor, whole_keys)
    }

    /// The shape over a filter of the shape `base`.
    ///
    /// # Errors
    /// [`ConfigError`] when no prefix filter is made of its family.
    pub fn of(base: BaseParams, extractor: Extractor, whole_keys: bool) -> Result<Self, ConfigError> {
        check_base(base.family())?;
        Ok(Self { base, extractor, whole_keys })
    }

    /// The shape of the filter beneath.
    pub const fn base(&self) -> &BaseParams {
        &self.base
    }

    /// What of a key is its prefix.
    pub const fn extractor(&self) -> &Extractor {
        &self.extractor
    }

    /// Whether whole keys are in the filter beside their prefixes.
    pub const fn has_whole_keys(&self) -> bool {
        self.whole_keys
    }

    /// The hash to ask for a key; `None` when nothing of the key can have been inserted by it.
    pub(super) fn hash_of_key(&self, hasher: &Hasher, key: &[u8]) -> Option<u64> {
        if self.whole_keys { Some(hasher.hash(key)) } else { self.hash_of_prefix(hasher, key) }
    }

    /// The hash to ask for what begins with `start`; `None` outside the extractor's domain.
    pub(super) fn hash_of_prefix(&self, hasher: &Hasher, start: &[u8]) -> Option<u64> {
        self.extractor.prefix(start).map(|prefix| marked(hasher.hash(prefix)))
    }

    /// Asks for each hash there is; without one the answer is "maybe".
    pub(super) fn probe_some(
        &self,
        payload: &[u8],
        asked: impl ExactSizeIterator<Item = Option<u64>>,
        hits: &mut Mask,
    ) {
        let outside: alloc::vec::Vec<Option<u64>> = asked.collect();
        let hashes: alloc::vec::Vec<u64> = outside.iter().map(|hash| hash.unwrap_or(0)).collect();
        self.base.probe_many(payload, &hashes, hits);
        for (i, _) in outside.iter().enumerate().filter(|(_, hash)| hash.is_none()) {
            hits.set(i, true);
        }
    }
}

/// Whether prefix filters are made of `family`: prefixes come again and again, and must take no room for it.
const fn is_base(family: Family) -> bool {
    matches!(family, Family::Bloom | Family::Blocked)
}

fn check_base(base: Family) -> Result<(), ConfigError> {
    let what = "no prefixes: bloom and blocked take them";
    if is_base(base) { Ok(()) } else { Err(ConfigError::Needs { family: base, what }) }
}

impl Params for PrefixParams {
    const FAMILY: Family = Family::Prefix;

    fn for_goal(_capacity: u64, _goal: Goal) -> Result<Self, ConfigError> {
        Err(ConfigError::Needs { family: Family::Prefix, what: "an extractor" })
    }

    fn capacity(&self) -> u64 {
        self.base.capacity()
    }

    fn payload_bytes(&self) -> u64 {
        self.base.payload_bytes()
    }

    fn probes(&self) -> u32 {
        self.base.probes()
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        self.base.fpr_at(keys)
    }
}

impl Layout for PrefixParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        use ParamKind::{Bytes, Integer};
        let invalid =
            |field: Field, value, allowed| OpenError::Invalid { field: field.name(), value, allowed };
        let base = read_base(header)?;
        let fields = BaseParams::fields_of(base).filter(|_| is_base(base)).ok_or(invalid(
            Field::Base,
            base.code().into(),
            "the code of a family that prefixes go into",
        ))?;
        let [first, second, _, name, whole] = header.values_of([
            (fields[0], Integer),
            (fields[1], Integer),
            (Field::Base, Integer),
            (Field::Extractor, Bytes),
            (Field::WholeKeys, Integer),
        ])?;
        let number = |value| integers(value).next().unwrap_or(0);
        let extractor = Extractor::named(name).ok_or(invalid(
            Field::Extractor,
            name.len() as u64,
            "the length of a name that an extractor has: 1 to 255 bytes of UTF-8",
        ))?;
        let whole_keys = match number(whole) {
            0 => false,
            1 => true,
            other => return Err(invalid(Field::WholeKeys, other, "0 or 1")),
        };
        let base = BaseParams::of_values(base, header.capacity(), [number(first), number(second)])?;
        Ok(Self { base, extractor, whole_keys })
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((self.base.section(), self.base.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let fields = BaseParams::fields_of(self.base.family()).unwrap_or([Field::Bits, Field::Probes]);
        let values = self.base.values();
        [
            (fields[0], values[0].into()),
            (fields[1], values[1].into()),
            (Field::Base, u64::from(self.base.family().code()).into()),
            (Field::Extractor, Value::Bytes(self.extractor.name().as_bytes().to_vec())),
            (Field::WholeKeys, u64::from(self.whole_keys).into()),
        ]
        .into_iter()
    }

    /// How many different prefixes so many keys have, they do not say.
    fn fpr_of_len(&self, len: Len) -> Option<f64> {
        (len == Len::EMPTY).then_some(0.0)
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        self.base.tally(payload)
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        self.base.check(payload)
    }

    /// Of a whole key: without whole keys in it, the filter knows nothing of one by its hash alone.
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        !self.whole_keys || self.base.probe(payload, hash)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        let asked = hashes.iter().map(|&hash| Some(hash).filter(|_| self.whole_keys));
        self.probe_some(payload, asked, hits);
    }

    fn probe_key(&self, payload: &[u8], hasher: &Hasher, key: &[u8]) -> bool {
        self.hash_of_key(hasher, key).is_none_or(|hash| self.base.probe(payload, hash))
    }

    fn probe_keys<K: AsRef<[u8]>>(&self, payload: &[u8], hasher: &Hasher, keys: &[K], hits: &mut Mask) {
        self.probe_some(payload, keys.iter().map(|key| self.hash_of_key(hasher, key.as_ref())), hits);
    }
}
