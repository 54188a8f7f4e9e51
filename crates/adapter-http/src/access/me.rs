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

use super::permitted;
use crate::{App, problem::Problem};

#[derive(Serialize)]
pub(crate) struct KeyInfoBody {
    team: TeamBody,
    key: KeyBody,
}

#[derive(Serialize)]
struct TeamBody {
    id: WorkspaceId,
    name: String,
}

#[derive(Serialize)]
struct KeyBody {
    id: ApiKeyId,
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
pub(crate) async fn me(app: Data<App>, request: HttpRequest) -> Result<Json<KeyInfoBody>, Problem> {
    let caller = permitted(&request, Scope::ContactsRead)?;
    let info = app.run(|app| async move { app.describe_key.run(caller).await }).await??;
    Ok(Json(info.into()))
}
