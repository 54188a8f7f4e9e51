//! Customers, led by a scenario's rules or played by a model.

mod played;
mod ruled;

pub(crate) use played::Played;
pub(crate) use ruled::{Names, Ruled};

use crate::chat::{Act, Heard};

pub(crate) enum Customer {
    Ruled(Box<Ruled>),
    Played(Box<Played>),
}

/// Next step of a customer.
#[derive(Debug, Default)]
pub(crate) struct Next {
    /// Id and new price of an item that the shop changes before.
    pub(crate) meanwhile: Option<(String, u64)>,
    /// Acts in this order; none once the customer has what they came for.
    pub(crate) acts: Vec<Act>,
}

impl Customer {
    /// Returns the scenario's opening, whoever plays on.
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
