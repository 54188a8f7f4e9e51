//! `POST /conversations/{id}/leads`.

use actix_web::web::Payload;
use domain::{
    customer_records::{CaptureLeadError, LeadRequest},
    ids::LeadId,
};
use serde::{Deserialize, Serialize};

use super::{
    super::act::{Answer, Call},
    query::unknown,
};
use crate::{
    problem::{Problem, RefusalCode},
    sending::created,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/leads";

/// Somebody to follow up with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewLeadBody {
    /// What they are called; the contact's name where it is absent.
    name: Option<String>,
    /// What they need, in one line.
    need: String,
}

/// A lead that is written down.
#[derive(Serialize)]
struct LeadBody {
    id: LeadId,
    /// `waiting`: the workspace's own system is told within an hour, and the log of its calls says how that
    /// went. `not_told`: there is none that keeps customers, or the network has told no number of whoever
    /// writes here. Where the request is a repeat, `told`, `refused` or `given_up` as well.
    state: &'static str,
}

impl From<CaptureLeadError> for Problem {
    fn from(error: CaptureLeadError) -> Self {
        match error {
            CaptureLeadError::Invalid(rule) => Self::invalid(rule),
            CaptureLeadError::UnknownConversation => unknown(),
            CaptureLeadError::KeyReused => {
                Self::refused(RefusalCode::IdempotencyKeyReused, error.to_string(), serde_json::Map::new())
            }
            CaptureLeadError::Store(error) => error.into(),
        }
    }
}

/// Writes down somebody to follow up with. `lead.captured` tells of it, with the number that the network has
/// told of whoever writes in the conversation, and so does a call to the workspace's own system, where that
/// keeps customers.
pub(in crate::pages) async fn capture(call: Call, payload: Payload) -> Answer {
    let (conversation, body, key) = call.keyed(payload, ROUTE, unknown).await?;
    let NewLeadBody { name, need } = body;
    let asked = LeadRequest { conversation, name, need, key, fence: None };
    let acting = call.acting();
    let captured =
        call.run(move |app| async move { app.dashboard.systems.capture_lead.run(acting, &asked).await });
    let captured = captured.await?;
    Ok(created(captured.replayed).json(LeadBody { id: captured.id, state: captured.state.as_str() }))
}
