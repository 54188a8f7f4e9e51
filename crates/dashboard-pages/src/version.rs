//! Version of a row by its contents.

use std::{
    fmt::Debug,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Hashes all that is shown. Changes whenever anything of `shown` does, and is the same in every process of
/// one program.
pub(crate) fn of(shown: &impl Debug) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{shown:?}").hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
