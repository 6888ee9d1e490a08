//! Two caches tell each other what they hold, in a digest, and route by it what they miss, as Squid's do.
//!
//! ```text
//! cargo run --release --example cache_digests -- urls.txt      one a line; by turns asked of either cache; - for standard input
//! cargo run --release --example cache_digests                  requests made up here
//! ```
//!
//! Whoever does not have an object looks into the other's digest before going to its origin. A digest is a Bloom filter's file,
//! opened where it was received. "Absent" saves asking; "maybe" is asked, and is a *false hit* when the other does not have it:
//! because the filter took it for another, against which more bits help, or because the digest has grown old, against which
//! sending it more often does. An old digest costs hits as well: what came since is missed.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

use ruleout::{Bloom, BloomConfig};

/// Objects that a cache has room for.
const ROOM: usize = 5_000;
/// What a digest has for each: 5 is Squid's.
const BITS_PER_OBJECT: [f64; 3] = [2.0, 5.0, 10.0];
/// Requests from one exchange of digests to the next.
const EXCHANGE_EVERY: [usize; 2] = [2_000, 10_000];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let requests = match std::env::args().nth(1).as_deref() {
        None => made_up_requests(),
        Some("-") => io::stdin().lock().lines().collect::<Result<_, _>>()?,
        Some(path) => BufReader::new(File::open(path)?).lines().collect::<Result<_, _>>()?,
    };
    report(&requests, &mut io::stdout().lock())
}

/// What came of these requests, for each size of digest and each time between two.
pub fn report(requests: &[String], out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    writeln!(out, "{} requests of two caches with room for {ROOM} objects each", requests.len())?;
    writeln!(out, "{:>48}{:>24}{:>36}", "", "of the other, hits", "false hits, by")?;
    let heads =
        ["bits", "every", "digests, kB", "own hits", "found", "missed", "age", "filter", "its rate, %"];
    writeln!(out, "{}", heads.map(|head| format!("{head:>12}")).concat())?;
    for every in EXCHANGE_EVERY {
        for bits in BITS_PER_OBJECT {
            let seen = route(requests, bits, every)?;
            let kilobytes = format!("{:.0}", seen.digest_bytes as f64 / 1e3);
            let rate = format!("{:.3}", 100.0 * seen.false_by_filter as f64 / seen.absent.max(1) as f64);
            let counts = [seen.own_hits, seen.hits, seen.missed, seen.false_by_age, seen.false_by_filter];
            write!(out, "{bits:>12}{every:>12}{kilobytes:>12}")?;
            writeln!(out, "{}{rate:>12}", counts.map(|count| format!("{count:>12}")).concat())?;
        }
    }
    Ok(())
}

/// What came of the requests.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Sent from one cache to the other, both ways.
    pub digest_bytes: usize,
    /// Objects that were where they were asked for.
    pub own_hits: u64,
    /// Objects that the other cache was asked for, and had.
    pub hits: u64,
    /// Objects that the other cache had, and was not asked for: they came after its digest.
    pub missed: u64,
    /// The other cache was asked for what it had when it made its digest.
    pub false_by_age: u64,
    /// The other cache was asked for what it did not have then either.
    pub false_by_filter: u64,
    /// Out of so many such objects.
    pub absent: u64,
}

/// Sends requests by turns to two caches that exchange digests of `bits` an object whenever `every` requests have come.
pub fn route(requests: &[String], bits: f64, every: usize) -> Result<Outcome, Box<dyn std::error::Error>> {
    let mut caches = [Cache::default(), Cache::default()];
    // Of each cache, as the other has it. The first are exchanged before the first request.
    let mut digests = [Vec::new(), Vec::new()];
    // Known to nobody but this program, to tell the reasons apart.
    let mut digested = [HashSet::new(), HashSet::new()];
    let mut seen = Outcome::default();
    for (i, url) in requests.iter().enumerate() {
        if i % every == 0 {
            for side in [0, 1] {
                digests[side] = caches[side].digest(bits)?;
                digested[side] = caches[side].objects.clone();
                seen.digest_bytes += digests[side].len();
            }
        }
        let (here, there) = (i % 2, 1 - i % 2);
        if caches[here].objects.contains(url) {
            seen.own_hits += 1;
            continue;
        }
        let maybe = Bloom::open(&digests[there][..])?.may_contain(url.as_bytes());
        let is_there = caches[there].objects.contains(url);
        let was_there = digested[there].contains(url);
        seen.absent += u64::from(!was_there);
        match (maybe, is_there) {
            (true, true) => seen.hits += 1,
            (true, false) if was_there => seen.false_by_age += 1,
            (true, false) => seen.false_by_filter += 1,
            (false, true) => seen.missed += 1,
            (false, false) => (),
        }
        caches[here].admit(url);
    }
    Ok(seen)
}

/// Objects by their URLs, of which the oldest goes first.
#[derive(Default)]
struct Cache {
    objects: HashSet<String>,
    by_age: VecDeque<String>,
}

impl Cache {
    fn admit(&mut self, url: &str) {
        if self.by_age.len() == ROOM {
            self.by_age.pop_front().map(|oldest| self.objects.remove(&oldest));
        }
        self.objects.insert(url.to_owned());
        self.by_age.push_back(url.to_owned());
    }

    /// The file that goes over the wire.
    fn digest(&self, bits: f64) -> Result<Vec<u8>, ruleout::ConfigError> {
        let mut digest = BloomConfig::bits_per_key(ROOM as u64, bits).build()?;
        for url in &self.objects {
            digest.insert(url.as_bytes());
        }
        Ok(digest.to_bytes())
    }
}

/// A few URLs are asked for again and again, most seldom.
pub fn made_up_requests() -> Vec<String> {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let requests = (0..200_000).map(|_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // As often the first object as one of the next two, one of the next four, and so on.
        let object = (random >> 8) & ((1 << (random % 18)) - 1);
        format!("https://cdn.example/objects/{object:x}")
    });
    requests.collect()
}
