//! Lists: fields, limit, cursors.

use std::fmt::Display;

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::GraphError;
use crate::core::Core;

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 1000;

/// Returns a page of rows, each with a position that grows through the list.
pub(super) fn page<T>(
    core: &Core,
    call: &Call,
    rows: Vec<(u64, T)>,
    show: impl Fn(T) -> Value,
) -> Result<Map<String, Value>, GraphError> {
    let limit = match call.query.get("limit") {
        None => DEFAULT_LIMIT,
        Some(text) => match text.parse::<usize>() {
            Ok(limit) if limit > 0 => limit.min(MAX_LIMIT),
            _ => return Err(GraphError::parameter("Param limit must be a positive integer.")),
        },
    };
    let (after, before) = (cursor(call, "after")?, cursor(call, "before")?);
    let inside = |position: u64| {
        after.is_none_or(|after| position > after) && before.is_none_or(|before| position < before)
    };
    let first_of_all = rows.first().map(|(position, _)| *position);
    let last_of_all = rows.last().map(|(position, _)| *position);
    let mut rows: Vec<(u64, T)> = rows.into_iter().filter(|(position, _)| inside(*position)).collect();
    if before.is_some() && after.is_none() {
        rows.drain(..rows.len().saturating_sub(limit));
    } else {
        rows.truncate(limit);
    }
    let mut answer = Map::new();
    let (first, last) = (rows.first().map(|(at, _)| *at), rows.last().map(|(at, _)| *at));
    answer.insert("data".to_owned(), rows.into_iter().map(|(_, row)| show(row)).collect());
    if let (Some(first), Some(last)) = (first, last) {
        let mut paging = Map::new();
        paging.insert("cursors".to_owned(), json!({ "before": encoded(first), "after": encoded(last) }));
        if Some(first) != first_of_all {
            paging.insert("previous".to_owned(), json!(address(core, call, "before", first)));
        }
        if Some(last) != last_of_all {
            paging.insert("next".to_owned(), json!(address(core, call, "after", last)));
        }
        answer.insert("paging".to_owned(), Value::Object(paging));
    }
    Ok(answer)
}

/// Selects the requested fields of a row; `id` is always among them.
pub(super) fn select(row: &Map<String, Value>, call: &Call, default: &[&str]) -> Value {
    let asked: Vec<&str> = match call.query.get("fields") {
        Some(fields) => fields.split(',').map(str::trim).collect(),
        None => default.to_vec(),
    };
    let fields = row.iter().filter(|(name, _)| *name == "id" || asked.contains(&name.as_str()));
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn encoded(position: impl Display) -> String {
    BASE64URL_NOPAD.encode(format!("at:{position}").as_bytes())
}

fn cursor(call: &Call, name: &str) -> Result<Option<u64>, GraphError> {
    let Some(text) = call.query.get(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let position = BASE64URL_NOPAD.decode(text.as_bytes()).ok().and_then(|bytes| {
        let text = String::from_utf8(bytes).ok()?;
        text.strip_prefix("at:")?.parse().ok()
    });
    position.map(Some).ok_or_else(|| GraphError::parameter(format!("Invalid cursor: {name}")))
}

/// Returns this page's address with another cursor, including the token, as the network does.
fn address(core: &Core, call: &Call, cursor: &str, position: u64) -> String {
    let mut url = core.base_url.clone();
    url.set_path(&format!("{}/{}", call.version, call.path.join("/")));
    let mut kept: Vec<(&String, &String)> = call.query.iter().collect();
    kept.retain(|(name, _)| !["after", "before", "access_token"].contains(&name.as_str()));
    kept.sort();
    url.query_pairs_mut()
        .append_pair("access_token", &call.token)
        .extend_pairs(kept)
        .append_pair(cursor, &encoded(position));
    url.to_string()
}
