//! Hash identities: which function turned a key into 64 bits, and how a file says so.
//!
//! A filter answers for the hashes it was given. Ask it with hashes of another function, seed or key and it says
//! "absent" for keys it holds. So the identity is pinned here, recorded in every file and compared at every
//! merge; there is no generic hasher parameter, since a type cannot be written to a file.
//!
//! [`HashId`] is public: it may be printed, stored and compared. [`Hasher`] can hash, and may hold a secret.

mod hasher;
mod id;
#[cfg(test)]
mod tests;
mod xxh3_word;

pub use hasher::{Hasher, SecretKey};
pub use id::{HashAlgorithm, HashId};
