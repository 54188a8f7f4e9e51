//! Webhook addresses, and what they were sent.

use askama::Template;
use domain::webhooks::{AddressState, DeliveryState, EventType, ResendState};

use crate::{frame::Frame, moment::Moment, words::WebhookWords};

/// A webhook address.
#[derive(Debug, Clone)]
pub struct AddressRow {
    /// Its id.
    pub id: String,
    /// Where deliveries go.
    pub url: String,
    /// What it is told of.
    pub events: Vec<EventType>,
    /// Whether it is told.
    pub state: AddressState,
    /// Why it is not.
    pub because: Option<String>,
    /// Who registered it.
    pub maker: Option<String>,
}

impl AddressRow {
    fn is_on(&self) -> bool {
        self.state == AddressState::Enabled
    }
}

/// The webhook addresses.
#[derive(Template)]
#[template(path = "webhooks/addresses.html")]
pub struct AddressesPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// All of them.
    pub addresses: Vec<AddressRow>,
    /// The secret of one that was just registered, shown this once.
    pub secret: Option<String>,
    /// The address that was to be registered, as it was written.
    pub url: String,
    /// What it was to be told of.
    pub events: Vec<EventType>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

/// A line of an address's log.
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    /// Its id.
    pub id: String,
    /// Of what it tells.
    pub event: EventType,
    /// What has become of it.
    pub state: DeliveryState,
    /// How often it was attempted.
    pub attempts: u32,
    /// When what it tells of happened.
    pub at: Moment,
}

impl DeliveryRow {
    /// Whether it is known within seconds what becomes of it; later attempts come minutes and hours apart.
    fn is_awaited(&self) -> bool {
        self.state == DeliveryState::Pending && self.attempts < 2
    }
}

/// A time that is sent again.
#[derive(Debug, Clone)]
pub struct ResendRow {
    /// From when on.
    pub since: Moment,
    /// Before when.
    pub until: Moment,
    /// Where it is.
    pub state: ResendState,
    /// How many deliveries it is about.
    pub total: u64,
    /// How many of them were delivered.
    pub delivered: u64,
    /// How many failed.
    pub failed: u64,
    /// How many wait.
    pub waiting: u64,
}

/// An address, with what it was sent.
#[derive(Template)]
#[template(path = "webhooks/address.html")]
pub struct AddressPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Which.
    pub address: AddressRow,
    /// What it is to be, as it was written; `None` where nothing was.
    pub written: Option<(String, Vec<EventType>)>,
    /// Times that were sent again, newest first.
    pub resends: Vec<ResendRow>,
    /// A time that was to be, as it was written.
    pub window: (String, String),
    /// What it was sent, newest first.
    pub deliveries: Vec<DeliveryRow>,
    /// Only those of this state.
    pub state: Option<DeliveryState>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
    /// A secret that was just made, shown this once.
    pub secret: Option<String>,
    /// What was done.
    pub done: Option<&'a str>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

impl AddressPage<'_> {
    /// What stands in the form that changes it.
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
    /// How long it took, in milliseconds.
    pub took: i64,
    /// The answer's status.
    pub status: Option<u16>,
    /// Why it failed.
    pub failure: Option<String>,
    /// The beginning of the answer.
    pub answer: Option<String>,
}

/// A delivery with its body and its attempts.
#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
pub struct DeliveryPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Its line in the log.
    pub delivery: DeliveryRow,
    /// Its address's id.
    pub address: String,
    /// What it says.
    pub body: String,
    /// The first first.
    pub attempts: Vec<AttemptRow>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

impl WebhookWords {
    /// Where a time is that is sent again.
    pub const fn resend(&self, state: &ResendState) -> &'static str {
        match state {
            ResendState::UnderWay => self.under_way,
            ResendState::Done => self.done,
            ResendState::Stopped => self.stopped,
        }
    }

    /// What has become of a delivery.
    pub const fn state(&self, state: &DeliveryState) -> &'static str {
        match state {
            DeliveryState::Pending => self.pending,
            DeliveryState::Delivered => self.delivered,
            DeliveryState::Failed => self.failed,
            DeliveryState::Held => self.held,
        }
    }
}
