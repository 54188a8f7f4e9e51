//! Rules, opening hours and sweepers.

use askama::Template;

use crate::frame::Frame;

/// A rule.
#[derive(Debug, Clone)]
pub struct RuleRow {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Whether it is in force.
    pub is_on: bool,
    /// What sets it off and what it does, as the API writes it.
    pub rule: String,
}

/// The rules and settings.
#[derive(Template)]
#[template(path = "automations/automations.html")]
pub struct AutomationsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// In the order in which they are looked at.
    pub rules: Vec<RuleRow>,
    /// Opening hours, as the API writes them; empty where there are none.
    pub hours: String,
    /// After how many minutes a quiet conversation is closed; empty where never.
    pub idle_close: String,
    /// After how many minutes an unanswered one goes back to the assistant; empty where never.
    pub unanswered_return: String,
    /// A rule that was to be added, as it was written.
    pub draft: (String, String),
    /// Why something was not done.
    pub refused: Option<&'a str>,
    /// What speaks against it in the service's own words.
    pub detail: Option<String>,
}
