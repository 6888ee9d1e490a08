//! The upper tail of the Binomial distribution, for events that hardly ever happen.

use super::elementary::{exp, ln, ln_1p};

/// Terms below this share of the sum so far are dropped; they fall off geometrically.
const NEGLIGIBLE: f64 = 1e-18;

/// `P(X ≥ at_least)` for `X ~ Binomial(trials, chance)`.
///
/// Below the mean the tail is summed upwards from its first term, so that a probability of `10⁻¹⁰⁰` keeps its
/// digits; above, its complement, which is then less than about half. A `chance` outside `[0, 1]` is clamped, NaN
/// counts as 0.
///
/// # Complexity
///
/// At most a few hundred terms.
pub(super) fn upper_tail(trials: u64, chance: f64, at_least: u8) -> f64 {
    let first = u64::from(at_least);
    if first == 0 {
        return 1.0;
    }
    if trials < first || chance.is_nan() || chance <= 0.0 {
        return 0.0;
    }
    if chance >= 1.0 {
        return 1.0;
    }
    let (n, odds) = (trials as f64, chance / (1.0 - chance));
    // P(i+1) / P(i)
    let ratio = |i: u64| (n - i as f64).max(0.0) / (i + 1) as f64 * odds;
    let upwards = n * chance < f64::from(at_least);
    let start = if upwards { first } else { first - 1 };
    let ln_start = (0..start).map(|i| ln(ratio(i))).sum::<f64>() + n * ln_1p(-chance);
    let mut term = exp(ln_start);
    let (mut sum, mut i) = (term, start);
    while term > NEGLIGIBLE * sum && if upwards { i < trials } else { i > 0 } {
        if upwards {
            term *= ratio(i);
            i += 1;
        } else {
            i -= 1;
            term /= ratio(i);
        }
        sum += term;
    }
    if upwards { sum.min(1.0) } else { (1.0 - sum).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(upper_tail(0, 0.5, 0), 1.0);
        assert_eq!(upper_tail(9, 0.5, 10), 0.0);
        assert_eq!(upper_tail(9, 0.0, 1), 0.0);
        assert_eq!(upper_tail(9, f64::NAN, 1), 0.0);
        assert_eq!(upper_tail(9, 1.0, 9), 1.0);
        assert_eq!(upper_tail(u64::MAX, 0.5, 255), 1.0);
        assert_eq!(upper_tail(u64::MAX, 1e-300, 255), 0.0);
    }

    #[test]
    fn coins() {
        for (trials, at_least, ways) in
            [(4, 1, 15), (4, 2, 11), (4, 3, 5), (4, 4, 1), (10, 8, 56), (10, 2, 1013)]
        {
            let expected = f64::from(ways) / f64::from(1 << trials);
            let tail = upper_tail(trials, 0.5, at_least);
            assert!((tail / expected - 1.0).abs() < 1e-14, "{trials} {at_least}: {tail}");
        }
        // Nearly certain successes, of which none may fail: 0.999^255.
        let tail = upper_tail(255, 0.999, 255);
        assert!((tail / 0.774_817_636_497_005_1 - 1.0).abs() < 1e-12, "{tail}");
    }

    #[test]
    fn counters_of_a_plain_counting_filter() {
        // The table's counters are chosen among m by k·n throws: P(counter ≥ 16) and P(counter ≥ 15).
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/counting_overflow.json")).unwrap();
        let rows = table["rows"].as_array().unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            let whole = |name: &str| row[name].as_u64().unwrap();
            let throws = whole("k") * whole("n");
            for (name, at_least) in [("P_counter_ge16", 16), ("P_counter_ge15_stuck", 15)] {
                let expected: f64 = row[name].as_str().unwrap().parse().unwrap();
                let found = upper_tail(throws, 1.0 / whole("m") as f64, at_least);
                assert!((found / expected - 1.0).abs() < 1e-11, "{found:e} instead of {expected:e}: {row}");
            }
        }
    }
}
