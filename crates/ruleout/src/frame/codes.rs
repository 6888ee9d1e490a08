//! Every number that stands for a name in a file. Numbers are never reused.

use crate::family::Family;
use crate::hash::HashAlgorithm;

/// The newest format version, and the one that is written.
pub(crate) const VERSION: u16 = 1;

/// The first eight bytes of a file. The high bit and both line endings show a transfer that changed bytes.
pub(crate) const MAGIC: [u8; 8] = *b"\x89RLO\r\n\x1a\n";

/// Gives each variant its code, and each code its variant.
macro_rules! codes {
    ($type:ident { $( $variant:ident = $code:literal, )+ }) => {
        impl $type {
            pub(crate) const fn code(self) -> u16 {
                match self { $( Self::$variant => $code, )+ }
            }

            #[allow(dead_code, reason = "not every kind of code is looked up both ways")]
            pub(crate) const fn from_code(code: u16) -> Option<Self> {
                match code { $( $code => Some(Self::$variant), )+ _ => None }
            }
        }
    };
}

codes!(Family {
    Bloom = 1,
    Blocked = 2,
    SplitBlock = 3,
    Counting = 4,
    Cuckoo = 5,
    Quotient = 6,
    CountingBits = 7,
    Scalable = 8,
    Windowed = 9,
    Prefix = 10,
    Fuse = 12,
    Fuse4 = 15,
    Golomb = 14,
});

codes!(HashAlgorithm {
    Xxh3 = 1,
    Xxh64 = 2,
    SipHash13 = 3,
    SipHash24 = 4,
});

/// A parameter of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The number of bits.
    Bits,
    /// The number of positions per key.
    Probes,
    /// The number of lines.
    Lines,
    /// The number of bits of a slot.
    FingerprintBits,
    /// The number of slots.
    Slots,
    /// The number of bits of a remainder.
    RemainderBits,
    /// The number of blocks.
    Blocks,
    /// The number of parts that were solved each for itself.
    Shards,
    /// The logarithm of the slots of a segment.
    SegmentBits,
    /// The number of segments in which a key's first slot may be.
    Segments,
    /// The number of buckets of a coded set.
    Buckets,
    /// The number of values a bucket may hold.
    Width,
    /// The low bits of a distance that are written as they are.
    RiceBits,
    /// The number of bits of all codes.
    CodeBits,
    /// The number of bits of a bucket's entry in the index.
    OffsetBits,
    /// How far before its even place a bucket begins whose entry is 0.
    OffsetBias,
    /// The code of the family of a composition's parts.
    Base,
    /// How many times the capacity of a layer the next one has.
    Growth,
    /// The rate that the whole stays below, in units of 2^-64.
    Rate,
    /// The most layers there may be.
    MostLayers,
    /// The capacity of each layer.
    Capacities,
    /// The number of keys in each layer, or of sightings in each bucket.
    Lens,
    /// How long a sighting is remembered.
    Window,
    /// How much longer it may be.
    Step,
    /// The latest time.
    Clock,
    /// The name of what extracts prefixes.
    Extractor,
    /// Whether whole keys are there too.
    WholeKeys,
}

codes!(Field {
    Bits = 1,
    Probes = 2,
    Lines = 3,
    FingerprintBits = 4,
    Slots = 5,
    RemainderBits = 6,
    Blocks = 7,
    Shards = 8,
    SegmentBits = 9,
    Segments = 10,
    Buckets = 23,
    Width = 24,
    RiceBits = 25,
    CodeBits = 26,
    OffsetBits = 27,
    OffsetBias = 28,
    Base = 30,
    Growth = 31,
    Rate = 32,
    MostLayers = 33,
    Capacities = 34,
    Lens = 35,
    Window = 36,
    Step = 37,
    Clock = 38,
    Extractor = 39,
    WholeKeys = 40,
});

impl Field {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Probes => "probes",
            Self::Lines => "lines",
            Self::FingerprintBits => "fingerprint_bits",
            Self::Slots => "slots",
            Self::RemainderBits => "remainder_bits",
            Self::Blocks => "blocks",
            Self::Shards => "shards",
            Self::SegmentBits => "segment_bits",
            Self::Segments => "segments",
            Self::Buckets => "buckets",
            Self::Width => "width",
            Self::RiceBits => "rice_bits",
            Self::CodeBits => "code_bits",
            Self::OffsetBits => "offset_bits",
            Self::OffsetBias => "offset_bias",
            Self::Base => "base",
            Self::Growth => "growth",
            Self::Rate => "rate",
            Self::MostLayers => "most_layers",
            Self::Capacities => "capacities",
            Self::Lens => "lens",
            Self::Window => "window",
            Self::Step => "step",
            Self::Clock => "clock",
            Self::Extractor => "extractor",
            Self::WholeKeys => "whole_keys",
        }
    }
}

/// A part of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The bits of a bitmap.
    Bitmap,
    /// A cuckoo table.
    Table,
    /// A quotient table.
    Quotient,
    /// Four-bit counters.
    Counters,
    /// Fingerprints that were solved for, and the seeds they were solved under.
    Fingerprints,
    /// Golomb–Rice codes and their index.
    Codes,
}

codes!(Section {
    Bitmap = 1,
    Table = 2,
    Quotient = 3,
    Counters = 4,
    Fingerprints = 10,
    Codes = 20,
});

/// Parameters with this bit describe and do not shape: a reader skips those it does not know.
pub(crate) const ANCILLARY: u16 = 0x8000;
