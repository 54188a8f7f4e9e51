//! `GET /debug_token`.

use serde_json::{Value, json};

use super::call::Call;
use super::error::GraphError;
use crate::core::Core;

const PAGE_SCOPES: [&str; 4] =
    ["pages_messaging", "pages_manage_metadata", "instagram_basic", "instagram_manage_messages"];
/// Permissions of a token that is not a page's own.
const TO_LIST_PAGES: [&str; 1] = ["pages_show_list"];
const SCOPES: [&str; 2] = ["whatsapp_business_management", "whatsapp_business_messaging"];

pub(super) fn debug(core: &Core, call: &Call) -> Result<Value, GraphError> {
    if call.method != "GET" {
        return Err(GraphError::missing_object(call.method.as_str(), call.id()));
    }
    let Some(token) = call.query.get("input_token") else {
        return Err(GraphError::parameter("The parameter input_token is required."));
    };
    let world = core.world();
    let accounts = world.accounts_of(token);
    let pages: Vec<&str> = world.pages_of(token).map(|page| page.id.as_str()).collect();
    if accounts.is_empty() && pages.is_empty() {
        let message = "Invalid OAuth access token - Cannot parse access token";
        return Ok(json!({ "data": {
            "error": { "code": 190, "message": message }, "is_valid": false, "scopes": [],
        } }));
    }
    let granted = |scopes: &[&'static str], targets: Value| -> Vec<(&'static str, Value)> {
        let held = targets.as_array().is_some_and(|targets| !targets.is_empty());
        scopes.iter().filter(|_| held).map(|scope| (*scope, targets.clone())).collect()
    };
    let mut granted_all = granted(&SCOPES, json!(accounts));
    granted_all.extend(granted(&PAGE_SCOPES, json!(pages)));
    if !accounts.is_empty() {
        granted_all.extend(granted(&TO_LIST_PAGES, json!(pages)));
    }
    granted_all.retain(|(scope, _)| !world.withheld.permissions.contains(*scope));
    let scopes: Vec<&str> = granted_all.iter().map(|(scope, _)| *scope).collect();
    let granular: Vec<Value> =
        granted_all.iter().map(|(scope, targets)| json!({ "scope": scope, "target_ids": targets })).collect();
    Ok(json!({ "data": {
        "app_id": core.config.app_id,
        "type": if accounts.is_empty() { "PAGE" } else { "SYSTEM_USER" },
        "application": "Simulated app",
        "data_access_expires_at": 0,
        "expires_at": 0,
        "issued_at": 1_763_000_000,
        "is_valid": true,
        "scopes": scopes,
        "granular_scopes": granular,
        "user_id": "122100000000000",
    } }))
}
