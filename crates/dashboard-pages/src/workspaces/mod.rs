//! What a workspace used, and what was changed in it.

mod usage;

pub use usage::{UsageDay, UsagePage};

use askama::Template;

use crate::{frame::Frame, moment::Moment};

/// A line of the log of changes.
#[derive(Debug, Clone)]
pub struct ChangeRow {
    /// When.
    pub at: Moment,
    /// Who.
    pub by: Option<String>,
    /// What was done, by its name.
    pub action: &'static str,
    /// To what.
    pub subject: Option<String>,
    /// What else tells of it.
    pub details: String,
    /// From where.
    pub address: Option<String>,
}

/// What was changed by whom.
#[derive(Template)]
#[template(path = "workspaces/log.html")]
pub struct LogPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Newest first.
    pub changes: Vec<ChangeRow>,
    /// The members to choose from, by id and name.
    pub members: Vec<(String, String)>,
    /// Only what this one did.
    pub member: String,
    /// Every action there is.
    pub actions: Vec<&'static str>,
    /// Only this one.
    pub action: String,
    /// The page with earlier ones.
    pub earlier: Option<String>,
}
