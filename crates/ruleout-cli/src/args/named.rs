//! Families and hash functions by the names the library gives them, so that a new one appears here by itself.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ruleout::{AnyParams, Family, HashAlgorithm};

/// Takes the name of a filter family.
pub fn family() -> impl TypedValueParser<Value = Family> {
    let values = AnyParams::FAMILIES.iter().map(|&family| described(family.name(), family_gist(family)));
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

/// Takes the name of a hash function.
pub fn hash() -> impl TypedValueParser<Value = HashAlgorithm> {
    let values = HashAlgorithm::ALL.iter().map(|&hash| described(hash.name(), hash_gist(hash)));
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

fn described(name: &'static str, gist: Option<&'static str>) -> PossibleValue {
    let value = PossibleValue::new(name);
    match gist {
        Some(gist) => value.help(gist),
        None => value,
    }
}

/// When to take it; a family without a line here is offered by its name alone.
fn family_gist(family: Family) -> Option<&'static str> {
    match family {
        Family::Bloom => Some("smaller, several cache misses per query"),
        Family::Blocked => Some("one cache miss per query, some per cent larger"),
        Family::SplitBlock => Some("the layout of Parquet files, larger again, up to 1 GiB"),
        Family::Counting => Some("four-bit counters: removal from a program, never full"),
        Family::CountingBits => Some("one bit for each counter of a counting filter: its snapshot"),
        Family::Cuckoo => Some("fewest bits with removal, from a program; refuses keys when full"),
        Family::Quotient => {
            Some("removal and counts, from a program; merging makes it grow; refuses keys when full")
        }
        Family::Scalable => Some("grows: layers of blocked filters, from --capacity on, within the rate"),
        Family::Fuse => {
            Some("built once: few bits, three cache misses per query; the rate is a power of two")
        }
        Family::Fuse4 => Some("built once: 5 % fewer bits than fuse, four cache misses per query"),
        Family::Golomb => Some("built once: few bits at any rate, for shipping; slow for single queries"),
        _ => None,
    }
}

fn hash_gist(hash: HashAlgorithm) -> Option<&'static str> {
    match hash {
        HashAlgorithm::Xxh3 => Some("the fastest"),
        HashAlgorithm::Xxh64 => Some("for others that have no XXH3"),
        HashAlgorithm::SipHash13 => Some("keyed, the faster one"),
        HashAlgorithm::SipHash24 => Some("keyed, the more cautious one"),
        _ => None,
    }
}
