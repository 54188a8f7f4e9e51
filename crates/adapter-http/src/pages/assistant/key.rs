//! `/assistant/key`: the workspace's own key to the language model.

use actix_web::{HttpResponse, web::Payload};
use domain::assistant::{ModelKeyError, ModelKeyState};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::super::act::{self, Answer, Call};
use crate::problem::{DashboardCode, Problem};

/// A key that the model's vendor has issued to the workspace.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKeyBody {
    /// The key. It is kept sealed, and never shown again.
    key: String,
}

/// What is shown of the workspace's own key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeyBody {
    /// When it was set; null where the workspace has none, so that the installation's model answers.
    #[serde(with = "domain::clock::timestamp::option")]
    set_at: Option<OffsetDateTime>,
    /// Since when the model's server refuses it; null where it does not. Conversations are handed over
    /// meanwhile.
    #[serde(with = "domain::clock::timestamp::option")]
    refused_at: Option<OffsetDateTime>,
}

impl From<ModelKeyState> for KeyBody {
    fn from(state: ModelKeyState) -> Self {
        Self { set_at: state.set_at, refused_at: state.refused_at }
    }
}

impl From<ModelKeyError> for Problem {
    fn from(error: ModelKeyError) -> Self {
        let message = error.to_string();
        match error {
            ModelKeyError::NotAllowed => Self::dashboard(DashboardCode::OwnKeysRefused, message),
            ModelKeyError::Invalid(_) => Self::invalid(format!("`key`: {message}")),
            ModelKeyError::Store(error) => error.into(),
        }
    }
}

/// Has the model asked with a key of the workspace's own, in place of the one before. The next answer is the
/// first that tries it.
pub(in crate::pages) async fn set(call: Call, payload: Payload) -> Answer {
    let NewKeyBody { key } = call.json(payload).await?;
    act::ok(&KeyBody::from(keep(&call, key).await?))
}

/// Forgets the workspace's own key: the installation's model answers again. Nothing changes where there is
/// none.
pub(in crate::pages) async fn remove(call: Call) -> Answer {
    forget(&call).await?;
    Ok(HttpResponse::NoContent().finish())
}

pub(super) async fn keep(call: &Call, key: String) -> Result<ModelKeyState, Problem> {
    let acting = call.acting();
    call.run(move |app| async move { app.dashboard.assistant.key.set(acting, &key).await }).await
}

pub(super) async fn forget(call: &Call) -> Result<(), Problem> {
    let acting = call.acting();
    call.run(move |app| async move { app.dashboard.assistant.key.remove(acting).await }).await.map(drop)
}
