//! `GET /debug_token`.

use serde_json::{Value, json};

use super::call::Call;
use super::error::GraphError;
use crate::core::Core;

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
    if accounts.is_empty() {
        let message = "Invalid OAuth access token - Cannot parse access token";
        return Ok(json!({ "data": {
            "error": { "code": 190, "message": message }, "is_valid": false, "scopes": [],
        } }));
    }
    let granular: Vec<Value> =
        SCOPES.iter().map(|scope| json!({ "scope": scope, "target_ids": accounts })).collect();
    Ok(json!({ "data": {
        "app_id": core.config.app_id,
        "type": "SYSTEM_USER",
        "application": "Simulated app",
        "data_access_expires_at": 0,
        "expires_at": 0,
        "issued_at": 1_763_000_000,
        "is_valid": true,
        "scopes": SCOPES,
        "granular_scopes": granular,
        "user_id": "122100000000000",
    } }))
}
