//! The variables of a text: `{{1}}`, `{{2}}` … or `{{name}}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Meaning of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// The contact's name.
    Name,
    Text,
}

impl VariableKind {
    pub const ALL: [Self; 2] = [Self::Name, Self::Text];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Text => "text",
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Variable whose value a send must give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The network's name for its place: a number or a name.
    pub place: String,
    /// Name under which the value is sent.
    pub label: String,
    pub kind: VariableKind,
}

impl Variable {
    /// Creates a variable labelled as the network names its place. The kind follows from that name
    /// (docs/use/rest-api.md, "Variables").
    pub fn of_place(place: String) -> Self {
        let kind = match place.as_str() {
            "name" | "customer_name" | "first_name" | "الاسم" => VariableKind::Name,
            _ => VariableKind::Text,
        };
        Self { label: place.clone(), place, kind }
    }

    /// Returns `true` if a value under this name is meant for it. The network's name stays valid beside the
    /// owners' label, so that nobody's sends break.
    pub fn is_called(&self, name: &str) -> bool {
        self.label == name || self.place == name
    }
}

enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// Splits a text at its placeholders. Unclosed and empty braces are text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}") else { break };
        let name = name.trim();
        pieces.push(Piece::Text(before));
        if name.is_empty() || name.contains(['{', '}']) {
            pieces.push(Piece::Text("{{"));
            rest = after;
        } else {
            pieces.push(Piece::Variable(name));
            rest = tail;
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Returns the names in a text's placeholders, each once: numbers in numerical order, then names in order of
/// appearance.
pub fn placeholders(text: &str) -> Vec<String> {
    let mut numbered = BTreeMap::new();
    let mut named: Vec<String> = Vec::new();
    for piece in pieces(text) {
        let Piece::Variable(name) = piece else { continue };
        if let Ok(number) = name.parse::<u32>() {
            numbered.insert(number, name.to_owned());
        } else if named.iter().all(|known| known != name) {
            named.push(name.to_owned());
        }
    }
    numbered.into_values().chain(named).collect()
}

/// Returns the text with each placeholder replaced by its value; one without a value stays.
pub fn render(text: &str, value_of: impl Fn(&str) -> Option<String>) -> String {
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Variable(name) => value_of(name).unwrap_or_else(|| format!("{{{{{name}}}}}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Variable, VariableKind, placeholders, render};

    #[test]
    fn placeholders_come_once_each_and_in_order() {
        for (text, wanted) in [
            ("none", vec![]),
            ("{{2}} then {{1}} then {{2}}", vec!["1", "2"]),
            ("{{10}} {{9}}", vec!["9", "10"]),
            ("مرحبا {{customer_name}}، طلبك {{ order }}", vec!["customer_name", "order"]),
            ("{{}} {{ }} {{open {{1}}", vec!["1"]),
        ] {
            assert_eq!(placeholders(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_value_that_looks_like_a_placeholder_is_not_filled_again() {
        let value_of = |name: &str| Some(if name == "1" { "{{2}}" } else { "two" }.to_owned());
        assert_eq!(render("{{1}} and {{2}}", value_of), "{{2}} and two");
    }

    #[test]
    fn the_label_tells_a_name() {
        for (label, kind) in [
            ("name", VariableKind::Name),
            ("customer_name", VariableKind::Name),
            ("first_name", VariableKind::Name),
            ("الاسم", VariableKind::Name),
            ("1", VariableKind::Text),
            ("Name", VariableKind::Text),
        ] {
            assert_eq!(Variable::of_place(label.to_owned()).kind, kind, "{label}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_and_put_together_again_without_loss(text in "[{}a1 ]{0,24}") {
            let spaces = |text: &str| text.replace(' ', "");
            prop_assert_eq!(spaces(&render(&text, |_| None)), spaces(&text));
        }
    }
}
