//! `ruleout::math` against tables: of the project, and of multiple-precision arithmetic.

mod bitmaps;
mod built_once;
mod changing;
mod random;
mod scalable;
mod tables;
