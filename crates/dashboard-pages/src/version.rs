//! What tells a row from the same row with other things in it.

use std::{
    fmt::Debug,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Changes whenever anything of `shown` does, and is the same in every process of one program.
pub(crate) fn of(shown: &impl Debug) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{shown:?}").hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
