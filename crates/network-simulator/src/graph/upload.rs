//! `POST /{number}/media`: uploads of files that the business is about to send.

use std::collections::HashMap;

use actix_web::web::Bytes;
use serde_json::{Value, json};

use super::call::Call;
use super::error::GraphError;
use crate::core::Core;
use crate::files::File;

/// Code for a file that is refused (docs/run/networks.md, "Files and captions").
const UPLOAD: i64 = 131_053;
const MB: usize = 1024 * 1024;

struct Part {
    content_type: Option<String>,
    has_file_name: bool,
    bytes: Bytes,
}

/// Stores the file; returns its id.
pub(super) fn take(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let parts = call.boundary.as_deref().map(|boundary| parts(&call.body, boundary)).unwrap_or_default();
    let product = parts.get("messaging_product").map(|part| part.bytes.as_ref());
    if product != Some(b"whatsapp") {
        return Err(GraphError::parameter("The parameter messaging_product is required."));
    }
    let file = parts.get("file").filter(|part| part.has_file_name);
    let file = file.ok_or_else(|| GraphError::parameter("The parameter file is required."))?;
    let content_type =
        file.content_type.clone().ok_or_else(|| GraphError::parameter("The file has no type."))?;
    let fits = !file.bytes.is_empty() && file.bytes.len() <= most_bytes(&content_type);
    if !fits {
        return Err(GraphError::detailed(UPLOAD, "The file is empty or too large for its type."));
    }
    let id = core.ids.media();
    let file =
        File { id: id.clone(), channel_id: call.id().to_owned(), content_type, bytes: file.bytes.clone() };
    core.files().put(file);
    Ok(json!({ "id": id }))
}

/// Returns the largest size of a file (docs/run/networks.md, "Files and captions").
fn most_bytes(content_type: &str) -> usize {
    match content_type.split_once('/') {
        _ if matches!(content_type, "image/jpeg" | "image/png") => 5 * MB,
        Some(("video" | "audio", _)) => 16 * MB,
        _ => 100 * MB,
    }
}

/// Splits a form into its parts, by name.
fn parts(body: &Bytes, boundary: &str) -> HashMap<String, Part> {
    let (delimiter, end) = (format!("--{boundary}\r\n"), format!("\r\n--{boundary}"));
    let mut parts = HashMap::new();
    let mut rest = 0;
    while let Some(start) = find(body, delimiter.as_bytes(), rest) {
        let head = start + delimiter.len();
        let Some(blank) = find(body, b"\r\n\r\n", head) else { break };
        let bytes = blank + 4;
        let Some(stop) = find(body, end.as_bytes(), bytes) else { break };
        let headers = String::from_utf8_lossy(body.get(head..blank).unwrap_or_default()).into_owned();
        if let Some(name) = between(&headers, " name=\"", "\"") {
            let kind = headers.lines().find_map(|line| line.strip_prefix("Content-Type: "));
            let part = Part {
                content_type: kind.map(str::to_owned),
                has_file_name: headers.contains("filename=\""),
                bytes: body.slice(bytes..stop),
            };
            parts.insert(name.to_owned(), part);
        }
        rest = stop;
    }
    parts
}

fn find(body: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = body.get(from..)?;
    rest.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    text.split_once(start)?.1.split_once(end).map(|(inner, _)| inner)
}
