//! Oracles and suites.
