//! What `info` and `verify` tell of filters made of filters.

use std::path::Path;

use ruleout::{Extractor, PrefixConfig, Scalable, WindowedConfig};

use crate::support::Sandbox;

fn golden(name: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/v1");
    directory.join(name).to_str().unwrap().to_owned()
}

/// The rate asked for, each layer's own, and the bits per key of each are told apart: B035.
#[test]
fn each_layer_is_shown() {
    let here = Sandbox::new();
    let path = golden("scalable-bloom.rlo");
    let run = here.run(&["info", &path]).ok();
    let text = run.text();
    let layer = |i: usize| text.lines().nth_back(4 - i).unwrap().split_whitespace().collect::<Vec<_>>();
    assert!(text.contains("rate below 35.00 %"), "{text}");
    assert_eq!(layer(0), ["0", "20", "20", "6.800", "17", "B", "4.375", "%", "4.283", "%"]);
    assert_eq!(layer(4)[..4], ["4", "223", "320", "7.650"]);

    let json = here.run(&["info", "--json", &path]).ok().json();
    let layers = json["layers"].as_array().unwrap();
    let file = std::fs::read(&path).unwrap();
    let filter = Scalable::open_verified(&file[..]).unwrap();
    assert_eq!(layers.len(), filter.layers().len());
    let (mut sum, mut misses) = (0.0, 1.0);
    for (shown, layer) in layers.iter().zip(filter.layers()) {
        assert_eq!(shown["keys"], layer.keys());
        let is = |name: &str, value: f64| (shown[name].as_f64().unwrap() / value - 1.0).abs() < 1e-12;
        assert!(
            is("bits_per_key", layer.params().bits_per_key()) && is("fpr_at_most", layer.fpr()),
            "{shown}"
        );
        sum += layer.fpr();
        misses *= 1.0 - shown["fpr_now"].as_f64().unwrap();
    }
    let (asked, now) = (json["fpr_at_most"].as_f64().unwrap(), json["fpr_now"].as_f64().unwrap());
    assert!((asked - 0.35).abs() < 1e-9 && sum < asked, "{sum} of {asked}");
    assert!((now - (1.0 - misses)).abs() < 1e-12, "{now}");
}

/// When one step had all the sightings, the rate is higher than when each had its share: `info` tells that of the bits.
#[test]
fn a_step_that_had_all_is_seen_in_the_rate() {
    let here = Sandbox::new();
    let mut seen = WindowedConfig::fpr(60, 20, 1000, 0.01).build().unwrap();
    for i in 0..4000u64 {
        seen.observe(&i.to_le_bytes(), 45);
    }
    here.write("f", seen.to_bytes());
    let json = here.run(&["info", "--json", "f"]).ok().json();
    let (said, found) = (json["fpr_now"].as_f64().unwrap(), seen.expected_fpr());
    assert!(said > 0.2 && (said / found - 1.0).abs() < 0.1, "{said} said, {found} found");
    assert_eq!((&json["steps"][2]["begin"], &json["steps"][2]["sightings"]), (&40.into(), &4000.into()));
    let run = here.run(&["info", "f"]).ok();
    assert!(run.text().contains("window 60, step 20, clock 45"), "{}", run.text());
}

/// How full a filter of prefixes is, the number of keys does not tell: a thousand have one prefix, or a thousand.
#[test]
fn prefixes_are_not_taken_for_keys() {
    let here = Sandbox::new();
    for (extractor, whole_keys) in [(Extractor::fixed(2), false), (Extractor::fixed(6), true)] {
        let recipe = PrefixConfig::fpr(extractor, 1200, 0.01);
        let recipe = if whole_keys { recipe } else { recipe.prefixes_only() };
        let mut filter = recipe.build().unwrap();
        (10_000_000..10_002_000).for_each(|i: u64| drop(filter.insert(i.to_string().as_bytes())));
        here.write("f", filter.to_bytes());
        let run = here.run(&["info", "--json", "f"]).ok();
        assert_eq!((&run.json()["fpr_now"], &run.json()["over_capacity"]), (&().into(), &false.into()));
        assert_eq!(run.stderr, "");
        assert!(here.run(&["info", "f"]).ok().text().contains("unknown; verify reads it off the bits"));
        let run = here.run(&["verify", "--json", "f"]).ok();
        assert_eq!(run.json()[0]["over_capacity"], whole_keys);
    }
}
