//! A form that was not taken, with more to say than the sentence of its problem.

use dashboard_pages::Words;
use domain::{broadcasts::BroadcastError, channels::ConnectError};

use super::field::WrongField;
use crate::problem::Problem;

/// A form that was not taken.
pub(super) struct NotTaken {
    pub(super) problem: Problem,
    /// What is wrong in particular, in the reader's language, or what the network says.
    pub(super) detail: Option<String>,
}

impl From<Problem> for NotTaken {
    fn from(problem: Problem) -> Self {
        Self { problem, detail: None }
    }
}

impl NotTaken {
    /// A broadcast's.
    pub(super) fn of_broadcast(error: BroadcastError, words: &Words) -> Self {
        let detail = words.of_broadcast(&error);
        Self { problem: error.into(), detail }
    }

    /// That of an account which is connected.
    pub(super) fn of_account(error: ConnectError, words: &Words) -> Self {
        let detail = words.of_account(&error);
        Self { problem: error.into(), detail }
    }

    /// One of which nothing but this field is wrong.
    pub(super) fn wrong(WrongField { name, because }: WrongField) -> Self {
        let problem = Problem::invalid(format!("`{name}`: {because}"));
        Self { problem, detail: Some(because.to_owned()) }
    }

    /// The same, of one of several that were chosen.
    pub(super) fn with(self, network_id: &str) -> Self {
        let detail = self.detail.map(|detail| format!(": {detail}")).unwrap_or_default();
        Self { detail: Some(format!("\u{2068}{network_id}\u{2069}{detail}")), ..self }
    }
}
