//! Batches answer as single queries do.

use ruleout::{Filter, HashFilter, Mask};

use super::{KEYS, as_any, built, member_hashes, small_recipe};
use crate::Subject;
use crate::keys::probes;

/// Batch sizes around the width of a word, below and above any look-ahead.
pub const BATCHES: [usize; 9] = [1000, 65, 64, 63, 17, 16, 7, 1, 0];

/// Batches of every size give the answers of single queries, in a mask that is used again and again.
pub fn batches_answer_as_single_queries<S: Subject>() {
    let recipe = small_recipe();
    let members = member_hashes(KEYS);
    let filter = built::<S>(&recipe, &members);
    let file = S::save(&filter);
    let view = S::open(&file[..], &recipe.options()).expect("its own file");
    assert_batches_answer(&filter, &view, &members);
}

/// A filter of whichever family gives the same answers, singly and in batches of every size.
pub fn whichever_family_it_answers_the_same<S: Subject>() {
    let recipe = small_recipe();
    let members = member_hashes(KEYS);
    let filter = built::<S>(&recipe, &members);
    let file = S::save(&filter);
    assert_batches_answer(&filter, &as_any(&file, &recipe), &members);
}

/// Members and absent keys by turns are answered in batches of both filters as singly by the first.
#[track_caller]
fn assert_batches_answer(filter: &impl HashFilter, twin: &impl HashFilter, members: &[u64]) {
    let asked: Vec<u64> = members.iter().copied().zip(probes(KEYS)).flat_map(|(a, b)| [a, b]).collect();
    let mut hits = Mask::new();
    for size in BATCHES {
        for batch in asked.chunks(size.max(1)).map(|chunk| &chunk[..size.min(chunk.len())]) {
            let single: Vec<bool> = batch.iter().map(|&hash| filter.may_contain_hash(hash)).collect();
            filter.may_contain_hashes(batch, &mut hits);
            assert_is(&hits, &single);
            twin.may_contain_hashes(batch, &mut hits);
            assert_is(&hits, &single);
            assert!(batch.iter().map(|&hash| twin.may_contain_hash(hash)).eq(single));
        }
    }
}

/// The mask says what `answers` do, in each way it can be read.
#[track_caller]
fn assert_is(mask: &Mask, answers: &[bool]) {
    assert_eq!(mask.len(), answers.len());
    assert_eq!(mask.is_empty(), answers.is_empty());
    assert!(mask.iter().eq(answers.iter().copied()));
    assert!(answers.iter().enumerate().all(|(i, &answer)| mask.get(i) == answer));
    assert!(mask.ones().eq((0..answers.len()).filter(|&i| answers[i])));
    assert_eq!(mask.count_ones(), mask.ones().count());
    assert_eq!(mask.words().len(), answers.len().div_ceil(64));
    if let (Some(last), rest @ 1..) = (mask.words().last(), answers.len() % 64) {
        assert_eq!(last >> rest, 0, "bits past the end");
    }
}

/// A key is asked for by its hash under the filter's identity.
pub fn a_key_is_its_hash<S: Subject>() {
    for identity in crate::hashers::identities() {
        let recipe = identity.apply(&small_recipe());
        let keys: Vec<Vec<u8>> = (0..100).map(|len| (0..len).collect()).collect();
        let hashes: Vec<u64> = keys.iter().step_by(2).map(|key| recipe.hasher.hash(key)).collect();
        let filter = built::<S>(&recipe, &hashes);
        assert_eq!(filter.hash_id(), recipe.hasher.id());
        for key in &keys {
            assert_eq!(filter.may_contain(key), filter.may_contain_hash(recipe.hasher.hash(key)), "{key:?}");
        }
        assert!(keys.iter().step_by(2).all(|key| filter.may_contain(key)));
    }
}
