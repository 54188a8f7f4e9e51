//! Output of a command: for a person, and with `--json` for a script.

use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

use crate::print::{one_line, printable};

#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    text: String,
    json: String,
    fails: bool,
}

impl Said {
    /// Makes output from words for a person at a terminal, and the same for a script.
    pub fn new(text: impl Into<String>, json: &Value) -> Self {
        Self { text: printable(&text.into()), json: sorted(json), fails: false }
    }

    /// Makes the output of a check: whether it holds, and why.
    pub fn verdict(holds: bool, text: String) -> Self {
        let json = json!({ "holds": holds, "message": text });
        Self::new(text, &json)
    }

    /// Marks the output as a failure: the command ends with 1.
    pub fn of_failure(self) -> Self {
        Self { fails: true, ..self }
    }

    pub fn fails(&self) -> bool {
        self.fails
    }

    /// Returns one line of JSON, or the text.
    pub fn printed(&self, json: bool) -> &str {
        if json { &self.json } else { &self.text }
    }
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        let json = json!({ "message": text });
        Self::new(text, &json)
    }
}

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// Rows of one kind, each with the same fields.
pub(super) struct Listing {
    /// Names of the fields in JSON.
    keys: &'static [&'static str],
    /// Number of fields that a table has room for.
    shown: usize,
    rows: Vec<Vec<Value>>,
    /// Column and the words that people read there in place of its values.
    words: Option<(&'static str, Vec<String>)>,
}

impl Listing {
    /// Makes a listing; `rows` have a value for each of `keys`, of which a table shows the first `shown`.
    pub(super) fn new(keys: &'static [&'static str], shown: usize, rows: Vec<Vec<Value>>) -> Self {
        Self { keys, shown, rows, words: None }
    }

    /// Replaces a column's values with these words, one for each row; a script still gets the values.
    pub(super) fn told(mut self, key: &'static str, words: Vec<String>) -> Self {
        self.words = Some((key, words));
        self
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Renders all rows: as a table, or as `{ "rows": … }`.
    pub(super) fn all(&self) -> Said {
        Said::new(self.table(), &self.json())
    }

    /// Renders a page, and where the next one begins: after `next`, which `option` takes and a script finds
    /// under `key`.
    pub(super) fn page(&self, option: &str, key: &str, next: &Value) -> Said {
        let mut text = self.table();
        if !next.is_null() {
            text = format!("{text}\nnext: {option} {}", cell(next));
        }
        let fields = [("rows", json!(self.objects())), (key, next.clone())];
        let fields = fields.map(|(key, value)| (key.to_owned(), value));
        Said::new(text, &Value::Object(fields.into_iter().collect()))
    }

    pub(super) fn json(&self) -> Value {
        json!({ "rows": self.objects() })
    }

    fn table(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let heads = self.keys.iter().map(|key| label(key).to_uppercase()).take(self.shown).collect();
        let cells = self.rows.iter().enumerate().map(|(nth, row)| self.cells(nth, row));
        table([heads].into_iter().chain(cells))
    }

    fn cells(&self, nth: usize, row: &[Value]) -> Vec<String> {
        let words = |key: &str| {
            let (of, words) = self.words.as_ref()?;
            words.get(nth).filter(|_| *of == key)
        };
        let row = self.keys.iter().zip(row).take(self.shown);
        row.map(|(key, value)| words(key).map_or_else(|| cell(value), |words| one_line(words))).collect()
    }

    fn objects(&self) -> Vec<Value> {
        self.rows.iter().map(|row| self.object(row)).collect()
    }

    /// Renders, with all its fields, the row whose field among `by` is `which`.
    pub(super) fn one(&self, by: &[&str], which: &str) -> Option<Said> {
        let which = which.trim();
        // Ids and addresses are also typed in capitals. An exact match comes first.
        let row = self.find(by, |text| text == which);
        let row = row.or_else(|| self.find(by, |text| text.to_lowercase() == which.to_lowercase()))?;
        let lines = self.keys.iter().zip(row).map(|(key, value)| vec![label(key), cell(value)]);
        Some(Said::new(table(lines), &self.object(row)))
    }

    fn find(&self, by: &[&str], fits: impl Fn(&str) -> bool) -> Option<&Vec<Value>> {
        self.rows.iter().find(|row| {
            let mut fields = self.keys.iter().zip(*row);
            fields.any(|(key, value)| by.contains(key) && value.as_str().is_some_and(&fits))
        })
    }

    pub(super) fn object(&self, row: &[Value]) -> Value {
        let fields = self.keys.iter().zip(row).map(|(key, value)| ((*key).to_owned(), value.clone()));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

/// Spells a key such as `networkId` as words.
fn label(key: &str) -> String {
    let mut words = String::new();
    for letter in key.chars() {
        if letter.is_uppercase() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => one_line(text),
        Value::Array(parts) if parts.is_empty() => "-".to_owned(),
        Value::Array(parts) => parts.iter().map(cell).collect::<Vec<_>>().join(","),
        Value::Number(_) | Value::Object(_) => sorted(value),
    }
}

/// Renders a value as JSON, with the keys of each object sorted.
fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

/// Renders aligned columns, two spaces apart, as wide as their widest cell on a terminal.
fn table(rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| {
            let blanks = " ".repeat(width.saturating_sub(cell.width()));
            [cell.as_str(), &blanks].concat()
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Listing, Said};

    fn fruits() -> Listing {
        let row = |values: Value| values.as_array().expect("a row").clone();
        let rows = vec![
            row(json!(["تفاح", 12, ["red", "green"], true])),
            row(json!(["fig", 3, [], false])),
            row(json!(["梨", null, ["yellow"], false])),
        ];
        Listing::new(&["name", "inStock", "colours", "fresh"], 3, rows)
    }

    #[test]
    fn a_table_is_aligned_whatever_the_script() {
        let wanted =
            "NAME  IN STOCK  COLOURS\nتفاح  12        red,green\nfig   3         -\n梨    -         yellow";
        assert_eq!(fruits().all().printed(false), wanted);
        assert_eq!(Listing::new(&["name"], 1, Vec::new()).all().printed(false), "");
    }

    #[test]
    fn a_row_stays_one_line_whatever_somebody_wrote_in_it() {
        let listing = Listing::new(&["id", "name"], 2, vec![vec![json!(1), json!("a\nb\u{1b}[2J")]]);
        assert_eq!(listing.all().printed(false), "ID  NAME\n1   a b\\u{1b}[2J");
        let script: Value = serde_json::from_str(listing.all().printed(true)).expect("JSON");
        assert_eq!(script["rows"][0]["name"], "a\nb\u{1b}[2J");
        assert_eq!(Said::from("a\nb\u{1b}").printed(false), "a\nb\\u{1b}");
    }

    #[test]
    fn a_script_gets_every_field_of_every_row() {
        let all: Value = serde_json::from_str(fruits().all().printed(true)).expect("JSON");
        let fig = json!({ "name": "fig", "inStock": 3, "colours": [], "fresh": false });
        assert_eq!((all["rows"].as_array().map(Vec::len), &all["rows"][1]), (Some(3), &fig));
        let one = fruits().one(&["name"], "fig").expect("a fig");
        assert_eq!(serde_json::from_str::<Value>(one.printed(true)).expect("JSON"), fig);
        assert_eq!(one.printed(false), "name      fig\nin stock  3\ncolours   -\nfresh     no");
        assert_eq!(fruits().one(&["colours"], "fig"), None);
        let typed = fruits().one(&["name"], " Fig ").expect("the same fig");
        assert_eq!(typed.printed(false), one.printed(false));
    }

    #[test]
    fn a_page_says_where_the_next_one_begins_and_the_last_one_that_there_is_none() {
        let page = fruits().page("--after", "nextAfter", &json!(7));
        assert!(page.printed(false).ends_with("\n梨    -         yellow\nnext: --after 7"), "{page:?}");
        let script: Value = serde_json::from_str(page.printed(true)).expect("JSON");
        assert_eq!((script["rows"].as_array().map(Vec::len), &script["nextAfter"]), (Some(3), &json!(7)));
        let last = Listing::new(&["name"], 1, Vec::new()).page("--cursor", "nextCursor", &Value::Null);
        let script: Value = serde_json::from_str(last.printed(true)).expect("JSON");
        assert_eq!((last.printed(false), script), ("", json!({ "rows": [], "nextCursor": null })));
    }

    #[test]
    fn people_may_read_other_words_than_a_script() {
        let told = ["none", "three", "one"].map(str::to_owned).to_vec();
        let listing = fruits().told("inStock", told);
        assert!(listing.all().printed(false).contains("\nfig   three     -"), "{:?}", listing.all());
        assert_eq!(listing.all().printed(true), fruits().all().printed(true));
    }

    #[test]
    fn a_sentence_is_a_message_for_a_script() {
        let said = Said::from("revoked");
        assert_eq!((said.printed(false), said.printed(true)), ("revoked", r#"{"message":"revoked"}"#));
    }
}
