//! Oracles, and the suites that every filter passes.
//!
//! A family passes the suites by one line of `crates/ruleout/tests/families.rs`:
//!
//! ```ignore
//! ruleout_testkit::bitmap_suite!(bloom, ruleout::BloomParams);
//! ```
//!
//! The line makes a module of named tests, each of which calls one function of [`suite`]; the functions hold the
//! logic, the macros only names. There is one macro per capability, and a family that has others than a bitmap's
//! lists those it has:
//!
//! ```ignore
//! mod quotient {
//!     type Subject = ruleout_testkit::Inserting<ruleout::QuotientParams>;
//!     ruleout_testkit::file_suite!(Subject);
//!     ruleout_testkit::rate_suite!(Subject);
//!     ruleout_testkit::insert_suite!(Subject);
//!     ruleout_testkit::merge_suite!(Subject);
//! }
//! ```
//!
//! What the suites need to know of a family is a [`Subject`]: how to build, open and save one. [`Inserting`] is
//! that of every family of the library's own shape that takes inserts, [`Built`] that of those built once; [`Scaling`],
//! [`Windowing`] and [`Prefixing`] are those of the compositions.
//!
//! The suites are integration tests: a unit test inside `ruleout` would see a second copy of the crate here.

pub mod frame;
pub mod golden;
pub mod hashers;
pub mod keys;
mod macros;
pub mod stats;
mod subject;
pub mod suite;

pub use subject::{Beginnings, Built, Inserting, Prefixing, Recipe, Scaling, Subject, Windowing};
