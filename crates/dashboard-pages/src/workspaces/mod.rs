//! What a workspace used, and what was changed in it.

use askama::Template;

use crate::{frame::Frame, moment::Moment};

/// What was used this month.
#[derive(Template)]
#[template(path = "workspaces/usage.html")]
pub struct UsagePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The month, by its first day.
    pub month: String,
    /// Customers who were written to, or wrote.
    pub active: u64,
    /// How many there may be.
    pub limit: Option<u32>,
    /// Whether the subscription is paused.
    pub is_paused: bool,
}

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
