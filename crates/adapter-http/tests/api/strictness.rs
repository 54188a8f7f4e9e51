//! Every body that is parsed refuses fields that it does not know.

use std::{fs, path::Path};

/// Where bodies are described: here, and by the domain where a body holds its types.
const SOURCES: [&str; 3] =
    ["src", "../domain/src/automations/rule.rs", "../domain/src/automations/settings.rs"];

/// Lists the types with named fields that a body may be parsed into and that pass over unknown fields.
fn lenient(source: &str) -> Vec<&str> {
    let derived = source.split("#[derive(").skip(1).filter_map(|rest| rest.split_once(")]"));
    let parsed = derived.filter(|(traits, _)| traits.split(", ").any(|name| name == "Deserialize"));
    let described = parsed.filter_map(|(_, rest)| {
        let at = rest.lines().position(|line| !line.trim().is_empty() && !line.trim().starts_with("#["))?;
        let (attributes, item): (Vec<_>, Vec<_>) =
            (rest.lines().take(at).collect(), rest.lines().skip(at).collect());
        Some((attributes.concat(), item))
    });
    let has_fields = |item: &[&str]| {
        let body = item.iter().take_while(|line| line.trim() != "}");
        item.first().is_some_and(|head| head.ends_with('{')) && body.skip(1).any(|line| line.contains(": "))
    };
    let lenient = described
        .filter(|(attributes, item)| has_fields(item) && !attributes.contains("deny_unknown_fields"));
    lenient.filter_map(|(_, item)| item.first().copied()).collect()
}

#[expect(clippy::unwrap_used, reason = "test support")]
fn each_source(path: &Path, look: &mut impl FnMut(&Path, &str)) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            each_source(&entry.unwrap().path(), look);
        }
    } else if path.extension().is_some_and(|kind| kind == "rs") {
        look(path, &fs::read_to_string(path).unwrap());
    }
}

#[test]
fn every_body_that_is_parsed_refuses_fields_that_it_does_not_know() {
    let mut bodies = 0;
    for place in SOURCES {
        each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join(place), &mut |path, source| {
            assert_eq!(lenient(source), Vec::<&str>::new(), "{}", path.display());
            bodies += source.matches("deny_unknown_fields").count();
        });
    }
    assert!(bodies > 20, "{bodies}");
}

#[test]
fn a_body_that_passes_over_unknown_fields_is_named() {
    let body =
        |attribute: &str, rest: &str| format!("#[derive(Debug, Deserialize)]\n{attribute}{rest}\n}}\n");
    let (fields, words) = ("struct Body {\n    name: String,", "enum Word {\n    One,");
    assert_eq!(lenient(&body("", fields)), ["struct Body {"]);
    assert_eq!(lenient(&body("#[serde(deny_unknown_fields)]\n", fields)), Vec::<&str>::new());
    assert_eq!(lenient(&body("", words)), Vec::<&str>::new());
    assert_eq!(lenient("#[derive(Deserialize)]\nstruct Id(Value);\n"), Vec::<&str>::new());
}
