//! `GET /{account}`.

use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::GraphError;
use super::paging::select;
use crate::core::Core;

pub(super) fn get(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let world = core.world();
    let account = world.account(call.id()).ok_or_else(|| GraphError::missing_object("get", call.id()))?;
    let mut row = Map::new();
    row.insert("id".to_owned(), json!(account.id));
    row.insert("name".to_owned(), json!(account.name));
    row.insert("timezone_id".to_owned(), json!("1"));
    row.insert("message_template_namespace".to_owned(), json!(format!("namespace_{}", account.id)));
    Ok(select(&row, call, &["id", "name", "timezone_id", "message_template_namespace"]))
}
