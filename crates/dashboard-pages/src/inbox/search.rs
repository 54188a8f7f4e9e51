//! Messages by their words.

use askama::Template;
use domain::{channels::ChannelKind, messages::Role};

use crate::{frame::Frame, moment::Moment};

/// A message that was found.
#[derive(Debug, Clone)]
pub struct MatchRow {
    /// Where it stands.
    pub href: String,
    /// Whom its conversation is with.
    pub name: String,
    /// Over which network.
    pub channel: ChannelKind,
    /// Who wrote it.
    pub role: Role,
    /// What it says around what was found, in parts, each with whether it was looked for.
    pub snippet: Vec<(String, bool)>,
    /// When.
    pub at: Moment,
}

/// Messages by their words.
#[derive(Template)]
#[template(path = "inbox/search.html")]
pub struct SearchPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What was looked for.
    pub search: String,
    /// In which conversation alone.
    pub within: Option<String>,
    /// The same search in all conversations.
    pub everywhere: String,
    /// What was found, newest first; `None` where nothing was looked for.
    pub matches: Option<Vec<MatchRow>>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
    /// Why nothing was looked for.
    pub refused: Option<&'a str>,
}
