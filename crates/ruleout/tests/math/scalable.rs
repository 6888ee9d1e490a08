//! The series of a filter that grows, against the project's table `scalable.json`.

use ruleout::math::scalable::{fpr_of_rate, layer_rate, rate_of_fpr, union_fpr};

use crate::tables::{real, rows, table};

/// Layers' rates and the rate of the whole, for every series of the table whose tightening is 1 − 1/d.
#[test]
fn rates_of_layers_and_of_the_whole() {
    let table = table(include_str!("../data/scalable.json"));
    let mut compared = 0;
    for row in rows(&table, "rows") {
        let divisor = match row["r"].as_str().expect("a string") {
            "0.5" => 2,
            "0.8" => 5,
            "0.9" => 10,
            _ => continue,
        };
        let asked = real(&row["P"]);
        let mut rates = Vec::new();
        for (layer, stage) in (0..).zip(rows(row, "stages")) {
            let rate = fpr_of_rate(layer_rate(rate_of_fpr(asked), divisor, layer));
            assert!((rate / real(&stage["p"]) - 1.0).abs() < 1e-12, "{rate}: {stage}");
            rates.push(rate);
            let whole = union_fpr(rates.iter().copied());
            assert!((whole / real(&stage["cum_fpr"]) - 1.0).abs() < 1e-12, "{whole}: {stage}");
            assert!(whole < rates.iter().sum::<f64>() * (1.0 + 1e-15) && whole < asked);
            compared += 1;
        }
    }
    assert!(compared >= 60, "{compared} stages");
}
