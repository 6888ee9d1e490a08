//! The occupancy of a few given bins, followed throw by throw.

use super::{MAX_PROBES, PerBins, distinct_bins};

/// The state of `m` bins after the throws so far, seen by `k` probes.
///
/// For each `i ≤ k` it holds `A(i,t)`, the probability that `i` given bins are all occupied. Look at the
/// first of `t + 1` throws: with probability `i/m` it meets one of the `i` bins, and `i − 1` of them are left
/// to the other `t` throws; else all `i` are.
///
/// ```text
/// A(i, t+1)  =  i/m · A(i−1, t)  +  (1 − i/m) · A(i, t),        A(0, t) = 1,   A(i, 0) = 0 for i > 0
/// ```
///
/// All terms are positive, so rounding errors only add up: to about `t` units in the last place at worst.
#[derive(Clone, Debug)]
pub struct Chain {
    /// `D(k,i)`: how likely the probes are to meet `i` distinct bins.
    weights: PerBins,
    /// `A(i,t)`.
    occupied: PerBins,
    /// `i/m`: the next throw meets one of `i` given bins.
    meets: PerBins,
    /// The largest number of distinct bins that the probes can meet: `min(k, m)`.
    most: usize,
}

impl Chain {
    /// Empty bins: `bins` of them, later met by `probes` throws.
    ///
    /// Fewer than one bin is taken as one, more than [`MAX_PROBES`] probes as that many.
    ///
    /// # Complexity
    ///
    /// `O(k²)` time; 1.5 KiB, no allocation.
    pub fn new(bins: u64, probes: u32) -> Self {
        let bins = bins.max(1);
        let most = u64::from(probes.min(MAX_PROBES)).min(bins) as usize;
        let mut occupied = [0.0; MAX_PROBES as usize + 1];
        occupied[0] = 1.0;
        let mut meets = occupied;
        for (i, chance) in meets.iter_mut().enumerate().take(most + 1) {
            *chance = i as f64 / bins as f64;
        }
        Self { weights: distinct_bins(bins, probes), occupied, meets, most }
    }

    /// Makes one more throw.
    ///
    /// # Complexity
    ///
    /// `O(k)` time.
    pub fn throw(&mut self) {
        for i in (1..=self.most).rev() {
            let meets = self.meets[i];
            self.occupied[i] = meets * self.occupied[i - 1] + (1.0 - meets) * self.occupied[i];
        }
    }

    /// The probability that all probes meet occupied bins, given the throws so far.
    ///
    /// # Complexity
    ///
    /// `O(k)` time.
    pub fn all_occupied(&self) -> f64 {
        let terms = self.weights.iter().zip(&self.occupied).take(self.most + 1);
        terms.map(|(weight, occupied)| weight * occupied).sum::<f64>().min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bins_by_hand() {
        let mut chain = Chain::new(2, 2);
        assert_eq!(chain.all_occupied(), 0.0);
        chain.throw();
        // One bin of two is occupied: both probes must meet it.
        assert_eq!(chain.all_occupied(), 0.25);
        chain.throw();
        // Half the time both bins are occupied.
        assert_eq!(chain.all_occupied(), 0.625);
    }
}
