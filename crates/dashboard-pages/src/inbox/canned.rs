//! Short texts that members answer with.

use askama::Template;

use crate::frame::Frame;

/// One of them.
#[derive(Debug, Clone)]
pub struct CannedRow {
    /// Its id.
    pub id: String,
    /// What it is called, without its slash.
    pub shortcut: String,
    /// What it says.
    pub text: String,
    /// Whether that is what somebody wrote, and was not taken.
    pub is_typed: bool,
}

/// All of them.
#[derive(Template)]
#[template(path = "inbox/canned.html")]
pub struct CannedPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// By shortcut.
    pub replies: Vec<CannedRow>,
    /// One that was to be added, as it was written.
    pub draft: (String, String),
    /// Why something was not done.
    pub refused: Option<&'a str>,
}
