//! Messages that are looked for.

use askama::Template;
use domain::messages::Stage;

use crate::{frame::Frame, moment::Moment, words::InboxWords};

/// A message that was found.
#[derive(Debug, Clone)]
pub struct FoundRow {
    /// When its sending was asked for.
    pub at: Moment,
    /// The number that it left from.
    pub from: Option<String>,
    /// The template's name.
    pub template: Option<String>,
    /// How far it has come.
    pub stage: Option<Stage>,
    /// Why it failed, in the network's words or by its code.
    pub failure: Option<String>,
    /// Where its conversation is.
    pub conversation: Option<String>,
}

impl FoundRow {
    fn state(&self, words: &InboxWords) -> &'static str {
        self.stage.as_ref().map(|stage| words.stage(stage)).unwrap_or_default()
    }
}

/// What was sent under a reference.
#[derive(Template)]
#[template(path = "messages/found.html")]
pub struct FoundPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What was looked for.
    pub reference: String,
    /// What was found, newest first; `None` where nothing was looked for.
    pub found: Option<Vec<FoundRow>>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
    /// Why nothing was looked for.
    pub refused: Option<&'a str>,
}
