//! Refusal of a conversation that the workspace does not have.

use crate::{paging::not_found, problem::Problem};

pub(super) fn unknown() -> Problem {
    not_found("conversation")
}
