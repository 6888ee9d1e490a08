//! What a suite needs to know of a family.

use std::io;
use std::marker::PhantomData;

use ruleout::{
    BuildError, Changing, ConfigError, Family, Goal, HashFilter, Hasher, Insert, Native, OpenError,
    OpenOptions, Params, Scalable, ScalableConfig, SecretKey, Static,
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

/// The families of the library's own shape that take inserts, each by its parameters.
pub struct Inserting<P>(PhantomData<P>);

impl<P: Changing> Subject for Inserting<P>
where
    Native<P>: Insert,
{
    type Owned = Native<P>;
    type View<D: AsRef<[u8]>> = Native<P, D>;

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Native<P>, BuildError> {
        let params = P::for_goal(recipe.capacity, recipe.goal)?;
        let mut filter = Native::new(params, recipe.hasher.clone())?;
        filter.try_insert_hashes(hashes).expect("no suite builds a filter beyond what it takes");
        Ok(filter)
    }

    fn open<D: AsRef<[u8]>>(data: D, options: &OpenOptions<'_>) -> Result<Native<P, D>, OpenError> {
        Native::open_with(data, options)
    }

    fn copy<D: AsRef<[u8]>>(view: &Native<P, D>) -> Result<Native<P>, OpenError> {
        view.to_owned()
    }

    fn save(filter: &Native<P>) -> Vec<u8> {
        filter.to_bytes()
    }

    fn write(filter: &Native<P>, writer: &mut dyn io::Write) -> io::Result<()> {
        filter.write_to(writer)
    }
}

/// The families that are built once, each by its parameters.
pub struct Built<P>(PhantomData<P>);

impl<P: Static> Subject for Built<P> {
    type Owned = Native<P>;
    type View<D: AsRef<[u8]>> = Native<P, D>;

    fn build(recipe: &Recipe, hashes: &[u64]) -> Result<Native<P>, BuildError> {
        // What a filter for so many keys is refused for, this is, however many there are.
        P::for_goal(recipe.capacity, recipe.goal)?.empty()?;
        Native::from_distinct(recipe.goal, recipe.hasher.clone(), hashes.iter().copied().collect())
    }

    fn open<D: AsRef<[u8]>>(data: D, options: &OpenOptions<'_>) -> Result<Native<P, D>, OpenError> {
        Native::open_with(data, options)
    }

    fn copy<D: AsRef<[u8]>>(view: &Native<P, D>) -> Result<Native<P>, OpenError> {
        view.to_owned()
    }

    fn save(filter: &Native<P>) -> Vec<u8> {
        filter.to_bytes()
    }

    fn write(filter: &Native<P>, writer: &mut dyn io::Write) -> io::Result<()> {
        filter.write_to(writer)
    }
}

/// Scalable filters of layers of the family whose parameters are `P`, grown twentyfold to a recipe's capacity.
pub struct Scaling<P>(PhantomData<P>);

impl<P: Params> Subject for Scaling<P> {
    type Owned = Scalable;
    type View<D: AsRef<[u8]>> = Scalable<D>;

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

    fn open<D: AsRef<[u8]>>(data: D, options: &OpenOptions<'_>) -> Result<Scalable<D>, OpenError> {
        Scalable::open_with(data, options)
    }

    fn copy<D: AsRef<[u8]>>(view: &Scalable<D>) -> Result<Scalable, OpenError> {
        view.to_owned()
    }

    fn save(filter: &Scalable) -> Vec<u8> {
        filter.to_bytes()
    }

    fn write(filter: &Scalable, writer: &mut dyn io::Write) -> io::Result<()> {
        filter.write_to(writer)
    }
}
