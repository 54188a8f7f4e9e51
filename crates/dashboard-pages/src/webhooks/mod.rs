//! Pages of webhook addresses and their deliveries.

use askama::Template;
use domain::{
    events::EventType,
    ids::{DeliveryId, MemberId, ResendId, WebhookAddressId},
    webhooks::{AddressState, DeliveryState, ResendState},
};
use serde::Serialize;

use crate::{frame::Frame, moment::Moment, refused::Refused, words::WebhookWords};

/// A webhook address.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddressRow {
    pub id: WebhookAddressId,
    pub url: String,
    /// Events that it is told of.
    pub events: Vec<EventType>,
    pub state: AddressState,
    pub disabled_reason: Option<String>,
    /// Deliveries that failed for good since the last success.
    pub consecutive_failures: u32,
    /// Whether the Standard Webhooks headers are sent as well.
    pub standard_headers: bool,
    /// Until when the secret before the last rotation signs as well.
    pub previous_secret_until: Option<Moment>,
    /// Who registered it; `None` for an operator.
    pub creator_id: Option<MemberId>,
    /// Name of the member who registered it.
    #[serde(skip)]
    pub maker: Option<String>,
    pub created_at: Moment,
}

impl AddressRow {
    fn is_on(&self) -> bool {
        self.state == AddressState::Enabled
    }
}

/// Page of the webhook addresses.
#[derive(Template)]
#[template(path = "webhooks/addresses.html")]
pub struct AddressesPage<'a> {
    pub frame: &'a Frame,
    pub addresses: Vec<AddressRow>,
    /// Secret of an address that was just registered, shown this once.
    pub secret: Option<String>,
    /// Typed address that was refused.
    pub url: String,
    /// Events that were chosen for it.
    pub events: Vec<EventType>,
    pub refused: Option<Refused>,
}

/// A delivery in an address's log.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRow {
    /// Id, the same in all attempts.
    pub id: DeliveryId,
    pub address_id: WebhookAddressId,
    pub event: EventType,
    pub state: DeliveryState,
    pub attempts: u32,
    /// When it is attempted next, while it is pending.
    pub next_attempt_at: Option<Moment>,
    /// When its event happened.
    pub created_at: Moment,
}

impl DeliveryRow {
    /// Returns whether its outcome is known within seconds; later attempts come minutes and hours apart.
    fn is_awaited(&self) -> bool {
        self.state == DeliveryState::Pending && self.attempts < 2
    }
}

/// A re-send of a window of time.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResendRow {
    pub id: ResendId,
    pub address_id: WebhookAddressId,
    /// Beginning of the window.
    pub since: Moment,
    /// End of the window.
    pub until: Moment,
    pub state: ResendState,
    /// Deliveries that had failed, were held or waited when it was asked for.
    pub total: u64,
    /// Of these, those that were made due at once.
    pub queued: u64,
    /// Of the queued ones, those delivered since.
    pub delivered: u64,
    /// Of the queued ones, those that have failed for good since.
    pub refused: u64,
    /// Of the queued ones, those held because the address was disabled meanwhile.
    pub held: u64,
    /// Those that wait to be queued, or for an attempt.
    pub waiting: u64,
    pub created_at: Moment,
    /// When all was queued; `None` before.
    pub ended_at: Option<Moment>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// Page of an address with its deliveries.
#[derive(Template)]
#[template(path = "webhooks/address.html")]
pub struct AddressPage<'a> {
    pub frame: &'a Frame,
    pub address: AddressRow,
    /// Typed URL and events of a change that was refused; `None` without one.
    pub written: Option<(String, Vec<EventType>)>,
    /// Newest first.
    pub resends: Vec<ResendRow>,
    /// Typed beginning and end of a re-send that was refused.
    pub window: (String, String),
    /// Newest first.
    pub deliveries: Vec<DeliveryRow>,
    /// State that the deliveries are filtered by.
    pub state: Option<DeliveryState>,
    /// Path of the page with earlier deliveries.
    pub earlier: Option<String>,
    /// Secret that was just made, shown this once.
    pub secret: Option<String>,
    /// What was done, in a sentence.
    pub done: Option<&'a str>,
    pub refused: Option<Refused>,
}

impl AddressPage<'_> {
    /// Returns the values of the form that changes the address.
    fn form(&self) -> (&str, &[EventType]) {
        match &self.written {
            Some((url, events)) => (url, events),
            None => (&self.address.url, &self.address.events),
        }
    }

    fn is_shown(&self, state: &str) -> bool {
        self.state.is_some_and(|shown| shown.as_str() == state)
    }
}

/// An attempt at a delivery.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptRow {
    /// Which one, from 1.
    pub number: u32,
    pub started_at: Moment,
    pub duration_ms: i64,
    /// Status of the answer, if there was one.
    pub status: Option<u16>,
    pub failure: Option<String>,
    /// Beginning of the answer's body.
    pub answer: Option<String>,
}

/// A delivery with its body and its attempts.
#[derive(Debug, Clone, Serialize)]
pub struct DeliveryDetails {
    pub delivery: DeliveryRow,
    /// Body, the same in all attempts.
    pub body: String,
    /// Oldest first.
    pub attempts: Vec<AttemptRow>,
}

/// Page of a delivery.
#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
pub struct DeliveryPage<'a> {
    pub frame: &'a Frame,
    pub details: DeliveryDetails,
    pub refused: Option<Refused>,
}

impl WebhookWords {
    /// Returns the words for a re-send's state.
    pub const fn resend(&self, state: &ResendState) -> &'static str {
        match state {
            ResendState::UnderWay => self.under_way,
            ResendState::Done => self.done,
            ResendState::Stopped => self.stopped,
        }
    }

    /// Returns the words for a delivery's state.
    pub const fn state(&self, state: &DeliveryState) -> &'static str {
        match state {
            DeliveryState::Pending => self.pending,
            DeliveryState::Delivered => self.delivered,
            DeliveryState::Failed => self.failed,
            DeliveryState::Held => self.held,
        }
    }
}
