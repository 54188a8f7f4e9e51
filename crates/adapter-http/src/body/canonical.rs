//! One text for all spellings of a JSON value.

use serde_json::Value;

/// The value without white space, the keys of every object sorted.
///
/// Hashes of it are kept with idempotency keys: it may not change between two versions of the program.
pub(super) fn text(value: &mut Value) -> String {
    // Objects keep their keys sorted unless a feature of `serde_json` is on, which any crate can turn on for all.
    value.sort_all_objects();
    value.to_string()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use serde_json::Value;

    use crate::body::strict::parse;

    fn canonical(text: &str) -> String {
        super::text(&mut parse(text.as_bytes()).unwrap())
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

    /// How version 0.1.0 wrote it: hashes of such texts are in databases.
    fn written(value: &Value) -> String {
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

    /// What a JSON body may hold, as deep as a caller would nest it.
    fn values() -> impl Strategy<Value = Value> {
        let numbers = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
        ];
        let scalars = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            numbers,
            any::<String>().prop_map(Value::from),
        ];
        scalars.prop_recursive(5, 64, 8, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..8).prop_map(Value::from),
                vec((any::<String>(), inner), 0..8).prop_map(|it| it.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_is_what_it_was_byte_for_byte(value in values()) {
            let text = super::text(&mut value.clone());
            prop_assert_eq!(&text, &written(&value));
            prop_assert_eq!(canonical(&text), text);
        }
    }

    #[test]
    fn the_bodies_of_the_documents_and_what_is_odd_in_json_are_written_as_they_were() {
        let documents = [
            include_str!("../../../../docs/openapi.json"),
            include_str!("../../../../docs/dashboard-openapi.json"),
        ];
        let odd = [
            r#"{"z":1e2,"a":1.0,"m":-0,"n":-0.0,"e":1E-7,"big":18446744073709551615,"far":1e300}"#,
            r#"{"":"","\u0000":"\u007f\u2028","\ud83d\ude00":"\/","A":1,"a":2,"\u00e4":3}"#,
            r#"{"a":[[],{},[{"b":[],"a":{}}]]}"#,
        ];
        for text in documents.into_iter().chain(odd) {
            let mut value: Value = serde_json::from_str(text).unwrap();
            let before = written(&value);
            assert_eq!(super::text(&mut value), before);
        }
    }
}
