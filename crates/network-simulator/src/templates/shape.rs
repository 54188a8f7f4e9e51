//! The parts of a template that a send has to fill, derived once from its row.

use serde_json::{Map, Value};

/// Parts of a template that take parameters.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) header: Header,
    pub(crate) body: Text,
    pub(crate) buttons: Vec<Button>,
    /// Whether parameters have names.
    pub(crate) named: bool,
    pub(crate) authentication: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Header {
    Absent,
    Text(Text),
    /// `IMAGE`, `VIDEO`, `DOCUMENT` or `GIF`.
    Media(String),
    Location,
    /// A format that the simulator does not know and does not check.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Names of the variables, each once, in the order in which parameters fill them.
    pub(crate) variables: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Button {
    Url {
        variable: bool,
    },
    QuickReply,
    CopyCode,
    /// A button without a parameter that the simulator checks.
    Other(String),
}

impl Shape {
    pub(crate) fn of(row: &Map<String, Value>) -> Self {
        let text_of = |field: &str| row.get(field).and_then(Value::as_str).unwrap_or_default();
        let authentication = text_of("category").eq_ignore_ascii_case("AUTHENTICATION");
        let mut shape = Self {
            header: Header::Absent,
            body: Text::default(),
            buttons: Vec::new(),
            named: text_of("parameter_format").eq_ignore_ascii_case("NAMED"),
            authentication,
        };
        for component in row.get("components").and_then(Value::as_array).into_iter().flatten() {
            let text = component.get("text").and_then(Value::as_str);
            match upper(component, "type").as_str() {
                "HEADER" => shape.header = header(component, text.unwrap_or_default()),
                // The body of a code's template is the network's own; it always takes the code.
                "BODY" if authentication => shape.body = Text::of(text.unwrap_or("{{1}}")),
                "BODY" => shape.body = Text::of(text.unwrap_or_default()),
                "BUTTONS" => {
                    let buttons = component.get("buttons").and_then(Value::as_array);
                    shape.buttons = buttons.into_iter().flatten().map(button).collect();
                }
                _ => {}
            }
        }
        shape
    }
}

impl Text {
    pub(crate) fn of(text: &str) -> Self {
        let mut variables: Vec<String> = Vec::new();
        for piece in text.split("{{").skip(1) {
            let Some((name, _)) = piece.split_once("}}") else { continue };
            let name = name.trim();
            let valid = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if valid && !variables.iter().any(|known| known == name) {
                variables.push(name.to_owned());
            }
        }
        if variables.iter().all(|name| name.parse::<u32>().is_ok()) {
            variables.sort_by_key(|name| name.parse::<u32>().unwrap_or_default());
        }
        Self { text: text.to_owned(), variables }
    }

    /// Renders the text with its variables filled.
    pub(crate) fn rendered<'a>(&self, values: impl Fn(&str) -> Option<&'a str>) -> String {
        let mut pieces = self.text.split("{{");
        let mut rendered = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let filled = piece.split_once("}}").and_then(|(name, rest)| Some((values(name.trim())?, rest)));
            if let Some((value, rest)) = filled {
                rendered.push_str(value);
                rendered.push_str(rest);
            } else {
                rendered.push_str("{{");
                rendered.push_str(piece);
            }
        }
        rendered
    }
}

fn upper(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_ascii_uppercase()
}

fn header(component: &Value, text: &str) -> Header {
    match upper(component, "format").as_str() {
        "TEXT" => Header::Text(Text::of(text)),
        "LOCATION" => Header::Location,
        media @ ("IMAGE" | "VIDEO" | "DOCUMENT" | "GIF") => Header::Media(media.to_owned()),
        _ => Header::Other,
    }
}

fn button(button: &Value) -> Button {
    match upper(button, "type").as_str() {
        "QUICK_REPLY" => Button::QuickReply,
        "COPY_CODE" => Button::CopyCode,
        "OTP" => Button::Url { variable: true },
        "URL" => {
            let url = button.get("url").and_then(Value::as_str).unwrap_or_default();
            Button::Url { variable: !Text::of(url).variables.is_empty() }
        }
        other => Button::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_from_the_text_once_each_and_in_number_order() {
        assert_eq!(Text::of("{{2}} {{1}} {{2}} {{10}}").variables, ["1", "2", "10"]);
        assert_eq!(Text::of("{{ name }} {{order_id}} {{}} {{a b}}").variables, ["name", "order_id"]);
        assert_eq!(Text::of("none").variables, Vec::<String>::new());
    }

    #[test]
    fn rendering_fills_what_has_a_value_and_leaves_the_rest() {
        let text = Text::of("Hi {{1}}, {{ 2 }} and {{3}}");
        let filled = text.rendered(|name| match name {
            "1" => Some("Sara"),
            "2" => Some("A-1042"),
            _ => None,
        });
        assert_eq!(filled, "Hi Sara, A-1042 and {{3}}");
    }
}
