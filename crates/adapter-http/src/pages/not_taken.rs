//! A rejected form, with more detail than the sentence of its problem.

use actix_web::HttpRequest;
use dashboard_pages::{Refused, Words};
use domain::{broadcasts::BroadcastError, channels::ConnectError};

use super::refusal::{self, WrongField};
use crate::problem::Problem;

pub(super) struct NotTaken {
    pub(super) problem: Problem,
    /// Specific cause in the reader's language, or the network's words.
    pub(super) detail: Option<String>,
    /// The wrong field, where it is not the one that the problem names.
    pub(super) field: Option<String>,
}

impl From<Problem> for NotTaken {
    fn from(problem: Problem) -> Self {
        Self { problem, detail: None, field: None }
    }
}

impl From<NotTaken> for Problem {
    fn from(not_taken: NotTaken) -> Self {
        not_taken.problem
    }
}

impl NotTaken {
    pub(super) fn of_broadcast(error: BroadcastError, words: &Words) -> Self {
        let detail = words.of_broadcast(&error);
        Self { detail, ..Problem::from(error).into() }
    }

    pub(super) fn of_account(error: ConnectError, words: &Words) -> Self {
        let detail = words.of_account(&error);
        Self { detail, ..Problem::from(error).into() }
    }

    /// Creates a refusal of this field alone.
    pub(super) fn wrong(WrongField { name, because }: WrongField) -> Self {
        let problem = Problem::invalid(format!("`{name}`: {because}"));
        Self { problem, detail: Some(because.to_owned()), field: Some(name) }
    }

    /// Refuses the request's form.
    ///
    /// # Errors
    /// The problem itself if it is not about the form.
    pub(super) fn refused(self, request: &HttpRequest, words: &Words) -> Result<Refused, Problem> {
        let refused = refusal::of_form(request, self.problem, words)?.with(self.detail);
        Ok(match self.field {
            Some(field) => refused.at(field),
            None => refused,
        })
    }

    /// Adds the id of the account or page that it is about, if several were chosen.
    pub(super) fn with(self, network_id: &str) -> Self {
        let detail = self.detail.map(|detail| format!(": {detail}")).unwrap_or_default();
        Self { detail: Some(format!("\u{2068}{network_id}\u{2069}{detail}")), ..self }
    }
}
