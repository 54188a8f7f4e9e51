//! Pages of messages that are searched for, and of the life of one.

use askama::Template;
use domain::{events::EventType, messages::Stage, webhooks::DeliveryState};

use crate::{frame::Frame, life_step::LifeStep, moment::Moment, refused::Refused, words::InboxWords};

/// A message that was found.
#[derive(Debug, Clone)]
pub struct FoundRow {
    /// Path of the page about its delivery.
    pub explained: String,
    /// When its sending was asked for.
    pub at: Moment,
    /// Number that it was sent from.
    pub from: Option<String>,
    pub template: Option<String>,
    /// Progress of its delivery.
    pub stage: Option<Stage>,
    /// Why it failed, in our words, in the network's, or by its code.
    pub failure: Option<String>,
    pub conversation: Option<String>,
}

impl FoundRow {
    fn state(&self, words: &InboxWords) -> &'static str {
        self.stage.as_ref().map(|stage| words.stage(stage)).unwrap_or_default()
    }
}

/// Page to find messages by what somebody knows of them.
#[derive(Template)]
#[template(path = "messages/found.html")]
pub struct FoundPage<'a> {
    pub frame: &'a Frame,
    /// Kind of clue: `reference`, `phone` or `networkId`.
    pub by_what: &'a str,
    /// Typed clue.
    pub clue: String,
    /// Newest first; `None` where nothing was searched for.
    pub found: Option<Vec<FoundRow>>,
    /// Path of the page with earlier messages.
    pub earlier: Option<String>,
    pub refused: Option<Refused>,
}

/// A webhook delivery about a message.
#[derive(Debug, Clone)]
pub struct TellingRow {
    /// Path of the delivery's page.
    pub href: String,
    pub event: EventType,
    pub state: DeliveryState,
    pub at: Moment,
    pub attempts: usize,
}

/// Page of what became of a message.
#[derive(Template)]
#[template(path = "messages/life.html")]
pub struct LifePage<'a> {
    pub frame: &'a Frame,
    pub id: String,
    pub conversation: Option<String>,
    pub template: Option<String>,
    /// The caller's own id for it.
    pub reference: Option<String>,
    /// Oldest first.
    pub steps: Vec<(LifeStep, Moment)>,
    /// Why it failed or was refused, in our words, in the network's, or by its code.
    pub error: Option<String>,
    /// Webhook deliveries about it, oldest first.
    pub told: Vec<TellingRow>,
}
