//! Buttons of a template send.

use serde_json::Value;

use super::parameters::{count_mismatch, format_mismatch};
use crate::graph::GraphError;
use crate::templates::Button;

/// Longest payload of a quick reply, in characters.
const MAX_PAYLOAD_CHARS: usize = 256;

/// A button component of a send.
pub(super) struct Filled<'a> {
    /// Position among all buttons, from 0.
    index: usize,
    /// In lower case.
    sub_type: String,
    parameters: &'a [Value],
}

impl<'a> Filled<'a> {
    pub(super) fn read(component: &Value, parameters: &'a [Value]) -> Result<Self, GraphError> {
        let index = match component.get("index") {
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_u64().and_then(|index| usize::try_from(index).ok()),
            None => None,
        };
        let sub_type = component.get("sub_type").and_then(Value::as_str);
        let missing = |field: &str| {
            GraphError::detailed(
                131_008,
                format!("buttons: Parameter '{field}' is mandatory for type 'button'"),
            )
        };
        Ok(Self {
            index: index.ok_or_else(|| missing("index"))?,
            sub_type: sub_type.ok_or_else(|| missing("sub_type"))?.to_ascii_lowercase(),
            parameters,
        })
    }
}

pub(super) fn check(buttons: &[Button], filled: &[Filled<'_>]) -> Result<(), GraphError> {
    for given in filled {
        let Some(button) = buttons.get(given.index) else {
            let details = format!("buttons: There is no button at index {}", given.index);
            return Err(GraphError::detailed(131_009, details));
        };
        check_one(button, given)?;
    }
    for (index, button) in buttons.iter().enumerate() {
        let given = filled.iter().any(|given| given.index == index);
        match button {
            Button::Url { variable: true } if !given => return Err(needs_parameter(index, "Url")),
            Button::CopyCode if !given => return Err(needs_parameter(index, "Copy_code")),
            _ => {}
        }
    }
    Ok(())
}

fn check_one(button: &Button, given: &Filled<'_>) -> Result<(), GraphError> {
    let (expected, kind) = match button {
        Button::Url { .. } => ("url", "text"),
        Button::QuickReply => ("quick_reply", "payload"),
        Button::CopyCode => ("copy_code", "coupon_code"),
        Button::Other(_) => return Ok(()),
    };
    if given.sub_type != expected {
        return Err(format_mismatch("buttons", &expected.to_ascii_uppercase(), &given.sub_type));
    }
    let allowed = usize::from(!matches!(button, Button::Url { variable: false }));
    if given.parameters.len() > allowed {
        return Err(count_mismatch("buttons", given.parameters.len(), allowed));
    }
    let Some(parameter) = given.parameters.first() else {
        return match button {
            Button::Url { variable: true } => Err(needs_parameter(given.index, "Url")),
            Button::CopyCode => Err(needs_parameter(given.index, "Copy_code")),
            _ => Ok(()),
        };
    };
    let received = parameter.get("type").and_then(Value::as_str).unwrap_or_default();
    if !received.eq_ignore_ascii_case(kind) {
        return Err(format_mismatch("buttons", &kind.to_ascii_uppercase(), received));
    }
    let value = parameter.get(kind).and_then(Value::as_str).filter(|value| !value.is_empty());
    let value = value.ok_or_else(|| needs_parameter(given.index, expected))?;
    if *button == Button::QuickReply && value.chars().count() > MAX_PAYLOAD_CHARS {
        return Err(GraphError::detailed(131_009, "buttons: A payload has at most 256 characters"));
    }
    Ok(())
}

fn needs_parameter(index: usize, kind: &str) -> GraphError {
    GraphError::detailed(
        131_008,
        format!("buttons: Button at index {index} of type {kind} requires a parameter"),
    )
}
