//! Header of a template send.

use serde_json::Value;

use super::parameters::{MAX_HEADER_CHARS, check_text, count_mismatch, format_mismatch};
use crate::graph::GraphError;
use crate::send::content;
use crate::templates::{Header, Text};

pub(super) fn check(header: &Header, named: bool, parameters: &[Value]) -> Result<(), GraphError> {
    match header {
        Header::Absent => {
            check_text("header", &Text::default(), false, parameters, MAX_HEADER_CHARS)?;
            Ok(())
        }
        Header::Text(text) => {
            check_text("header", text, named, parameters, MAX_HEADER_CHARS)?;
            Ok(())
        }
        Header::Media(format) => {
            let expected = format.to_ascii_lowercase();
            let media = only(parameters, format)?;
            let media = media.get(&expected).filter(|media| media.is_object());
            let media = media.ok_or_else(|| format_mismatch("header", format, ""))?;
            content::media(&expected, media)
        }
        Header::Location => {
            let location = only(parameters, "LOCATION")?;
            let location = location.get("location").filter(|location| location.is_object());
            content::check("location", location.ok_or_else(|| format_mismatch("header", "LOCATION", ""))?)
        }
        Header::Other => Ok(()),
    }
}

/// Returns the only parameter of a header that is no text.
fn only<'a>(parameters: &'a [Value], format: &str) -> Result<&'a Value, GraphError> {
    match parameters {
        [] => Err(format_mismatch("header", format, "")),
        [parameter] => {
            let kind = parameter.get("type").and_then(Value::as_str).unwrap_or_default();
            if kind.eq_ignore_ascii_case(format) {
                Ok(parameter)
            } else {
                Err(format_mismatch("header", format, kind))
            }
        }
        more => Err(count_mismatch("header", more.len(), 1)),
    }
}
