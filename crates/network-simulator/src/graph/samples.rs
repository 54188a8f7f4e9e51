//! The app, and uploads of examples for templates' files: started at the app, then given their bytes.

use serde_json::{Value, json};

use super::call::Call;
use super::error::GraphError;
use crate::core::Core;

/// Prefix of an upload's id.
const UPLOAD: &str = "upload:";
/// Content types of an example.
const TYPES: [&str; 4] = ["image/jpeg", "image/png", "video/mp4", "application/pdf"];

/// Serves calls about the app or an upload; `None` for anything else.
pub(super) fn serve(core: &Core, call: &Call) -> Option<Result<Value, GraphError>> {
    let is_app = call.id() == core.config.app_id;
    match (call.method.as_str(), call.id(), call.edge()) {
        ("GET", "app", "") => Some(Ok(json!({ "id": core.config.app_id, "name": "Simulated app" }))),
        ("POST", _, "uploads") if is_app => Some(begin(core, call)),
        ("POST", id, "") if id.starts_with(UPLOAD) => Some(take(core, call)),
        _ => None,
    }
}

fn begin(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let required = |name: &str| {
        let missing = || GraphError::parameter(format!("The parameter {name} is required."));
        call.parameter(name).filter(|value| !value.is_empty()).ok_or_else(missing)
    };
    let (length, kind) = (required("file_length")?, required("file_type")?);
    let length: u64 =
        length.parse().map_err(|_| GraphError::parameter("Param file_length must be an integer."))?;
    if !TYPES.contains(&kind) {
        return Err(GraphError::parameter("Param file_type is not supported."));
    }
    Ok(json!({ "id": format!("{UPLOAD}{}-{length}?sig=simulated", core.ids.media()) }))
}

/// Takes the bytes of an upload. The handle contains the size, so that nothing needs to be stored.
fn take(core: &Core, call: &Call) -> Result<Value, GraphError> {
    if call.query.get("sig").map(String::as_str) != Some("simulated") {
        return Err(GraphError::parameter("The upload session is not signed."));
    }
    let announced = call.id().rsplit_once('-').and_then(|(_, length)| length.parse::<usize>().ok());
    if announced != Some(call.body.len()) || call.body.is_empty() {
        return Err(GraphError::parameter("The file has another length than was announced."));
    }
    Ok(json!({ "h": format!("4::{}", core.ids.media()) }))
}
