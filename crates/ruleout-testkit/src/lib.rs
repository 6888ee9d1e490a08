//! Oracles and suites.

pub mod keys;
pub mod stats;
