//! What a suite needs to know of a family.

use std::io;
use std::marker::PhantomData;

use ruleout::{
    Buf, BuildError, Changing, ConfigError, Extractor, Family, Filter, Goal, HashFilter, HashId, Hasher,
    Insert, InsertError, Inserted, Mask, Native, OpenError, OpenOptions, Params, Prefix, PrefixConfig,
    Scalable, ScalableConfig, ScalableParams, SecretKey, Static, WindowedConfig, WindowedParams,
};

/// What a filter is made from, whatever its family.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The design number of keys.
    pub capacity: u64,
    /// What to aim for.
    pub goal: Goal,
    /// The hash identity.
    pub hasher: Hasher,
    /// The secret of the hash identity, where it has one.
    pub key: Option<SecretKey>,
}

impl Recipe {
    /// For `capacity` keys and `goal`, under the default hash.
    pub fn new(capacity: u64, goal: Goal) -> Self {
        Self { capacity, goal, hasher: Hasher::default(), key: None }
    }

    /// For `capacity` keys at the false-positive rate `fpr`, under the default hash.
    pub fn fpr(capacity: u64, fpr: f64) -> Self {
        Self::new(capacity, Goal::Fpr(fpr))
    }

    /// How to open a file made from this recipe.
    pub fn options(&self) -> OpenOptions<'_> {
        self.key.as_ref().map_or(OpenOptions::new(), |key| OpenOptions::new().key(key))
    }
}

/// A kind of filter under test.
pub trait Subject {
    /// The filter that owns its bytes.
    type Owned: HashFilter + Clone;
    /// The filter over somebody's bytes.
    type View<D: AsRef<[u8]>>: HashFilter;

    /// A filter made from `recipe` with `hashes` in it.
    ///
    /// # Errors
    /// Those of the family's recipe.
    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Self::Owned, BuildError>;

    /// The design number of keys of a filter made from `recipe`.
    fn capacity(recipe: &Recipe) -> u64 {
        recipe.capacity
    }

    /// Opens a filter where its bytes lie.
    ///
    /// # Errors
    /// Those of the family.
    fn open<D: AsRef<[u8]>>(data: D, options: &OpenOptions<'_>) -> Result<Self::View<D>, OpenError>;

    /// An owned copy of a view.
    ///
    /// # Errors
    /// Those of the family.
    fn copy<D: AsRef<[u8]>>(view: &Self::View<D>) -> Result<Self::Owned, OpenError>;

    /// The file as bytes.
    fn save(filter: &Self::Owned) -> Vec<u8>;

    /// Writes the file.
    ///
    /// # Errors
    /// Those of the writer.
    fn write(filter: &Self::Owned, writer: &mut dyn io::Write) -> io::Result<()>;
}

/// What all subjects share that are filters of the library's own shape, with parameters `$params`.
macro_rules! native_files {
    ($params:ty) => {
        type Owned = Native<$params>;
        type View<D: AsRef<[u8]>> = Native<$params, D>;

        fn open<D: AsRef<[u8]>>(data: D, options: &OpenOptions<'_>) -> Result<Self::View<D>, OpenError> {
            Native::open_with(data, options)
        }

        fn copy<D: AsRef<[u8]>>(view: &Self::View<D>) -> Result<Self::Owned, OpenError> {
            view.to_owned()
        }

        fn save(filter: &Self::Owned) -> Vec<u8> {
            filter.to_bytes()
        }

        fn write(filter: &Self::Owned, writer: &mut dyn io::Write) -> io::Result<()> {
            filter.write_to(writer)
        }
    };
}

/// The families of the library's own shape that take inserts, each by its parameters.
pub struct Inserting<P>(PhantomData<P>);

impl<P: Changing> Subject for Inserting<P>
where
    Native<P>: Insert,
{
    native_files!(P);

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Native<P>, BuildError> {
        let params = P::for_goal(recipe.capacity, recipe.goal)?;
        let mut filter = Native::new(params, recipe.hasher.clone())?;
        filter.try_insert_hashes(hashes).expect("no suite builds a filter beyond what it takes");
        Ok(filter)
    }
}

/// The families that are built once, each by its parameters.
pub struct Built<P>(PhantomData<P>);

impl<P: Static> Subject for Built<P> {
    native_files!(P);

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Native<P>, BuildError> {
        // What a filter for so many keys is refused for, this is, however many there are.
        P::for_goal(recipe.capacity, recipe.goal)?.empty()?;
        Native::from_distinct(recipe.goal, recipe.hasher.clone(), hashes.iter().copied().collect())
    }
}

/// Scalable filters of layers of the family whose parameters are `P`, grown twentyfold to a recipe's capacity.
pub struct Scaling<P>(PhantomData<P>);

impl<P: Params> Subject for Scaling<P> {
    native_files!(ScalableParams);

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Scalable, BuildError> {
        let Goal::Fpr(fpr) = recipe.goal else {
            // A filter without an end has no size to aim for.
            return Err(ConfigError::Needs { family: Family::Scalable, what: "a rate" }.into());
        };
        let config = ScalableConfig::fpr(recipe.capacity.div_ceil(20), fpr).base(P::FAMILY);
        let mut filter = config.hasher(recipe.hasher.clone()).build()?;
        filter.try_insert_hashes(hashes).expect("it grows");
        Ok(filter)
    }
}

/// Windowed filters of buckets of the family whose parameters are `P`: the keys of a recipe were seen in turn in each of
/// the steps that the window remembers.
pub struct Windowing<P>(PhantomData<P>);

impl<P> Windowing<P> {
    const WINDOW: u64 = 2000;
    const STEP: u64 = 1000;
    /// One more than the window has steps.
    const BUCKETS: u64 = 3;
    /// A time in the first of these steps.
    const FIRST: u64 = 1_700_000_000_123;
}

impl<P: Params> Subject for Windowing<P> {
    native_files!(WindowedParams);

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Self::Owned, BuildError> {
        let each = recipe.capacity.div_ceil(Self::BUCKETS);
        let config = WindowedConfig::new(Self::WINDOW, Self::STEP, each, recipe.goal).base(P::FAMILY);
        let mut filter = config.hasher(recipe.hasher.clone()).build()?;
        for step in 0..Self::BUCKETS {
            for &hash in hashes.iter().skip(step as usize).step_by(Self::BUCKETS as usize) {
                filter.observe_hash(hash, Self::FIRST + step * Self::STEP);
            }
        }
        Ok(filter)
    }

    fn capacity(recipe: &Recipe) -> u64 {
        recipe.capacity.next_multiple_of(Self::BUCKETS)
    }
}

/// Prefix filters over one of the family whose parameters are `P`.
pub struct Prefixing<P>(PhantomData<P>);

impl<P: Params> Subject for Prefixing<P> {
    type Owned = Beginnings;
    type View<D: AsRef<[u8]>> = Beginnings<D>;

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Beginnings, BuildError> {
        let config = PrefixConfig::new(Extractor::fixed(8), recipe.capacity, recipe.goal).base(P::FAMILY);
        let mut filter = Beginnings(config.prefixes_only().hasher(recipe.hasher.clone()).build()?);
        filter.try_insert_hashes(hashes).expect("it takes every key");
        Ok(filter)
    }

    fn open<D: AsRef<[u8]>>(data: D, options: &OpenOptions<'_>) -> Result<Beginnings<D>, OpenError> {
        Prefix::open_with(data, options).map(Beginnings)
    }

    fn copy<D: AsRef<[u8]>>(view: &Beginnings<D>) -> Result<Beginnings, OpenError> {
        view.0.to_owned().map(Beginnings)
    }

    fn save(filter: &Beginnings) -> Vec<u8> {
        filter.0.to_bytes()
    }

    fn write(filter: &Beginnings, writer: &mut dyn io::Write) -> io::Result<()> {
        filter.0.write_to(writer)
    }
}

/// A prefix filter as one of hashes: a suite's hash stands for the keys that begin with its eight little-endian bytes.
#[derive(Clone, Debug)]
pub struct Beginnings<D: AsRef<[u8]> = Buf>(Prefix<D>);

impl<D: AsRef<[u8]>> Filter for Beginnings<D> {
    fn family(&self) -> Family {
        self.0.family()
    }

    fn size_bytes(&self) -> usize {
        self.0.size_bytes()
    }

    fn expected_fpr(&self) -> f64 {
        self.0.expected_fpr()
    }

    fn may_contain(&self, key: &[u8]) -> bool {
        self.may_contain_hash(self.0.hasher().hash(key))
    }
}

impl<D: AsRef<[u8]>> HashFilter for Beginnings<D> {
    fn hash_id(&self) -> HashId {
        self.0.hash_id()
    }

    fn may_contain_hash(&self, hash: u64) -> bool {
        self.0.may_contain_prefix(&hash.to_le_bytes())
    }

    fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        let starts: Vec<[u8; 8]> = hashes.iter().map(|hash| hash.to_le_bytes()).collect();
        self.0.may_contain_prefixes(&starts, hits);
    }
}

impl Insert for Beginnings {
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        let key = [hash.to_le_bytes(), *b" and so "].concat();
        Ok(self.0.insert(&key).expect("its extractor is built in"))
    }

    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        self.try_insert_hash(self.0.hasher().hash(key))
    }
}
