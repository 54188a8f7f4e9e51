//! Page of canned replies.

use askama::Template;
use serde::Serialize;

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A canned reply in the list.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CannedRow {
    pub id: String,
    /// Shortcut without its slash.
    pub shortcut: String,
    pub text: String,
    /// Who wrote it last.
    pub author_id: String,
    pub changed_at: Moment,
    /// Whether the text was typed, and refused.
    #[serde(skip)]
    pub is_typed: bool,
}

/// Page of all canned replies.
#[derive(Template)]
#[template(path = "inbox/canned.html")]
pub struct CannedPage<'a> {
    pub frame: &'a Frame,
    /// Sorted by shortcut.
    pub replies: Vec<CannedRow>,
    /// Typed shortcut and text of a reply to add.
    pub draft: (String, String),
    pub refused: Option<Refused>,
}
