//! Templates: a row as on the wire, and the parts that a send has to fill.

mod authentication;
mod rules;
mod shape;
mod shelf;

use serde_json::{Map, Value, json};

pub(crate) use authentication::as_listed;
pub(crate) use rules::{check_name, check_ttl};
pub(crate) use shape::{Button, Header, Shape, Text};
pub(crate) use shelf::Shelf;

#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// The row as the Graph API lists it.
    pub(crate) row: Map<String, Value>,
    pub(crate) shape: Shape,
}

impl Template {
    /// Parses a row and fills in the defaults.
    pub(crate) fn from_row(row: Value, new_id: impl FnOnce() -> String) -> Result<Self, String> {
        let Value::Object(mut row) = row else {
            return Err("a template is an object".to_owned());
        };
        for field in ["name", "language"] {
            if row.get(field).and_then(Value::as_str).is_none_or(str::is_empty) {
                return Err(format!("a template needs `{field}`, a string"));
            }
        }
        if !row.contains_key("id") {
            row.insert("id".to_owned(), Value::String(new_id()));
        }
        if row.get("id").and_then(Value::as_str).is_none() {
            return Err("a template's `id` is a string".to_owned());
        }
        for (field, default) in [
            ("status", json!("APPROVED")),
            ("category", json!("UTILITY")),
            ("parameter_format", json!("POSITIONAL")),
            ("components", json!([])),
        ] {
            row.entry(field).or_insert(default);
        }
        let shape = Shape::of(&row);
        Ok(Self { row, shape })
    }

    /// Returns a text field of the row; empty if there is none.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.row.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }

    pub(crate) fn name(&self) -> &str {
        self.text("name")
    }

    pub(crate) fn language(&self) -> &str {
        self.text("language")
    }

    pub(crate) fn category(&self) -> String {
        self.text("category").to_ascii_uppercase()
    }

    pub(crate) fn status(&self) -> String {
        self.text("status").to_ascii_uppercase()
    }

    /// Returns the seconds that an undelivered message of it is kept, also if the row does not say
    /// (docs/run/networks.md, "Validity of templates").
    pub(crate) fn ttl_seconds(&self) -> u64 {
        const THIRTY_DAYS: u64 = 30 * 24 * 3600;
        match self.row.get("message_send_ttl_seconds").and_then(Value::as_i64) {
            Some(seconds) => u64::try_from(seconds).unwrap_or(THIRTY_DAYS),
            None if self.category() == "AUTHENTICATION" => 600,
            None => THIRTY_DAYS,
        }
    }
}
