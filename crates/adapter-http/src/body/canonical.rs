//! One text for all spellings of a JSON value.

use serde_json::Value;

/// The value without white space, the keys of every object sorted. It nests no deeper than the parser allows.
pub(super) fn text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => between('[', items, ']', text, write),
        Value::Object(entries) => {
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            between('{', entries, '}', text, |(key, value), text| {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, text);
            });
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn between<I: IntoIterator>(
    open: char,
    items: I,
    close: char,
    text: &mut String,
    each: impl Fn(I::Item, &mut String),
) {
    text.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        each(item, text);
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use crate::body::strict::parse;

    fn canonical(text: &str) -> String {
        super::text(&parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn key_order_white_space_and_escapes_do_not_count() {
        let wanted = r#"{"a":{"c":null,"d":[1,true,"\"é"]},"b":2}"#;
        for text in [
            wanted,
            r#" { "b" : 2, "a" : { "d" : [ 1 , true, "\"\u00e9" ], "c" : null } } "#,
            r#"{"\u0062":2,"a":{"d":[1,true,"\u0022é"],"c":null}}"#,
        ] {
            assert_eq!(canonical(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_differs_stays_different() {
        let texts = [r#"{"a":1}"#, r#"{"a":"1"}"#, r#"{"a":[1]}"#, r#"{"a":null}"#, "{}", r#"{"a":[1,2]}"#]
            .map(canonical);
        for (index, text) in texts.iter().enumerate() {
            assert!(!texts[..index].contains(text), "{text}");
        }
    }
}
