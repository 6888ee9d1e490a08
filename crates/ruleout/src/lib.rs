//! Approximate-membership filters.
#![no_std]
#![deny(unsafe_code)]
extern crate alloc;

pub mod math;
