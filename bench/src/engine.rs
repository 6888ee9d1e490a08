//! What is measured: a way to build a filter of keys, and ways to ask it.

/// A kind of filter, made by one library.
pub trait Engine {
    /// The library, and the way it is used.
    fn name(&self) -> &'static str;

    /// A filter of all `keys`, sized for them and the rate `fpr`.
    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built>;
}

/// A filter of keys.
pub trait Built {
    /// How many of `keys` it says "maybe" to, asked one at a time.
    fn hits(&self, keys: &[u64]) -> usize;

    /// The same by the batch call, where there is one.
    fn hits_in_batches(&self, _keys: &[u64]) -> Option<usize> {
        None
    }

    /// The size of the filter in bytes.
    fn bytes(&self) -> usize;
}

/// Engines that do the same job; the first is ours, and the others are its peers.
pub struct Group {
    pub name: &'static str,
    /// The rate at which they can be compared, where not every engine has every rate.
    pub fpr: Option<f64>,
    pub engines: Vec<Box<dyn Engine>>,
}
