//! Control routes for the app's permissions and subscribed fields.

use std::collections::BTreeSet;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use serde::Deserialize;

use super::refused::{Refused, read};
use crate::core::Core;
use crate::world::Withheld;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Request {
    /// Permissions that no token has.
    #[serde(default)]
    withheld_permissions: BTreeSet<String>,
    /// Fields of accounts, pages and Instagram accounts that the app is not subscribed to.
    #[serde(default)]
    withheld_fields: BTreeSet<String>,
}

/// Replaces both lists; everything not named is granted.
pub(super) async fn put(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let Request { withheld_permissions: permissions, withheld_fields: fields } = read(&body)?;
    core.world().withheld = Withheld { permissions, fields };
    Ok(HttpResponse::Ok().json(serde_json::json!({})))
}
