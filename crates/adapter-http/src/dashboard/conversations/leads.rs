//! `POST /conversations/{id}/leads`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    customer_records::{CaptureLeadError, LeadRequest},
    ids::LeadId,
    sending::IdempotencyKey,
};
use serde::{Deserialize, Serialize};

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::id,
    problem::{Problem, RefusalCode},
    sending::{created, key},
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/leads";

/// Somebody to follow up with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLeadBody {
    /// What they are called; the contact's name where it is absent.
    name: Option<String>,
    /// What they need, in one line.
    need: String,
}

/// A lead that is written down.
#[derive(Serialize)]
pub(crate) struct LeadBody {
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
pub(crate) async fn capture(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<NewLeadBody>(&request, payload).await?;
    let conversation = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{conversation}\n{}", body.canonical).into_bytes();
    let NewLeadBody { name, need } = body.fields;
    let key = key.map(|key| IdempotencyKey { key, request: canonical });
    let asked = LeadRequest { conversation, name, need, key, fence: None };
    let captured =
        app.run(move |app| async move { app.dashboard.systems.capture_lead.run(by.acting(), &asked).await });
    let captured = captured.await??;
    Ok(created(captured.replayed).json(LeadBody { id: captured.id, state: captured.state.as_str() }))
}
