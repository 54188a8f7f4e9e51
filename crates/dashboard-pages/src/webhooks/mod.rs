//! Pages of webhook addresses and their deliveries.

use askama::Template;
use domain::{
    events::EventType,
    webhooks::{AddressState, DeliveryState, ResendState},
};

use crate::{frame::Frame, moment::Moment, refused::Refused, words::WebhookWords};

/// A webhook address in the list.
#[derive(Debug, Clone)]
pub struct AddressRow {
    pub id: String,
    pub url: String,
    /// Events that it is told of.
    pub events: Vec<EventType>,
    pub state: AddressState,
    /// Why it is disabled.
    pub because: Option<String>,
    /// Name of the member who registered it.
    pub maker: Option<String>,
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
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    pub id: String,
    pub event: EventType,
    pub state: DeliveryState,
    pub attempts: u32,
    /// When its event happened.
    pub at: Moment,
}

impl DeliveryRow {
    /// Returns whether its outcome is known within seconds; later attempts come minutes and hours apart.
    fn is_awaited(&self) -> bool {
        self.state == DeliveryState::Pending && self.attempts < 2
    }
}

/// A re-send of a window of time.
#[derive(Debug, Clone)]
pub struct ResendRow {
    /// Beginning of the window.
    pub since: Moment,
    /// End of the window.
    pub until: Moment,
    pub state: ResendState,
    /// Deliveries in the window.
    pub total: u64,
    /// Of these, the delivered ones.
    pub delivered: u64,
    /// Of these, the failed ones.
    pub failed: u64,
    /// Of these, the waiting ones.
    pub waiting: u64,
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
#[derive(Debug, Clone)]
pub struct AttemptRow {
    /// When it started.
    pub at: Moment,
    /// Duration in milliseconds.
    pub took: i64,
    pub status: Option<u16>,
    pub failure: Option<String>,
    /// Beginning of the answer's body.
    pub answer: Option<String>,
}

/// Page of a delivery with its body and its attempts.
#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
pub struct DeliveryPage<'a> {
    pub frame: &'a Frame,
    pub delivery: DeliveryRow,
    pub address: String,
    pub body: String,
    /// Oldest first.
    pub attempts: Vec<AttemptRow>,
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
