//! Page of the workspace's own system.

use askama::Template;
use domain::{
    ids::{MemberId, SystemCallId, SystemId},
    systems::{CallResult, Capability, Route, StateName},
};
use serde::{Serialize, Serializer};

use crate::{frame::Frame, moment::Moment, refused::Refused, words::SystemWords};

/// The connected system. Its secret is never shown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectedRow {
    pub id: SystemId,
    /// Its address; for agents only the origin, since what stands behind the host may be a secret.
    pub base_url: String,
    /// Name that it gives itself.
    pub name: String,
    /// Currency of prices that name no other.
    pub currency: String,
    pub capabilities: Vec<Capability>,
    /// The assistant's tools that these switch on.
    pub tools: Vec<&'static str>,
    /// State of the connection. A lost one is verified again by itself.
    pub state: StateName,
    pub state_since: Moment,
    /// What went wrong last.
    pub problem: Option<String>,
    /// When it is verified again by itself; `None` while it is not lost.
    pub next_verification_at: Option<Moment>,
    /// When it last answered a verification.
    pub verified_at: Moment,
    /// Member who connected it; `None` for an operator.
    pub creator_id: Option<MemberId>,
    pub connected_at: Moment,
    /// Name of the member who connected it.
    #[serde(skip)]
    pub maker: Option<String>,
}

/// A call to the system: how it went, and nothing of what was asked or answered.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    pub id: SystemCallId,
    /// Method and path, as the contract writes them.
    #[serde(serialize_with = "template")]
    pub route: Route,
    pub result: CallResult,
    /// Status of the last answer; `None` if there was none that tells.
    pub status: Option<u16>,
    /// Duration, a retry included.
    pub duration_ms: u32,
    /// Bytes received of the last answer's body; `None` if no answer began.
    pub bytes: Option<u32>,
    /// What of the answer could not be used and why; the first 50.
    pub unusable: Vec<String>,
    /// What the system said when it refused, for the team.
    pub message: Option<String>,
    pub created_at: Moment,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "so serde calls it")]
fn template<S: Serializer>(route: &Route, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(route.template())
}

impl CallRow {
    /// Lists the system's message and what could not be used.
    fn remarks(&self) -> impl Iterator<Item = &String> {
        self.message.iter().chain(&self.unusable)
    }
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
