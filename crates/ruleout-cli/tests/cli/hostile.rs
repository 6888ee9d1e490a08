//! Files made to break the command.

use crate::support::{Sandbox, families, header_len, lines};

/// Makes `count` files of `original`, each damaged by `damage`, and demands that every command refuses each with one
/// line and, on Linux, within 256 MiB of address space.
fn all_refused(here: &Sandbox, mutants: &[Vec<u8>]) {
    for (number, mutant) in mutants.iter().enumerate() {
        here.write("mutant", mutant);
        for command in ["info mutant", "verify mutant", "check mutant keys", "merge mutant f -o out"] {
            let run = limited(here, command);
            let run = run.fails(&["mutant: "]);
            assert_eq!(run.stderr.lines().count(), 1, "mutant {number}: {}", run.stderr);
        }
    }
    assert!(!here.path("out").exists());
}

#[cfg(target_os = "linux")]
fn limited(here: &Sandbox, command: &str) -> crate::support::Run {
    here.shell(&format!("ulimit -v 262144; exec \"$RULEOUT\" {command}"))
}

#[cfg(not(target_os = "linux"))]
fn limited(here: &Sandbox, command: &str) -> crate::support::Run {
    here.run(&command.split(' ').collect::<Vec<_>>())
}

fn with_filter(family: &str) -> (Sandbox, Vec<u8>) {
    let here = Sandbox::new();
    here.write("keys", lines("key", 100));
    here.run(&["build", "keys", "-o", "f", "--family", family]).ok();
    let bytes = here.read("f");
    (here, bytes)
}

#[test]
fn damaged_headers_are_refused_by_every_command() {
    for family in families() {
        let (here, original) = with_filter(family);
        // Every byte of the header, one bit of each: which one changes from byte to byte.
        let mutants: Vec<Vec<u8>> = (0..header_len(&original))
            .step_by(3)
            .map(|at| {
                let mut mutant = original.clone();
                mutant[at] ^= 1 << (at % 8);
                mutant
            })
            .collect();
        all_refused(&here, &mutants);
    }
}

#[test]
fn huge_claims_under_a_right_checksum_allocate_nothing() {
    let (here, original) = with_filter("bloom");
    let mut mutants = Vec::new();
    for at in (16..128).step_by(8).filter(|&at| at != 56) {
        for value in [u64::MAX, 1 << 60, 1 << 63] {
            let mut mutant = original.clone();
            mutant[at..at + 8].copy_from_slice(&value.to_le_bytes());
            reseal(&mut mutant);
            mutants.push(mutant);
        }
    }
    let mut refused = 0;
    for mutant in &mutants {
        here.write("mutant", mutant);
        for command in ["info mutant", "verify mutant", "check mutant keys"] {
            let run = limited(&here, command);
            assert!(matches!(run.code, Some(0..=2)), "{command}: {run:?}");
            assert!(run.stderr.lines().count() <= 1 && !run.stderr.contains("panicked"), "{}", run.stderr);
            refused += usize::from(run.code == Some(2));
        }
    }
    // A seed, a capacity or a length may be anything; sizes and counts may not.
    assert!(refused > mutants.len(), "{refused} of {}", 3 * mutants.len());
}

/// Gives a header the checksum that its bytes have.
fn reseal(file: &mut [u8]) {
    file[56..64].fill(0);
    if let Some(header) = file.get(..header_len(file)) {
        let sum = xxhash_rust::xxh64::xxh64(header, 0);
        file[56..64].copy_from_slice(&sum.to_le_bytes());
    }
}

#[test]
fn truncated_and_foreign_files_are_refused() {
    let (here, original) = with_filter("blocked");
    let mut mutants: Vec<Vec<u8>> =
        [1, 4, 8, 63, 64, 65, 127, 128, 129, original.len() - 1].map(|len| original[..len].to_vec()).into();
    mutants.push(Vec::new());
    mutants.push(vec![1, 1]);
    mutants.push(b"SQLite format 3\0".repeat(8));
    mutants.push([&original[..], &original[..]].concat());
    all_refused(&here, &mutants);
}
