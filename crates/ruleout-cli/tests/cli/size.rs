//! `size`: the table, and the numbers that could break it.

use crate::support::Sandbox;

#[test]
fn the_table_has_a_row_for_each_family() {
    let here = Sandbox::new();
    let run = here.run(&["size", "-n", "1e9", "-p", "1%"]).ok();
    for part in ["bloom", "blocked", "bits/key", "probes", "1,199,119,342", "6.644"] {
        assert!(run.text().contains(part), "{part} is not in\n{}", run.text());
    }
    let json = here.run(&["size", "-n", "1e9", "--json"]).ok().json();
    assert_eq!(json["keys"], 1_000_000_000);
    let bloom = &json["families"][0];
    assert_eq!((&bloom["family"], &bloom["probes"]), (&"bloom".into(), &7.into()));
    assert_eq!(bloom["size_bytes"], 1_199_119_342u64);
    assert!(bloom["fpr"].as_f64().unwrap() <= 0.01);
}

#[test]
fn a_budget_gives_a_rate() {
    let here = Sandbox::new();
    let json = here.run(&["size", "-n", "1e9", "--memory", "1GiB", "--json"]).ok().json();
    for row in json["families"].as_array().unwrap() {
        // It grows: there is no size to aim for.
        if row["family"] == "scalable" {
            assert!(row["error"].as_str().is_some_and(|error| error.contains("not a size")), "{row}");
            continue;
        }
        assert!(row["size_bytes"].as_u64().unwrap() <= 1 << 30);
        let rate = row["fpr"].as_f64().unwrap();
        assert!(rate > 0.0 && rate < 1.0, "{rate}");
        if ["bloom", "blocked"].contains(&row["family"].as_str().unwrap()) {
            assert!(rate > 0.015 && rate < 0.019, "{rate}");
        }
    }
    let json = here.run(&["size", "-n", "10M", "--bits-per-key", "10", "--json"]).ok().json();
    assert!(json["families"][1]["fpr"].as_f64().unwrap() < 0.0097);
}

#[test]
fn sizes_grow_with_the_number_of_keys_and_never_wrap() {
    let here = Sandbox::new();
    let mut last = 0;
    for power in 0..=16 {
        let keys = format!("1e{power}");
        let json = here.run(&["size", "-n", &keys, "-p", "1%", "--json"]).ok().json();
        let bytes = json["families"][0]["size_bytes"].as_u64().unwrap();
        assert!(bytes > last, "{keys}: {bytes}");
        last = bytes;
    }
    here.run(&["size", "-n", "0"]).ok();
    for args in [["-n", "1e20"], ["-n", "-1"], ["-n", "1e999999999"], ["-n", "x"]] {
        here.run(&["size", args[0], args[1]]).fails(&["--keys"]);
    }
    here.run(&["size", "-n", "18446744073709551615"]).fails(&[]);
    here.run(&["size"]).fails(&["--keys"]);
}

#[test]
fn a_family_that_cannot_is_shown_with_its_reason() {
    let here = Sandbox::new();
    // A blocked filter has one line of 64 bytes at least; a Bloom filter takes any size.
    let run = here.run(&["size", "-n", "1e15", "--memory", "1"]).ok();
    let blocked = run.text().lines().find(|line| line.starts_with("blocked ")).unwrap();
    assert!(blocked.split_whitespace().skip(1).all(|cell| cell == "-"), "{blocked}");
    assert!(run.text().contains("\nblocked is not possible: "), "{}", run.text());
    let json = here.run(&["size", "-n", "1e15", "--memory", "1", "--json"]).ok().json();
    assert_eq!(json["families"][0]["size_bytes"], 1);
    assert!(
        json["families"][1]["error"].is_string() && json["families"][1]["size_bytes"].is_null(),
        "{json}"
    );
    // No family at all: an error, said once.
    let run = here.run(&["size", "-n", "1000", "-p", "1e-300"]).fails(&["64-bit hashes"]);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn rates_that_come_in_steps_are_explained() {
    let here = Sandbox::new();
    let run = here.run(&["size", "-n", "1e6", "-p", "1%"]).ok();
    assert!(
        run.text().contains("\ncuckoo, quotient, fuse, fuse4: fingerprints have whole bits"),
        "{}",
        run.text()
    );
    for close in [["-p", "0.79%"], ["--bits-per-key", "12"]] {
        let run = here.run(&[&["size", "-n", "1e6"][..], &close].concat()).ok();
        assert!(!run.text().contains("whole bits"), "{}", run.text());
    }
}
