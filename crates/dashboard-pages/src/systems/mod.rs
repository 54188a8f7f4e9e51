//! The workspace's own system.

use askama::Template;
use domain::systems::{CallResult, Capability, Route, StateName};

use crate::{frame::Frame, moment::Moment, words::SystemWords};

/// The system that is connected.
#[derive(Debug, Clone)]
pub struct ConnectedRow {
    /// What it calls itself.
    pub name: String,
    /// Its address.
    pub base: String,
    /// What it sells in.
    pub currency: String,
    /// What it can do.
    pub capabilities: Vec<Capability>,
    /// How the connection stands.
    pub state: StateName,
    /// Since when.
    pub since: Moment,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// When it last answered a verification.
    pub verified_at: Moment,
    /// Who connected it.
    pub maker: Option<String>,
}

/// A call to it.
#[derive(Debug, Clone)]
pub struct CallRow {
    /// When it ended.
    pub at: Moment,
    /// What was asked.
    pub route: Route,
    /// What became of it.
    pub result: CallResult,
    /// The answer's status.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub took: u32,
    /// What of the answer could not be used, and what the system said when it refused.
    pub remarks: Vec<String>,
}

/// The system, its synonyms and the log of its calls.
#[derive(Template)]
#[template(path = "systems/system.html")]
pub struct SystemPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The system, if there is one.
    pub system: Option<ConnectedRow>,
    /// Newest first.
    pub calls: Vec<CallRow>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
    /// Words for the same thing, a line for each group.
    pub synonyms: String,
    /// The address that was to be connected, as it was written.
    pub base: &'a str,
    /// Why something was not done.
    pub refused: Option<&'a str>,
    /// What is wrong in particular.
    pub detail: Option<String>,
}

impl SystemWords {
    /// How a connection stands.
    pub const fn state(&self, state: &StateName) -> &'static str {
        match state {
            StateName::Active => self.active,
            StateName::Cooling => self.cooling,
            StateName::Unreachable => self.unreachable,
            StateName::NeedsReconnection => self.needs_reconnection,
        }
    }

    /// What a system can do.
    pub const fn capability(&self, capability: &Capability) -> &'static str {
        match capability {
            Capability::Catalog => self.catalog,
            Capability::Orders => self.orders,
            Capability::Customers => self.customers,
            Capability::Appointments => self.appointments,
        }
    }
}
