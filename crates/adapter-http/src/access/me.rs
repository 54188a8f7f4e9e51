//! `GET /v1/me`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::{KeyInfo, Scope},
    ids::{ApiKeyId, WorkspaceId},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::scope::permit;
use crate::{app::App, problem::Problem, schema::values::Id};

/// A key and its workspace.
#[derive(Serialize, ToSchema)]
#[schema(as = KeyInfo)]
pub(crate) struct KeyInfoBody {
    team: TeamBody,
    key: KeyBody,
}

/// The workspace.
#[derive(Serialize, ToSchema)]
#[schema(as = Team)]
struct TeamBody {
    #[schema(value_type = Id)]
    id: WorkspaceId,
    name: String,
}

/// The key.
#[derive(Serialize, ToSchema)]
#[schema(as = Key)]
struct KeyBody {
    #[schema(value_type = Id)]
    id: ApiKeyId,
    /// What it opens.
    scopes: Vec<&'static str>,
}

impl From<KeyInfo> for KeyInfoBody {
    fn from(info: KeyInfo) -> Self {
        Self {
            team: TeamBody { id: info.workspace, name: info.workspace_name },
            key: KeyBody { id: info.key, scopes: info.scopes.into_iter().map(Scope::as_str).collect() },
        }
    }
}

/// Which workspace and scopes the key has.
#[utoipa::path(
    get, path = "/v1/me", tag = "Key", operation_id = "getMe", security(("key" = ["contacts:read"])),
    responses((
        status = 200, description = "The key.", body = KeyInfoBody,
        example = json!({
            "team": { "id": "0192f0c1-7a00-7000-8000-000000000002", "name": "Palm Store" },
            "key": {
                "id": "0192f0c1-7a00-7000-8000-000000000005", "scopes": ["contacts:read", "messages:send"],
            },
        }),
    ))
)]
pub(crate) async fn me(app: Data<App>, request: HttpRequest) -> Result<Json<KeyInfoBody>, Problem> {
    let caller = permit(&request, Scope::ContactsRead)?;
    let info = app.run(|app| async move { app.describe_key.run(caller).await }).await??;
    Ok(Json(info.into()))
}
