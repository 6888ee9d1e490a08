//! Finding where a monotone condition turns true.

/// The smallest integer in `1..=u64::MAX` at which `holds` is true, or `None` if it is false even at the end.
///
/// `holds` must be false up to some point and true from there on. The search gallops away from `guess` in
/// steps of 1, 2, 4 …, then bisects: when the guess is off by `d` it costs about `2·log2(d)` evaluations.
/// Should rounding make `holds` flicker near the boundary, the answer is still a true integer whose
/// predecessor is false.
pub(super) fn smallest(guess: u64, mut holds: impl FnMut(u64) -> bool) -> Option<u64> {
    let guess = guess.max(1);
    // Invariant from here on: `holds` is false at `low` (0 counts as false) and true at `high`.
    let (mut low, mut high);
    let mut step = 1_u64;
    if holds(guess) {
        (low, high) = (0, guess);
        while high > 1 {
            let next = high.saturating_sub(step).max(1);
            if !holds(next) {
                low = next;
                break;
            }
            high = next;
            step = step.saturating_mul(2);
        }
    } else {
        (low, high) = (guess, guess);
        while high == low {
            if low == u64::MAX {
                return None;
            }
            let next = low.saturating_add(step);
            if holds(next) {
                high = next;
            } else {
                (low, high) = (next, next);
            }
            step = step.saturating_mul(2);
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// The largest integer at which `holds` is true, where `holds` is true up to some point and false from there
/// on; 0 when it is false at 1, `u64::MAX` when it is never false.
pub(super) fn largest(guess: u64, mut holds: impl FnMut(u64) -> bool) -> u64 {
    smallest(guess.saturating_add(1), |x| !holds(x)).map_or(u64::MAX, |first_false| first_false - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_boundary_from_every_guess() {
        let places = [1, 2, 3, 17, 1000, 1 << 40, u64::MAX - 1, u64::MAX];
        for boundary in places {
            for guess in [0, 1, 2, 999, 1 << 33, u64::MAX] {
                let mut calls = 0;
                let found = smallest(guess, |x| {
                    calls += 1;
                    x >= boundary
                });
                assert_eq!(found, Some(boundary), "from {guess}");
                assert!(calls < 140, "{calls} evaluations");
                assert_eq!(largest(guess, |x| x < boundary), boundary - 1, "from {guess}");
            }
        }
        assert_eq!(smallest(5, |_| false), None);
        assert_eq!(largest(5, |_| true), u64::MAX);
    }
}
