//! Filters that many threads insert into at once.

use std::collections::HashSet;
use std::sync::Barrier;
use std::thread;

use ruleout::{Changing, HashFilter, Inserted, Len, Native};

use super::assert_finds_all;
use crate::frame::payload;
use crate::keys::members;
use crate::stats::{REJECT_CORRECT, binomial_interval};
use crate::{Inserting, Recipe, Subject};

/// Enough to race on any machine.
const THREADS: usize = 16;

/// How a plain filter of parameters `P` becomes the shared one `A`, takes a key, and comes back.
///
/// The functions of the type itself, since the bounds of the library's own concurrent type cannot be named here.
#[derive(Clone, Copy)]
pub struct Twin<P, A> {
    /// Shares a plain filter.
    pub share: fn(Native<P>) -> A,
    /// Inserts a hash.
    pub insert: fn(&A, u64) -> Inserted,
    /// Inserts many hashes and counts the new ones.
    pub insert_many: fn(&A, &[u64]) -> usize,
    /// Gives the plain filter back.
    pub freeze: fn(A) -> Native<P>,
}

fn empty<P: Changing>(capacity: u64) -> Native<P> {
    let params = P::for_goal(capacity, Recipe::fpr(capacity, 0.01).goal).expect("an ordinary recipe");
    Native::new(params, ruleout::Hasher::default()).expect("it is small")
}

/// Runs `work(t)` in every thread `t` at the same moment.
fn race<T: Send>(work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|t| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(t)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    })
}

/// Threads that insert the same keys: each key is new to one of them at least, save for the false positives, and
/// all are found: B155.
pub fn the_same_keys_from_all_threads<P: Changing, A: HashFilter + Sync>(twin: &Twin<P, A>)
where
    Native<P>: ruleout::Insert,
{
    let hashes: Vec<u64> = members(10_000).collect();
    let shared = (twin.share)(empty(hashes.len() as u64));
    let new: Vec<HashSet<u64>> = race(|_| {
        let is_new = |hash: &u64| (twin.insert)(&shared, *hash) == Inserted::New;
        hashes.iter().copied().filter(is_new).collect()
    });
    assert_finds_all(&shared, &hashes);
    let told: usize = new.iter().map(HashSet::len).sum();
    let distinct: HashSet<u64> = new.into_iter().flatten().collect();
    // The rate is 1 % when all are in, and lower on the way.
    let taken_for_seen = *binomial_interval(hashes.len() as u64, 0.01, REJECT_CORRECT).end() as usize;
    assert!(distinct.len() >= hashes.len() - taken_for_seen, "{} keys were new to someone", distinct.len());
    assert!(told >= distinct.len());

    let frozen = (twin.freeze)(shared);
    assert_eq!(frozen.len(), Len::AtMost((THREADS * hashes.len()) as u64));
    assert_as_sequential(&frozen, &hashes);
}

/// Threads that insert different keys into the same words lose none.
pub fn different_keys_from_all_threads<P: Changing, A: HashFilter + Sync>(twin: &Twin<P, A>)
where
    Native<P>: ruleout::Insert,
{
    let hashes: Vec<u64> = members(100_000).collect();
    let shared = (twin.share)(empty(hashes.len() as u64));
    let parts: Vec<Vec<u64>> =
        (0..THREADS).map(|t| hashes.iter().copied().skip(t).step_by(THREADS).collect()).collect();
    race(|t| {
        let (single, many) = parts[t].split_at(100);
        single.iter().for_each(|&hash| {
            (twin.insert)(&shared, hash);
        });
        (twin.insert_many)(&shared, many);
        // What a thread inserted it finds, while the others still run.
        assert_finds_all(&shared, &parts[t]);
    });
    let frozen = (twin.freeze)(shared);
    assert_eq!(frozen.len(), Len::AtMost(hashes.len() as u64));
    assert_as_sequential(&frozen, &hashes);
}

/// Alone, it does what the plain filter does: same answers, same bytes, for what was there before too.
pub fn one_thread_does_as_the_plain_filter<P: Changing, A: HashFilter>(twin: &Twin<P, A>)
where
    Native<P>: ruleout::Insert,
{
    use ruleout::Insert;
    let hashes: Vec<u64> = members(3000).collect();
    let mut plain = empty::<P>(2000);
    plain.try_insert_hashes(&hashes[..1000]).expect("room");
    let shared = (twin.share)(plain.clone());
    for hash in &hashes[500..2000] {
        assert_eq!(Ok((twin.insert)(&shared, *hash)), plain.try_insert_hash(*hash));
    }
    assert_eq!(Ok((twin.insert_many)(&shared, &hashes[1500..])), plain.try_insert_hashes(&hashes[1500..]));
    let mut hits = ruleout::Mask::new();
    shared.may_contain_hashes(&hashes, &mut hits);
    assert_eq!(hits.count_ones(), hashes.len());
    assert_eq!(
        (shared.hash_id(), shared.size_bytes()),
        (plain.hash_id(), ruleout::Filter::size_bytes(&plain))
    );
    assert_eq!((twin.freeze)(shared).to_bytes(), plain.to_bytes());
}

/// The payload is that of a filter into which one thread put `hashes` in order.
#[track_caller]
fn assert_as_sequential<P: Changing>(filter: &Native<P>, hashes: &[u64])
where
    Native<P>: ruleout::Insert,
{
    let recipe = Recipe::fpr(filter.capacity(), 0.01);
    let plain = super::built::<Inserting<P>>(&recipe, hashes);
    assert_eq!(payload(&filter.to_bytes()), payload(&Inserting::<P>::save(&plain)));
}
