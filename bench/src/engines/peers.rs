//! Other libraries, each as its documentation says to use it.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::collections::hash_map::DefaultHasher;

use fastbloom_rs::{CountingBloomFilter, FilterBuilder, Membership};
use ruleout::Hasher;

use crate::engine::{Built, Engine};

/// A standard Bloom filter whose positions are confined to blocks of 512 bits by its hashing.
pub struct Fastbloom;

impl Engine for Fastbloom {
    fn name(&self) -> &'static str {
        "fastbloom 0.14"
    }

    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built> {
        let mut filter = fastbloom::BloomFilter::with_false_pos(fpr).seed(&0).expected_items(keys.len());
        for key in keys {
            filter.insert(key);
        }
        Box::new(filter)
    }
}

impl Built for fastbloom::BloomFilter {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.contains(key)).count()
    }

    fn bytes(&self) -> usize {
        self.num_bits() / 8
    }
}

/// 4-bit counters, one cache miss for each.
pub struct FastbloomRsCounting;

impl Engine for FastbloomRsCounting {
    fn name(&self) -> &'static str {
        "fastbloom-rs 0.5 counting"
    }

    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built> {
        let mut filter = FilterBuilder::new(keys.len() as u64, fpr).build_counting_bloom_filter();
        for key in keys {
            filter.add(&key.to_le_bytes());
        }
        Box::new(filter)
    }
}

impl Built for CountingBloomFilter {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.contains(&key.to_le_bytes())).count()
    }

    fn bytes(&self) -> usize {
        self.get_u8_array().len()
    }
}

/// The bits of a split-block filter in memory the caller owns; hashed with XXH3, as ours.
pub struct SbbfRs;

struct Sbbf {
    kernel: sbbf_rs::FilterFn,
    blocks: usize,
    layout: Layout,
    bits: *mut u8,
    hasher: Hasher,
}

impl Engine for SbbfRs {
    fn name(&self) -> &'static str {
        "sbbf-rs 0.2"
    }

    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built> {
        // The same number of blocks as ours: the library leaves the size to the caller.
        let blocks = ruleout::math::split_block::size(keys.len() as u64, fpr).expect("a size") as usize;
        let layout =
            Layout::from_size_align(blocks * sbbf_rs::BUCKET_SIZE, sbbf_rs::ALIGNMENT).expect("a size");
        // SAFETY: the layout is not empty.
        let bits = unsafe { alloc_zeroed(layout) };
        if bits.is_null() {
            handle_alloc_error(layout);
        }
        let filter =
            Sbbf { kernel: sbbf_rs::FilterFn::new(), blocks, layout, bits, hasher: Hasher::default() };
        for &key in keys {
            // SAFETY: `bits` holds `blocks` blocks, aligned as the library asks.
            unsafe { filter.kernel.insert(bits, blocks, filter.hasher.hash_u64(key)) };
        }
        Box::new(filter)
    }
}

impl Built for Sbbf {
    fn hits(&self, keys: &[u64]) -> usize {
        let contains = |key| {
            // SAFETY: `bits` holds `blocks` blocks, aligned as the library asks.
            unsafe { self.kernel.contains(self.bits, self.blocks, self.hasher.hash_u64(key)) }
        };
        keys.iter().filter(|&&key| contains(key)).count()
    }

    fn bytes(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Sbbf {
    fn drop(&mut self) {
        // SAFETY: allocated in `build` with this layout, and freed nowhere else.
        unsafe { dealloc(self.bits, self.layout) };
    }
}

/// 8-bit fingerprints in buckets of four; hashed with the standard library's SipHash, its default.
pub struct Cuckoofilter;

impl Engine for Cuckoofilter {
    fn name(&self) -> &'static str {
        "cuckoofilter 0.5"
    }

    fn build(&self, keys: &[u64], _fpr: f64) -> Box<dyn Built> {
        let mut capacity = keys.len();
        loop {
            let mut filter = cuckoofilter::CuckooFilter::<DefaultHasher>::with_capacity(capacity);
            // A key refused pushed another one out: only a larger table keeps all.
            if keys.iter().all(|key| filter.add(key).is_ok()) {
                return Box::new(filter);
            }
            capacity *= 2;
        }
    }
}

impl Built for cuckoofilter::CuckooFilter<DefaultHasher> {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.contains(*key)).count()
    }

    fn bytes(&self) -> usize {
        self.memory_usage()
    }
}

/// A rank-and-select quotient filter; hashed with its own stable hash, its default.
pub struct Qfilter;

impl Engine for Qfilter {
    fn name(&self) -> &'static str {
        "qfilter 0.3"
    }

    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built> {
        let mut filter = qfilter::Filter::new(keys.len() as u64, fpr).expect("a filter of that size");
        for key in keys {
            filter.insert_duplicated(key).expect("room for the keys it is made for");
        }
        Box::new(filter)
    }
}

impl Built for qfilter::Filter {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.contains(key)).count()
    }

    fn bytes(&self) -> usize {
        self.memory_usage()
    }
}

/// 8-bit fingerprints; hashed by its own mixing of a `u64`.
pub struct Xorf;

impl Engine for Xorf {
    fn name(&self) -> &'static str {
        "xorf 0.13 BinaryFuse8"
    }

    fn build(&self, keys: &[u64], _fpr: f64) -> Box<dyn Built> {
        Box::new(xorf::BinaryFuse8::try_from(keys).expect("distinct keys"))
    }
}

impl Built for xorf::BinaryFuse8 {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| xorf::Filter::contains(self, key)).count()
    }

    fn bytes(&self) -> usize {
        self.fingerprints.len()
    }
}

/// A ribbon of 8 bits, standard, 128 bits wide, which is the smaller of its two; hashed by its own mixing of a `u64`.
pub struct Pleat;

impl Engine for Pleat {
    fn name(&self) -> &'static str {
        "pleat 0.1 StdRibbon<8>"
    }

    fn build(&self, keys: &[u64], _fpr: f64) -> Box<dyn Built> {
        Box::new(pleat::filter::StdRibbon::<8>::from_keys_pleated(keys).expect("distinct keys"))
    }
}

impl Built for pleat::filter::StdRibbon<8> {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|&&key| self.contains(key)).count()
    }

    fn hits_in_batches(&self, keys: &[u64]) -> Option<usize> {
        let mut hits = [false; 1024];
        let count = |batch: &[u64]| {
            self.contains_batch(batch, &mut hits[..batch.len()]);
            hits[..batch.len()].iter().filter(|&&hit| hit).count()
        };
        Some(keys.chunks(1024).map(count).sum())
    }

    fn bytes(&self) -> usize {
        self.size_bytes()
    }
}
