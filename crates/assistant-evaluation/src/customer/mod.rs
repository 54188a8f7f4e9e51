//! Whoever writes to the business: by a scenario's rules, or played by a model.

mod played;
mod ruled;

pub(crate) use played::Played;
pub(crate) use ruled::{Names, Ruled};

use crate::chat::{Act, Heard};

/// A customer.
pub(crate) enum Customer {
    Ruled(Box<Ruled>),
    Played(Box<Played>),
}

/// What a customer does next.
#[derive(Debug, Default)]
pub(crate) struct Next {
    /// What the shop changes before.
    pub(crate) meanwhile: Option<(String, u64)>,
    /// In this order. Nothing: the customer has got what they came for.
    pub(crate) acts: Vec<Act>,
}

impl Customer {
    /// What the scenario begins with, whoever plays on.
    pub(crate) fn begin(&mut self) -> Next {
        match self {
            Self::Ruled(ruled) => ruled.begin(),
            Self::Played(played) => played.begin(),
        }
    }

    pub(crate) async fn answer(&mut self, heard: &[Heard]) -> anyhow::Result<Next> {
        match self {
            Self::Ruled(ruled) => Ok(ruled.answer(heard)),
            Self::Played(played) => played.answer(heard).await,
        }
    }
}
