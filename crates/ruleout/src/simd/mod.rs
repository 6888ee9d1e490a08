//! The only home of `unsafe` in this crate.
//!
//! Everything here is a small safe function over an intrinsic or a cast, with a portable twin that gives the
//! same result. Callers never see a pointer.

mod cpu;
pub(crate) mod line;
mod prefetch;
mod select;
pub(crate) mod split_block;
mod words;

pub(crate) use cpu::Vectors;
pub(crate) use prefetch::{prefetch_read, prefetch_write};
pub(crate) use select::{Kernel, WordOps, run};
pub(crate) use words::{as_bytes, as_bytes_mut};
