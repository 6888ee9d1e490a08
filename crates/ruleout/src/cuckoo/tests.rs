//! Tests.
use super::*;
use crate::{Filter, HashFilter, Hasher, Insert, Params, Remove};
#[test]
fn smoke() {
    for f in [4, 5, 9, 12, 28, 29, 32] {
        let params = CuckooParams::new(900, 1000, f).unwrap();
        let mut t = Native::new(params, Hasher::default()).unwrap();
        let keys: alloc::vec::Vec<u64> = (0..900u64).map(|i| i.wrapping_mul(0x9e3779b97f4a7c15)).collect();
        let mut ok = alloc::vec::Vec::new();
        for &k in &keys {
            if t.try_insert_hash(k).is_ok() {
                ok.push(k)
            }
        }
        for &k in &ok {
            assert!(t.may_contain_hash(k));
        }
        std::println!("{f} {} {:?} {}", ok.len(), t.tally(), params.fpr_at(ok.len() as u64));
        params.check_for_test(t.payload());
        for &k in &ok {
            assert!(t.remove_hash(k));
        }
        params.check_for_test(t.payload());
        assert!(t.payload().iter().all(|&b| b == 0));
    }
}
impl CuckooParams {
    fn check_for_test(&self, p: &[u8]) {
        crate::layout::Layout::check(self, p).unwrap()
    }
}
