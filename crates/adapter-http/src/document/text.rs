//! The form in which a document is served and committed.

use serde_json::Value;
use utoipa::openapi::OpenApi;

/// Keys under which a document holds an example value.
const SAMPLES: [&str; 3] = ["example", "value", "x-codeSamples"];

/// Formats a document: JSON, indented, ending in a line break.
pub(super) fn format(document: &OpenApi) -> String {
    // Every key is a string and every value a plain one, so that writing it cannot fail.
    let mut document = serde_json::to_value(document).unwrap_or_default();
    sort_samples(&mut document);
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Sorts the keys of example values, however they were made. The document's own keys keep their order.
fn sort_samples(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                if SAMPLES.contains(&name.as_str()) {
                    value.sort_all_objects();
                } else {
                    sort_samples(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(sort_samples),
        _ => {}
    }
}
