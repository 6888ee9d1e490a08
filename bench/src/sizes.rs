//! How large filters are that are built once, in units of the fewest bits there can be.

use ruleout_testkit::keys;

use crate::engines::{BYTE, built_once};

/// Prints bits per key over log2(1/ε), ε being the rate of fingerprints of a byte, for every engine and number of keys.
pub fn print() {
    let sizes: Vec<usize> = (3..=7).map(|decade| 10usize.pow(decade)).collect();
    println!("bits per key over log2(1/rate), at a rate of 2^-8; in brackets the bits above it");
    print!("{:<28}", "engine");
    sizes.iter().for_each(|keys| print!(" {:>15}", format!("{keys} keys")));
    println!();
    for engine in built_once() {
        print!("{:<28}", engine.name());
        for &n in &sizes {
            let members: Vec<u64> = keys::members(n as u64).collect();
            let bits = engine.build(&members, BYTE).bytes() as f64 * 8.0 / n as f64;
            let floor = -BYTE.log2();
            print!(" {:>15}", format!("{:.3} (+{:.2})", bits / floor, bits - floor));
        }
        println!();
    }
}
