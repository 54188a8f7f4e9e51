//! Page of the workspace's own system.

use askama::Template;
use domain::systems::{CallResult, Capability, Route, StateName};

use crate::{frame::Frame, moment::Moment, refused::Refused, words::SystemWords};

/// The connected system.
#[derive(Debug, Clone)]
pub struct ConnectedRow {
    /// Name that it gives itself.
    pub name: String,
    pub base: String,
    /// Currency of its prices.
    pub currency: String,
    pub capabilities: Vec<Capability>,
    /// State of the connection.
    pub state: StateName,
    /// Since when the state holds.
    pub since: Moment,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// When it last answered a verification.
    pub verified_at: Moment,
    /// Name of the member who connected it.
    pub maker: Option<String>,
}

/// A call to the system.
#[derive(Debug, Clone)]
pub struct CallRow {
    /// When it ended.
    pub at: Moment,
    pub route: Route,
    pub result: CallResult,
    pub status: Option<u16>,
    /// Duration in milliseconds.
    pub took: u32,
    /// Parts of the answer that could not be used, and the system's message when it refused.
    pub remarks: Vec<String>,
}

/// Page of the system, its synonyms and the log of its calls.
#[derive(Template)]
#[template(path = "systems/system.html")]
pub struct SystemPage<'a> {
    pub frame: &'a Frame,
    /// `None` where no system is connected.
    pub system: Option<ConnectedRow>,
    /// Newest first.
    pub calls: Vec<CallRow>,
    /// Path of the page with earlier calls.
    pub earlier: Option<String>,
    /// Groups of words for the same thing, one per line.
    pub synonyms: String,
    /// Typed address of a system to connect.
    pub base: &'a str,
    pub refused: Option<Refused>,
}

impl SystemWords {
    /// Returns the words for the state of a connection.
    pub const fn state(&self, state: &StateName) -> &'static str {
        match state {
            StateName::Active => self.active,
            StateName::Cooling => self.cooling,
            StateName::Unreachable => self.unreachable,
            StateName::NeedsReconnection => self.needs_reconnection,
        }
    }

    /// Returns the words for what a system can do.
    pub const fn capability(&self, capability: &Capability) -> &'static str {
        match capability {
            Capability::Catalog => self.catalog,
            Capability::Orders => self.orders,
            Capability::Customers => self.customers,
            Capability::Appointments => self.appointments,
        }
    }
}
