//! Messages that are looked for.

use askama::Template;
use domain::{
    messages::Stage,
    webhooks::{DeliveryState, EventType},
};

use crate::{frame::Frame, moment::Moment, words::InboxWords};

/// A message that was found.
#[derive(Debug, Clone)]
pub struct FoundRow {
    /// Where it is told what became of it.
    pub explained: String,
    /// When its sending was asked for.
    pub at: Moment,
    /// The number that it left from.
    pub from: Option<String>,
    /// The template's name.
    pub template: Option<String>,
    /// How far it has come.
    pub stage: Option<Stage>,
    /// Why it failed, in our words, in the network's, or by its code.
    pub failure: Option<String>,
    /// Where its conversation is.
    pub conversation: Option<String>,
}

impl FoundRow {
    fn state(&self, words: &InboxWords) -> &'static str {
        self.stage.as_ref().map(|stage| words.stage(stage)).unwrap_or_default()
    }
}

/// Messages by what somebody knows of them.
#[derive(Template)]
#[template(path = "messages/found.html")]
pub struct FoundPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What was looked for by: `reference`, `phone` or `networkId`.
    pub by_what: &'a str,
    /// What was looked for.
    pub clue: String,
    /// What was found, newest first; `None` where nothing was looked for.
    pub found: Option<Vec<FoundRow>>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
    /// Why nothing was looked for.
    pub refused: Option<&'a str>,
}

/// What happened to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifeStep {
    /// It was written into its conversation.
    Recorded,
    /// Its sending was asked for.
    Asked,
    /// The network took it.
    Taken,
    /// The network refused it.
    Refused,
    /// It arrived.
    Delivered,
    /// It was read.
    Read,
    /// The network could not deliver it.
    Failed,
}

/// What a webhook address was told of a message.
#[derive(Debug, Clone)]
pub struct TellingRow {
    /// Where the delivery is shown.
    pub href: String,
    /// The event.
    pub event: EventType,
    /// How far it has come.
    pub state: DeliveryState,
    /// When.
    pub at: Moment,
    /// How often it was tried.
    pub attempts: usize,
}

/// What became of a message.
#[derive(Template)]
#[template(path = "messages/life.html")]
pub struct LifePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The message.
    pub id: String,
    /// Where its conversation is.
    pub conversation: Option<String>,
    /// The template's name.
    pub template: Option<String>,
    /// The caller's own id for it.
    pub reference: Option<String>,
    /// What happened, the first first.
    pub steps: Vec<(LifeStep, Moment)>,
    /// Why it failed or was refused, in our words, in the network's, or by its code.
    pub error: Option<String>,
    /// What webhook addresses were told, the first first.
    pub told: Vec<TellingRow>,
}
