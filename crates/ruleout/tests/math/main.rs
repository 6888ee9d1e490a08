//! `ruleout::math` against tables: of the project, and of multiple-precision arithmetic.

mod bitmaps;
mod changing;
mod random;
mod scalable;
mod tables;
