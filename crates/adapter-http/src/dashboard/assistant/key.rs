//! `/assistant/key`: the workspace's own key to the language model.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::assistant::{ModelKeyError, ModelKeyState};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
    schema::values,
    session::SignedIn,
};

/// A key that the model's vendor has issued to the workspace.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModelKeyForm)]
pub(crate) struct NewKeyBody {
    /// The key. It is kept sealed, and never shown again.
    #[schema(min_length = 1, max_length = 1000, example = "sk-…")]
    key: String,
}

/// What is shown of the workspace's own key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ModelKey)]
pub(crate) struct KeyBody {
    /// When it was set; null where the workspace has none, so that the installation's model answers.
    #[serde(with = "domain::clock::timestamp::option")]
    #[schema(value_type = Option<values::Timestamp>, required = true)]
    set_at: Option<OffsetDateTime>,
    /// Since when the model's server refuses it; null where it does not. Conversations are handed over
    /// meanwhile.
    #[serde(with = "domain::clock::timestamp::option")]
    #[schema(value_type = Option<values::Timestamp>, required = true)]
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
#[utoipa::path(
    put, path = "/dashboard/api/assistant/key", tag = "Assistant", operation_id = "setModelKey",
    request_body(content = NewKeyBody),
    responses(
        (status = 200, description = "What is shown of it.", body = KeyBody),
        (status = 409, description = "`own_keys_refused`: the installation lets workspaces use none.")
    )
)]
pub(crate) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<KeyBody>, Problem> {
    let new = body::json::<NewKeyBody>(&request, payload).await?.fields;
    let acting = by.acting();
    let set = app.run(move |app| async move { app.dashboard.assistant.key.set(acting, &new.key).await });
    Ok(Json(set.await??.into()))
}

/// Forgets the workspace's own key: the installation's model answers again. Nothing changes where there is
/// none.
#[utoipa::path(
    delete, path = "/dashboard/api/assistant/key", tag = "Assistant", operation_id = "removeModelKey",
    responses((status = 204, description = "There is none."))
)]
pub(crate) async fn remove(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    let acting = by.acting();
    let removed = app.run(move |app| async move { app.dashboard.assistant.key.remove(acting).await });
    removed.await??;
    Ok(HttpResponse::NoContent().finish())
}
