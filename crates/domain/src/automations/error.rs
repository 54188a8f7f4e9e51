//! Refusals of rules and settings.

use super::{hours::InvalidHours, rule::InvalidRule};
use crate::errors::StoreError;

/// Most rules of a workspace: all are evaluated with every message of a customer.
pub const MOST_AUTOMATIONS: u32 = 50;

/// Reason for refusing a rule or settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AutomationError {
    #[error(transparent)]
    Rule(#[from] InvalidRule),
    /// Index of an action that names an unknown group or member.
    #[error("`rule.then[{0}]` names no group and no member of this workspace")]
    Nobody(usize),
    #[error(transparent)]
    Hours(#[from] InvalidHours),
    #[error("another automation has this name")]
    NameTaken,
    #[error("a workspace has at most {MOST_AUTOMATIONS} automations")]
    TooMany,
    #[error("there is no such automation in this workspace")]
    NotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
}
