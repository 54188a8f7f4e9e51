//! Customers, led by a scenario's rules or played by a model.

mod next;
mod played;
mod ruled;

pub(crate) use next::Next;
pub(crate) use played::Played;
pub(crate) use ruled::{Names, Ruled};

use crate::chat::Heard;

pub(crate) enum Customer {
    Ruled(Box<Ruled>),
    Played(Box<Played>),
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
