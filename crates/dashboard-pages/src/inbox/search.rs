//! Page of messages found by their words.

use askama::Template;
use domain::{channels::ChannelKind, messages::Role};

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A message that was found.
#[derive(Debug, Clone)]
pub struct MatchRow {
    pub href: String,
    /// Name of the person whom its conversation is with.
    pub name: String,
    pub channel: ChannelKind,
    pub role: Role,
    /// Text around the matches, in parts, each with whether it is a match.
    pub snippet: Vec<(String, bool)>,
    pub at: Moment,
}

/// Page of messages found by their words.
#[derive(Template)]
#[template(path = "inbox/search.html")]
pub struct SearchPage<'a> {
    pub frame: &'a Frame,
    pub search: String,
    /// Id of the conversation that is searched; `None` for all.
    pub within: Option<String>,
    /// Path of the same search in all conversations.
    pub everywhere: String,
    /// Newest first; `None` where nothing was searched for.
    pub matches: Option<Vec<MatchRow>>,
    /// Path of the page with earlier matches.
    pub earlier: Option<String>,
    pub refused: Option<Refused>,
}
