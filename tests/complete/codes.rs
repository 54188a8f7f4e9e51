//! Every error code of the public API stands in the page that tells what to do about it, and no other does.

use std::collections::BTreeSet;

use serde_json::Value;

const PAGE: &str = include_str!("../../docs/use/troubleshooting.md");

/// The codes of the API's document.
fn documented(document: &Value) -> BTreeSet<String> {
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let words = schemas.values().filter(|schema| schema["properties"]["statusCode"].is_object());
    let words = words.filter_map(|schema| schema["properties"]["code"]["enum"].as_array()).flatten();
    words.map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// Codes that a page tells of, each with what it says: the rest of a table's row, or a section.
fn told(page: &str) -> Vec<(&str, &str)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let sections = page.split("\n#### `").skip(1).map(|rest| rest.split("\n#").next().unwrap());
    rows.chain(sections).map(|text| text.split_once('`').unwrap()).collect()
}

/// What is wrong with the page: codes without a row or a section, rows and sections of no code, and those
/// that say nothing.
fn faults(codes: &BTreeSet<String>, page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (code, text) in told(page) {
        let words = text.split_whitespace().filter(|word| *word != "|").count();
        let cells = text.split('|').filter(|cell| !cell.trim().is_empty()).count();
        if !codes.contains(code) {
            faults.push(format!("`{code}` is no code of the API"));
        }
        if words < 5 || (text.starts_with(" |") && cells != 2) {
            faults.push(format!("`{code}` does not say what to do"));
        }
        if !seen.insert(code.to_owned()) {
            faults.push(format!("`{code}` stands there twice"));
        }
    }
    faults.extend(
        codes.difference(&seen).map(|code| format!("`{code}` is not in docs/use/troubleshooting.md")),
    );
    faults
}

#[test]
fn every_code_of_the_api_has_a_row_or_a_section_that_says_what_to_do() {
    let document: Value = serde_json::from_str(adapter_http::openapi()).unwrap();
    let codes = documented(&document);
    assert!(codes.len() >= 22 && codes.contains("outcome_unknown"), "{codes:?}");
    let of_api = PAGE.split("\n## Codes of the dashboard").next().unwrap();
    assert_eq!(faults(&codes, of_api), Vec::<String>::new());
}

#[test]
fn every_code_of_the_dashboard_has_a_row_that_says_what_to_do() {
    let codes: BTreeSet<&str> = adapter_http::dashboard_codes().into_iter().collect();
    assert!(codes.len() >= 50 && codes.contains("import_running"), "{codes:?}");
    let rows: Vec<Vec<&str>> = PAGE
        .lines()
        .skip_while(|line| !line.starts_with("## Codes of the dashboard"))
        .take_while(|line| !line.starts_with("## Sent"))
        .filter_map(|line| Some(line.strip_prefix("| `")?.split(" | ").collect()))
        .collect();
    let short: Vec<_> = rows.iter().filter(|row| row.len() != 3).collect();
    assert!(short.is_empty(), "{short:?}");
    // What several codes have in common is told in one row.
    let named: Vec<&str> = rows.iter().flat_map(|row| row[0].split('`').step_by(2)).collect();
    let told: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!((&told, named.len()), (&codes, codes.len()));
}

#[test]
fn a_code_that_is_only_half_there_is_named() {
    let codes = ["parcel_lost", "parcel_late", "parcel_wet", "parcel_open"].map(str::to_owned);
    let page = "\n| `parcel_wet` | it was left in the rain for a night | |\n\
                | `parcel_open` | the tape did not hold | tape it again |\n\n\
                #### `parcel_late`\n\nWait.\n\n#### `parcel_found`\n\nThank whoever has found it.\n";
    let wanted = [
        "`parcel_wet` does not say what to do",
        "`parcel_late` does not say what to do",
        "`parcel_found` is no code of the API",
        "`parcel_lost` is not in docs/use/troubleshooting.md",
    ];
    assert_eq!(faults(&BTreeSet::from(codes), page), wanted);
}

/// Every status that an error without a code can have.
#[test]
fn every_status_of_the_document_is_explained() {
    let document: Value = serde_json::from_str(adapter_http::openapi()).unwrap();
    let operations = document["paths"].as_object().unwrap().values().filter_map(Value::as_object).flatten();
    let answers = operations.filter_map(|(_, operation)| operation["responses"].as_object()).flatten();
    let statuses: BTreeSet<&str> =
        answers.map(|(status, _)| status.as_str()).filter(|status| *status >= "4").collect();
    assert!(statuses.contains("429"), "{statuses:?}");
    for status in statuses.iter().filter(|status| !matches!(**status, "409" | "422" | "504")) {
        assert!(PAGE.contains(&format!("\n| {status} | ")), "{status}");
    }
}
