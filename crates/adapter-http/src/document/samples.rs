//! Samples of each call in four languages: parts of the programs in `docs/use/calls`, which the tests run as
//! they stand.

use serde_json::{Value, json};
use utoipa::openapi::{OpenApi, path::Operation};

/// A program that makes every call.
pub(super) struct Program {
    lang: &'static str,
    label: &'static str,
    pub(super) text: &'static str,
}

pub(super) const SHELL: Program =
    Program { lang: "Shell", label: "curl", text: include_str!("../../../../docs/use/calls/calls.sh") };
pub(super) const TYPESCRIPT: Program = Program {
    lang: "TypeScript",
    label: "TypeScript",
    text: include_str!("../../../../docs/use/calls/calls.ts"),
};
pub(super) const PYTHON: Program =
    Program { lang: "Python", label: "Python", text: include_str!("../../../../docs/use/calls/calls.py") };
pub(super) const RUST: Program =
    Program { lang: "Rust", label: "Rust", text: include_str!("../../../../docs/use/calls/calls.rs") };

/// Key under which viewers of OpenAPI documents look for programs.
const NAME: &str = "x-codeSamples";

/// Adds to each operation samples of its call.
pub(super) fn add(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        let methods = [
            ("GET", &mut item.get),
            ("POST", &mut item.post),
            ("PATCH", &mut item.patch),
            ("PUT", &mut item.put),
            ("DELETE", &mut item.delete),
        ];
        for (method, operation) in methods {
            if let Some(operation) = operation {
                show(operation, method, path);
            }
        }
    }
}

fn show(operation: &mut Operation, method: &str, path: &str) {
    let programs = [SHELL, TYPESCRIPT, PYTHON, RUST];
    let found: Vec<Value> = programs.iter().filter_map(|program| program.sample(method, path)).collect();
    if !found.is_empty() {
        let extensions = operation.extensions.get_or_insert_default();
        extensions.insert(NAME.to_owned(), found.into());
    }
}

impl Program {
    /// Returns the first part that makes the call. Parts are separated by empty lines.
    fn sample(&self, method: &str, path: &str) -> Option<Value> {
        let part = self.text.split("\n\n").find(|part| makes(part, method, path))?;
        Some(json!({ "lang": self.lang, "label": self.label, "source": shown(part) }))
    }
}

/// Returns whether a part makes the call, whatever its language puts between the method and the path.
fn makes(part: &str, method: &str, path: &str) -> bool {
    let plain = part.replace("Method::", "").replace("&[", "").replace(['"', ','], "");
    let (head, tail) = path.split_once("{id}").unwrap_or((path, ""));
    let wanted = format!("{method} {head}");
    let mut rests = plain.lines().filter_map(|line| Some(line.split_once(&wanted)?.1));
    rests.any(|rest| match (head == path, tail) {
        (true, _) => !rest.starts_with(|next: char| next == '/' || next.is_alphanumeric()),
        (false, "") => !rest.contains('/'),
        (false, tail) => rest.contains(tail),
    })
}

/// Returns a part from its comment on, without the comment's indentation.
fn shown(part: &str) -> String {
    let begins = |line: &str| line.trim_start().starts_with("# ") || line.trim_start().starts_with("// ");
    let lines: Vec<&str> = part.lines().skip_while(|line| !begins(line)).collect();
    let indent = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
    let lines = lines.iter().map(|line| line.get(indent..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{PYTHON, makes, shown};
    use crate::document::openapi;

    #[test]
    fn every_call_is_shown_in_four_languages_by_itself() {
        let document: Value = serde_json::from_str(openapi()).unwrap();
        let mut calls = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let samples =
                    operation["x-codeSamples"].as_array().unwrap_or_else(|| panic!("{method} {path}"));
                let labels: Vec<&str> =
                    samples.iter().map(|sample| sample["label"].as_str().unwrap()).collect();
                assert_eq!(labels, ["curl", "TypeScript", "Python", "Rust"], "{method} {path}");
                for sample in samples {
                    let source = sample["source"].as_str().unwrap();
                    assert!(makes(source, &method.to_uppercase(), path), "{method} {path}: {source}");
                    let (lines, begins) = (source.lines().count(), source.starts_with(['#', '/']));
                    assert!(begins && (2..16).contains(&lines), "{method} {path}: {source}");
                }
                calls += 1;
            }
        }
        assert!(calls >= 13, "{calls}");
    }

    #[test]
    fn a_part_is_found_by_its_call_and_shown_from_its_comment_on() {
        let part = "def main():\n    # Who am I?\n    print(call(\"GET\", \"/v1/me\"))";
        assert_eq!(shown(part), "# Who am I?\nprint(call(\"GET\", \"/v1/me\"))");
        for (line, path, made) in [
            ("call GET \"/v1/me\"", "/v1/me", true),
            ("call GET \"/v1/messages?reference=1\"", "/v1/me", false),
            ("call(\"GET\", \"/v1/messages?reference=1\")", "/v1/messages", true),
            ("call(\"GET\", \"/v1/messages/\" + id)", "/v1/messages", false),
            ("call(\"GET\", \"/v1/messages/\" + id)", "/v1/messages/{id}", true),
            (
                "call(Method::GET, &[\"/v1/conversations/\", id, \"/messages\"].concat())",
                "/v1/conversations/{id}",
                false,
            ),
            (
                "call(Method::GET, &[\"/v1/conversations/\", id, \"/messages\"].concat())",
                "/v1/conversations/{id}/messages",
                true,
            ),
            ("call(\"POST\", \"/v1/me\")", "/v1/me", false),
        ] {
            assert_eq!(makes(line, "GET", path), made, "{line}: {path}");
        }
        assert!(PYTHON.sample("DELETE", "/v1/contacts/{id}").is_none());
    }
}
