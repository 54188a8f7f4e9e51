//! Parameters of a text with variables.

use serde_json::Value;

use crate::graph::GraphError;
use crate::templates::Text;

/// Longest body once its variables are filled, in characters (docs/run/networks.md, "Template sends").
pub(super) const MAX_BODY_CHARS: usize = 1024;
/// Longest header text once its variable is filled.
pub(super) const MAX_HEADER_CHARS: usize = 60;
/// Longest one-time code.
const MAX_CODE_CHARS: usize = 15;

/// Checks the parameters of `part` (`header`, `body`) and returns the first value.
pub(super) fn check_text<'a>(
    part: &str,
    text: &Text,
    named: bool,
    parameters: &'a [Value],
    max_chars: usize,
) -> Result<Option<&'a str>, GraphError> {
    let mut values: Vec<(Option<&str>, &'a str)> = Vec::new();
    for parameter in parameters {
        let name = parameter.get("parameter_name").and_then(Value::as_str).filter(|name| !name.is_empty());
        if named && name.is_none() {
            return Err(GraphError::detailed(100, "Parameter name is missing or empty"));
        }
        values.push((name, value(part, parameter)?));
    }
    let given = if named {
        text.variables.iter().filter(|wanted| values.iter().any(|(name, _)| *name == Some(wanted))).count()
    } else {
        values.len()
    };
    if given != text.variables.len() || values.len() != text.variables.len() {
        return Err(count_mismatch(part, if named { given } else { values.len() }, text.variables.len()));
    }
    let filled = text.rendered(|variable| {
        let position = text.variables.iter().position(|known| known == variable)?;
        let found = if named {
            values.iter().find(|(name, _)| *name == Some(variable))
        } else {
            values.get(position)
        };
        found.map(|(_, value)| *value)
    });
    if filled.chars().count() > max_chars {
        let details = format!("{part}: the text is longer than {max_chars} characters once it is filled");
        return Err(GraphError::detailed(132_005, details));
    }
    Ok(values.first().map(|(_, value)| *value))
}

/// Checks the length of a one-time code.
pub(super) fn check_code(code: &str) -> Result<(), GraphError> {
    if code.chars().count() <= MAX_CODE_CHARS {
        return Ok(());
    }
    Err(GraphError::detailed(132_018, "A one-time code has at most 15 characters"))
}

/// Returns the value of a parameter in a text.
fn value<'a>(part: &str, parameter: &'a Value) -> Result<&'a str, GraphError> {
    let kind = parameter.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let found = match kind.as_str() {
        "text" => parameter.get("text"),
        "currency" => parameter.pointer("/currency/fallback_value"),
        "date_time" => parameter.pointer("/date_time/fallback_value"),
        _ => return Err(format_mismatch(part, "TEXT", &kind)),
    };
    let text = found.and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        GraphError::detailed(131_008, format!("{part}: Parameter of type {kind} is missing text value"))
    })?;
    if text.contains(['\n', '\r', '\t']) || text.contains("     ") {
        let details = "Param text cannot have new-line/tab characters or more than 4 consecutive spaces";
        return Err(GraphError::detailed(132_018, details));
    }
    Ok(text)
}

/// Returns the error for a wrong number of parameters.
pub(super) fn count_mismatch(part: &str, given: usize, expected: usize) -> GraphError {
    let details = format!(
        "{part}: number of localizable_params ({given}) does not match the expected number of params ({expected})"
    );
    GraphError::detailed(132_000, details)
}

/// Returns the error for a wrong kind of parameter; an empty `received` is `UNKNOWN`.
pub(super) fn format_mismatch(part: &str, expected: &str, received: &str) -> GraphError {
    let received = if received.is_empty() { "UNKNOWN".to_owned() } else { received.to_ascii_uppercase() };
    let details = format!("{part}: Format mismatch, expected {expected}, received {received}");
    GraphError::detailed(132_012, details)
}
