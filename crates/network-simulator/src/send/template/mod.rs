//! Checks of a template send against the stored template.

mod buttons;
mod header;
mod parameters;

use std::sync::Arc;

use serde_json::Value;

use crate::graph::GraphError;
use crate::templates::{Shape, Template};

/// Name and language in a send.
pub(super) struct Name<'a> {
    pub(super) name: &'a str,
    pub(super) language: &'a str,
}

pub(super) fn name(content: &Value) -> Result<Name<'_>, GraphError> {
    let text = |pointer: &str, field: &str| {
        let text = content.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| {
            GraphError::detailed(131_008, format!("Parameter '{field}' is mandatory for type 'template'"))
        })
    };
    Ok(Name { name: text("/name", "name")?, language: text("/language/code", "language")? })
}

/// Returns the template if it may be sent.
pub(super) fn sendable(found: Option<Arc<Template>>, name: &Name<'_>) -> Result<Arc<Template>, GraphError> {
    let missing = || {
        let details = format!("template name ({}) does not exist in {}", name.name, name.language);
        GraphError::detailed(132_001, details)
    };
    let template = found.ok_or_else(missing)?;
    match template.status().as_str() {
        "APPROVED" | "REINSTATED" => Ok(template),
        "PAUSED" => Err(GraphError::of(132_015)),
        "DISABLED" => Err(GraphError::of(132_016)),
        _ => Err(missing()),
    }
}

/// Checks that a send fills every part of the template, and no other.
pub(super) fn check(shape: &Shape, content: &Value) -> Result<(), GraphError> {
    let components = match content.get("components") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(components)) => components.as_slice(),
        Some(_) => return Err(GraphError::parameter("Param template['components'] must be an array.")),
    };
    let mut header: &[Value] = &[];
    let mut body: &[Value] = &[];
    let mut buttons = Vec::new();
    for (at, component) in components.iter().enumerate() {
        let parameters = component.get("parameters").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let kind = component.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind.to_ascii_lowercase().as_str() {
            "header" => header = parameters,
            "body" => body = parameters,
            "button" => buttons.push(buttons::Filled::read(component, parameters)?),
            // Kinds that the simulator does not check.
            "carousel" | "limited_time_offer" | "order_status" => {}
            _ => {
                return Err(GraphError::parameter(format!(
                    "Param template['components'][{at}]['type'] must be one of {{HEADER, BODY, BUTTON}}."
                )));
            }
        }
    }
    header::check(&shape.header, shape.named, header)?;
    let code = parameters::check_text("body", &shape.body, shape.named, body, parameters::MAX_BODY_CHARS)?;
    if shape.authentication
        && let Some(code) = code
    {
        parameters::check_code(code)?;
    }
    buttons::check(&shape.buttons, &buttons)
}
