//! A filter of whichever family: what a program holds that reads files it did not write.

use alloc::vec::Vec;
use core::convert::Infallible;

use crate::bits::{Buf, Mask};
use crate::blocked::{Blocked, BlockedParams};
use crate::bloom::{Bloom, BloomParams};
use crate::build::Watch;
use crate::collect::{DistinctHashes, SortedHashes};
use crate::counting::{Counting, CountingBits, CountingBitsParams, CountingParams};
use crate::cuckoo::{Cuckoo, CuckooParams};
use crate::error::{BatchError, BuildError, ConfigError, InsertError, MergeError, OpenError};
use crate::family::Family;
use crate::frame::{Header, Len, Value};
use crate::fuse::{Fuse, Fuse4, FuseParams};
use crate::goal::Goal;
use crate::golomb::{Golomb, GolombParams};
use crate::hash::{HashId, Hasher};
use crate::layout::{Changing, Layout, Params, Tally};
use crate::native::{Native, OpenOptions, check_file, read_params};
use crate::prefix::{Prefix, PrefixParams};
use crate::quotient::{Quotient, QuotientParams};
use crate::scalable::{Scalable, ScalableParams};
use crate::split_block::{SplitBlock, SplitBlockParams};
use crate::traits::{Filter, HashFilter, Insert, Inserted, Merge};
use crate::windowed::{Windowed, WindowedParams};

type Fuse3Params = FuseParams<3>;
type Fuse4Params = FuseParams<4>;

/// The parameters of a filter of whichever family.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyParams {
    /// Those of a standard Bloom filter.
    Bloom(BloomParams),
    /// Those of a blocked Bloom filter.
    Blocked(BlockedParams),
    /// Those of a split-block Bloom filter.
    SplitBlock(SplitBlockParams),
    /// Those of a counting Bloom filter.
    Counting(CountingParams),
    /// Those of the bits of a counting Bloom filter.
    CountingBits(CountingBitsParams),
    /// Those of a cuckoo filter.
    Cuckoo(CuckooParams),
    /// Those of a quotient filter.
    Quotient(QuotientParams),
    /// Those of a scalable filter.
    Scalable(ScalableParams),
    /// Those of a windowed filter.
    Windowed(WindowedParams),
    /// Those of a prefix filter.
    Prefix(PrefixParams),
    /// Those of a binary fuse filter with three probes.
    Fuse(FuseParams<3>),
    /// Those of a binary fuse filter with four probes.
    Fuse4(FuseParams<4>),
    /// Those of a Golomb-coded set.
    Golomb(GolombParams),
}

/// A filter of whichever family, over the bytes `D`.
///
/// ```
/// use ruleout::{AnyFilter, BlockedConfig, Family};
/// let mut small = BlockedConfig::fpr(100, 0.01).build()?;
/// small.insert(b"a key");
/// let file = small.to_bytes();
/// let filter = AnyFilter::open_verified(&file[..])?;
/// assert_eq!(filter.family(), Family::Blocked);
/// assert!(filter.may_contain(b"a key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyFilter<D: AsRef<[u8]> = Buf> {
    /// A standard Bloom filter.
    Bloom(Bloom<D>),
    /// A blocked Bloom filter.
    Blocked(Blocked<D>),
    /// A split-block Bloom filter.
    SplitBlock(SplitBlock<D>),
    /// A counting Bloom filter.
    Counting(Counting<D>),
    /// The bits of a counting Bloom filter.
    CountingBits(CountingBits<D>),
    /// A cuckoo filter.
    Cuckoo(Cuckoo<D>),
    /// A quotient filter.
    Quotient(Quotient<D>),
    /// A scalable filter.
    Scalable(Scalable<D>),
    /// A windowed filter.
    Windowed(Windowed<D>),
    /// A prefix filter.
    Prefix(Prefix<D>),
    /// A binary fuse filter with three probes.
    Fuse(Fuse<D>),
    /// A binary fuse filter with four probes.
    Fuse4(Fuse4<D>),
    /// A Golomb-coded set.
    Golomb(Golomb<D>),
}

/// Calls `$macro!` with `$args` and the lists of families: variant, parameters. The one place that lists them. Those in
/// the first list are made from a capacity and a goal and take keys by their hashes; those in the second need more; those
/// in the third are built once, of all their hashes.
macro_rules! families {
    ($macro:ident!($($args:tt)*)) => {
        $macro! {
            [
                Bloom BloomParams,
                Blocked BlockedParams,
                SplitBlock SplitBlockParams,
                Counting CountingParams,
                CountingBits CountingBitsParams,
                Cuckoo CuckooParams,
                Quotient QuotientParams,
                Scalable ScalableParams,
            ]
            [
                Windowed WindowedParams,
                Prefix PrefixParams,
            ]
            [
                Fuse Fuse3Params,
                Fuse4 Fuse4Params,
                Golomb GolombParams,
            ]
            $($args)*
        }
    };
}

/// Runs `$body` with the family's own value as `$inner`.
macro_rules! each {
    ($enum:ident, $value:expr, $inner:ident => $body:expr) => {
        families!(each_arm!($enum, $value, $inner => $body))
    };
}
macro_rules! each_arm {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $enum:ident, $value:expr, $inner:ident => $body:expr) => {
        match $value {
            $( $enum::$family($inner) => $body, )+
            $( $enum::$more($inner) => $body, )+
            $( $enum::$built($inner) => $body, )*
        }
    };
}

/// Runs `$body`, which gives a `Result`, and wraps what it gives as the same family of `$to`.
macro_rules! map {
    ($from:ident => $to:ident, $value:expr, $inner:ident => $body:expr) => {
        families!(map_arm!($from => $to, $value, $inner => $body))
    };
}
macro_rules! map_arm {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $from:ident => $to:ident, $value:expr, $inner:ident => $body:expr) => {
        match $value {
            $( $from::$family($inner) => $body.map($to::$family), )+
            $( $from::$more($inner) => $body.map($to::$more), )+
            $( $from::$built($inner) => $body.map($to::$built), )*
        }
    };
}

/// Runs `$body`, which gives a `Result`, for the family `$family` and wraps what it gives.
macro_rules! of_family {
    ($enum:ident, $family:expr, $type:ident => $body:expr) => {
        families!(of_family_arm!($enum, $family, $type => $body))
    };
}
macro_rules! of_family_arm {
    ([$($variant:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $enum:ident, $family:expr, $type:ident => $body:expr) => {
        match $family {
            $( Family::$variant => {
                type $type = $params;
                $body.map($enum::$variant)
            } )+
            $( Family::$more => {
                type $type = $its;
                $body.map($enum::$more)
            } )+
            $( Family::$built => {
                type $type = $of;
                $body.map($enum::$built)
            } )*
        }
    };
}

/// Runs `$body`, an insertion, with the family's own filter as `$inner`, or `$refuse` with the family.
macro_rules! insert {
    ($value:expr, $inner:ident => $body:expr, $refuse:expr) => {
        families!(insert_arm!($value, $inner => $body, $refuse))
    };
}
macro_rules! insert_arm {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $value:expr, $inner:ident => $body:expr, $refuse:expr) => {
        match $value {
            $( AnyFilter::$family($inner) => $body, )+
            $( AnyFilter::$more(_) => Err($refuse(InsertError::Unsupported { family: Family::$more })), )+
            $( AnyFilter::$built(_) => Err($refuse(InsertError::Unsupported { family: Family::$built })), )*
        }
    };
}

/// Makes an empty filter of a family of the first two lists.
macro_rules! new {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $value:expr, $hasher:expr) => {
        match $value {
            $( AnyParams::$family(params) => Native::new(params, $hasher).map(AnyFilter::$family), )+
            $( AnyParams::$more(params) => Native::new(params, $hasher).map(AnyFilter::$more), )+
            $( AnyParams::$built(_) => Err(ConfigError::Needs { family: Family::$built, what: "all its keys at once" }), )*
        }
    };
}

/// Builds a filter of a family of the third list in a shape that is given.
macro_rules! of_shape {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $value:expr, $hasher:expr, $hashes:expr) => {
        match $value {
            $( AnyParams::$built(params) => Native::of_shape(params, $hasher, $hashes).map(AnyFilter::$built), )*
            changing => Err(ConfigError::Needs { family: changing.family(), what: "keys one by one" }.into()),
        }
    };
}

/// Families that begin empty.
macro_rules! changing {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*]) => {
        $( impl Changing for $params {} )+
        $( impl Changing for $its {} )+
    };
}
families!(changing!());

/// Builds a filter of a family of the first list or the third, or says what one of the second needs.
macro_rules! from_sorted {
    ([$($variant:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*] $family:expr, $goal:expr, $hasher:expr, $hashes:expr, $watch:expr) => {
        match $family {
            $( Family::$variant => {
                Native::<$params>::from_sorted($goal, $hasher, $hashes, $watch).map(AnyFilter::$variant)
            } )+
            $( Family::$built => Native::<$of>::from_sorted($goal, $hasher, $hashes, $watch).map(AnyFilter::$built), )*
            $( Family::$more => Err(<$its>::for_goal($hashes.len(), $goal).err().map_or(
                BuildError::Config(ConfigError::Needs { family: $family, what: "more than keys" }),
                BuildError::Config,
            )), )+
        }
    };
}

/// The families of the first list and the third.
macro_rules! listed {
    ([$($family:ident $params:ident,)+] [$($more:ident $its:ident,)+] [$($built:ident $of:ident,)*]) => {
        &[$( Family::$family, )+ $( Family::$built, )*]
    };
}

impl AnyParams {
    /// The families of which a capacity and a goal make a filter.
    pub const FAMILIES: &'static [Family] = families!(listed!());

    /// The parameters of `family` for `capacity` keys that reach `goal`.
    ///
    /// # Errors
    /// [`ConfigError`] when a number is out of range or no filter can reach the goal.
    pub fn for_goal(family: Family, capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        of_family!(AnyParams, family, P => P::for_goal(capacity, goal))
    }

    /// The parameters in the header of a file.
    ///
    /// # Errors
    /// [`OpenError`] when they are not those of the family it names.
    pub fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        of_family!(AnyParams, header.family(), P => read_params::<P>(header))
    }

    /// The family.
    pub fn family(&self) -> Family {
        fn of<P: Params>(_: &P) -> Family {
            P::FAMILY
        }
        each!(AnyParams, self, params => of(params))
    }

    /// The design number of keys.
    pub fn capacity(&self) -> u64 {
        each!(AnyParams, self, params => Params::capacity(params))
    }

    /// The size of the payload in bytes.
    pub fn payload_bytes(&self) -> u64 {
        each!(AnyParams, self, params => params.payload_bytes())
    }

    /// How many places of the payload one key looks at.
    pub fn probes(&self) -> u32 {
        each!(AnyParams, self, params => Params::probes(params))
    }

    /// The size of the payload in bits for each key of the capacity.
    pub fn bits_per_key(&self) -> f64 {
        self.payload_bytes() as f64 * 8.0 / self.capacity().max(1) as f64
    }

    /// The expected false-positive rate, 0 to 1, with `keys` distinct keys inserted, from the exact formula.
    pub fn fpr_at(&self, keys: u64) -> f64 {
        each!(AnyParams, self, params => Params::fpr_at(params, keys))
    }

    /// The expected false-positive rate, 0 to 1, of a filter of this shape whose header says `len`, at most: where `len` is
    /// exact, that rate. `None` when only the payload tells.
    ///
    /// ```
    /// use ruleout::{AnyFilter, WindowedConfig};
    /// let mut seen = WindowedConfig::fpr(60, 20, 100, 0.01).build()?;
    /// for i in 0..200u64 {
    ///     seen.observe(&i.to_le_bytes(), 7);
    /// }
    /// let file = seen.to_bytes();
    /// let any = AnyFilter::open(&file[..])?;
    /// // One step had all of them, and twice the keys it was made for.
    /// assert!(any.params().fpr_now(any.len()).is_some_and(|fpr| fpr > 0.02));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fpr_now(&self, len: Len) -> Option<f64> {
        each!(AnyParams, self, params => params.fpr_of_len(len))
    }

    /// What shapes the filter, with names.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        each!(AnyParams, self, params => params.fields().map(|(field, value)| (field.name(), value)).collect())
    }
}

/// What a file is found to be when all of it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The parameters.
    pub params: AnyParams,
    /// The hash identity.
    pub hash_id: HashId,
    /// The number of keys the header says.
    pub len: Len,
    /// What the payload shows.
    pub tally: Tally,
}

/// Verifies a whole file and takes stock of it; needs no secret key, since no key is asked for.
///
/// # Errors
/// [`OpenError`] for any damage.
///
/// # Complexity
/// Reads the file twice, at the speed of memory; allocates as [`Native::open`](crate::Native::open) does.
pub fn inspect(file: &[u8]) -> Result<Inspection, OpenError> {
    let header = Header::read(file)?;
    let params = AnyParams::read(&header)?;
    let tally = each!(AnyParams, &params, params => {
        check_file(&header, params, file)?;
        params.tally(&file[header.header_len()..])
    });
    Ok(Inspection { params, hash_id: header.hash_id(), len: header.len(), tally })
}

impl AnyFilter {
    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] when memory runs out, and for a family that is built of all its keys at once.
    pub fn new(params: AnyParams, hasher: Hasher) -> Result<Self, ConfigError> {
        families!(new!(params, hasher))
    }

    /// A filter of `family` made for exactly the hashes collected, with all of them in it.
    ///
    /// # Errors
    /// [`BuildError`] when no filter for that many keys reaches `goal`, memory runs out, or a key is refused.
    pub fn from_distinct(
        family: Family,
        goal: Goal,
        hasher: Hasher,
        hashes: DistinctHashes,
    ) -> Result<Self, BuildError> {
        Self::from_sorted(family, goal, hasher, hashes.into_sorted(), &mut Watch::none())
    }

    /// [`AnyFilter::from_distinct`], watched: `watch` hears how far it is, and can end it.
    ///
    /// # Errors
    /// As [`AnyFilter::from_distinct`], and [`BuildError::Cancelled`].
    pub fn from_sorted(
        family: Family,
        goal: Goal,
        hasher: Hasher,
        hashes: SortedHashes,
        watch: &mut Watch<'_>,
    ) -> Result<Self, BuildError> {
        families!(from_sorted!(family, goal, hasher, hashes, watch))
    }

    /// See [`Native::of_shape`].
    ///
    /// # Errors
    /// [`BuildError`] when memory runs out, and for a family that is not built once.
    #[doc(hidden)]
    pub fn of_shape(params: AnyParams, hasher: Hasher, hashes: DistinctHashes) -> Result<Self, BuildError> {
        families!(of_shape!(params, hasher, hashes))
    }

    /// The whole file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        each!(AnyFilter, self, filter => filter.to_bytes())
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// Those of the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, writer: impl std::io::Write) -> std::io::Result<()> {
        each!(AnyFilter, self, filter => filter.write_to(writer))
    }

    /// Makes this the filter of the union of both sets, without copying `other`.
    ///
    /// # Errors
    /// [`MergeError`] naming the first difference, with both values; this filter is then as it was.
    pub fn merge_view<D: AsRef<[u8]>>(&mut self, other: &AnyFilter<D>) -> Result<(), MergeError> {
        match (self, other) {
            (Self::Bloom(ours), AnyFilter::Bloom(theirs)) => ours.merge_view(theirs),
            (Self::Blocked(ours), AnyFilter::Blocked(theirs)) => ours.merge_view(theirs),
            (Self::SplitBlock(ours), AnyFilter::SplitBlock(theirs)) => ours.merge_view(theirs),
            (Self::Counting(ours), AnyFilter::Counting(theirs)) => ours.merge_view(theirs),
            (Self::CountingBits(ours), AnyFilter::CountingBits(theirs)) => ours.merge_view(theirs),
            (Self::Quotient(ours), AnyFilter::Quotient(theirs)) => ours.merge_view(theirs),
            (ours, theirs) if ours.family() == theirs.family() => {
                Err(MergeError::Unsupported { family: ours.family() })
            }
            (ours, theirs) => Err(MergeError::Family { ours: ours.family(), theirs: theirs.family() }),
        }
    }
}

impl<D: AsRef<[u8]>> AnyFilter<D> {
    /// Opens a filter without copying or reading its payload; see [`Native::open`].
    ///
    /// # Errors
    /// [`OpenError`] for any damage to the header, any wrong length, and a keyed hash.
    pub fn open(data: D) -> Result<Self, OpenError> {
        Self::open_with(data, &OpenOptions::new())
    }

    /// [`AnyFilter::open`], and any damage to the payload is refused too.
    ///
    /// # Errors
    /// [`OpenError`] for any damage.
    pub fn open_verified(data: D) -> Result<Self, OpenError> {
        Self::open_with(data, &OpenOptions::new().verify(true))
    }

    /// Opens a filter as `options` say.
    ///
    /// # Errors
    /// [`OpenError`] as above, and when the key does not fit.
    pub fn open_with(data: D, options: &OpenOptions<'_>) -> Result<Self, OpenError> {
        let family = Header::read(data.as_ref())?.family();
        of_family!(AnyFilter, family, P => Native::<P, D>::open_with(data, options))
    }

    /// An owned copy, which can change and be saved.
    ///
    /// # Errors
    /// [`OpenError`] when the filter was opened without verification and turns out to be damaged, or when memory
    /// runs out.
    pub fn to_owned(&self) -> Result<AnyFilter, OpenError> {
        map!(Self => AnyFilter, self, filter => filter.to_owned())
    }

    /// The family.
    pub fn family(&self) -> Family {
        Filter::family(self)
    }

    /// Whether `key` may be in the set: `false` is certain, `true` is "maybe".
    pub fn may_contain(&self, key: &[u8]) -> bool {
        Filter::may_contain(self, key)
    }

    /// Whether a key with this hash may be in the set; the hash must come from [`AnyFilter::hasher`].
    pub fn may_contain_hash(&self, hash: u64) -> bool {
        HashFilter::may_contain_hash(self, hash)
    }

    /// Asks for many hashes at once, which hides the latency of memory. `hits` is resized to the batch.
    pub fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        HashFilter::may_contain_hashes(self, hashes, hits);
    }

    /// Asks for many keys at once.
    pub fn may_contain_keys<K: AsRef<[u8]>>(&self, keys: &[K], hits: &mut Mask) {
        each!(AnyFilter, self, filter => filter.may_contain_keys(keys, hits));
    }

    /// The design number of keys.
    pub fn capacity(&self) -> u64 {
        each!(AnyFilter, self, filter => filter.capacity())
    }

    /// The parameters.
    pub fn params(&self) -> AnyParams {
        match map!(Self => AnyParams, self, filter => Ok::<_, Infallible>(Clone::clone(filter.params()))) {
            Ok(params) => params,
        }
    }

    /// The hasher, which may hold a secret.
    pub fn hasher(&self) -> &Hasher {
        each!(AnyFilter, self, filter => filter.hasher())
    }

    /// The number of keys in the filter.
    pub fn len(&self) -> Len {
        each!(AnyFilter, self, filter => filter.len())
    }

    /// Whether surely nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.len() == Len::EMPTY
    }

    /// What a scan of the payload shows.
    pub fn tally(&self) -> Tally {
        each!(AnyFilter, self, filter => filter.tally())
    }
}

impl<D: AsRef<[u8]>> Filter for AnyFilter<D> {
    fn family(&self) -> Family {
        each!(AnyFilter, self, filter => filter.family())
    }

    fn size_bytes(&self) -> usize {
        each!(AnyFilter, self, filter => filter.size_bytes())
    }

    fn expected_fpr(&self) -> f64 {
        each!(AnyFilter, self, filter => filter.expected_fpr())
    }

    fn may_contain(&self, key: &[u8]) -> bool {
        each!(AnyFilter, self, filter => filter.may_contain(key))
    }
}

impl<D: AsRef<[u8]>> HashFilter for AnyFilter<D> {
    fn hash_id(&self) -> HashId {
        self.hasher().id()
    }

    fn may_contain_hash(&self, hash: u64) -> bool {
        each!(AnyFilter, self, filter => filter.may_contain_hash(hash))
    }

    fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        each!(AnyFilter, self, filter => filter.may_contain_hashes(hashes, hits));
    }
}

impl Insert for AnyFilter {
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        insert!(self, filter => filter.try_insert_hash(hash), core::convert::identity)
    }

    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        insert!(self, filter => filter.try_insert(key), core::convert::identity)
    }

    fn try_insert_hashes(&mut self, hashes: &[u64]) -> Result<usize, BatchError> {
        insert!(self, filter => filter.try_insert_hashes(hashes), |source| BatchError { applied: 0, source })
    }
}

impl Merge for AnyFilter {
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.merge_view(other)
    }
}
