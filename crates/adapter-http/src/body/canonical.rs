//! One text for all spellings of a JSON value.

use std::io;

use serde::Serialize;
use serde_json::{Serializer, Value, ser::Formatter};

/// Bound below which each whole number is a float of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Formats the value without white space, with the keys of every object sorted and whole numbers without a
/// point.
///
/// Hashes of the text are kept with idempotency keys: it may not change between two versions of the program.
pub(super) fn text(value: &mut Value) -> String {
    // Objects keep their keys sorted unless a feature of `serde_json` is on, which any crate can turn on for
    // all.
    value.sort_all_objects();
    let mut text = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut text, Canonical));
    // A parsed value can always be serialised.
    written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_else(|| value.to_string())
}

/// Formatter that writes `33.0` and `3.3e1` as `33`.
struct Canonical;

impl Formatter for Canonical {
    fn write_f64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        // Beyond that, several whole numbers are read as one.
        if value.fract() == 0.0 && value.abs() < EXACT {
            // Without the sign of a zero.
            write!(writer, "{:.0}", value + 0.0)
        } else {
            serde_json::ser::CompactFormatter.write_f64(writer, value)
        }
    }
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
    fn numbers_that_are_equal_are_one_however_they_are_written() {
        for (wanted, spellings) in [
            (r#"{"latitude":33}"#, ["33", "33.0", "33.000", "3.3e1", "330e-1"]),
            (r#"{"latitude":-5}"#, ["-5", "-5.0", "-5e0", "-0.5E1", "-50e-1"]),
            (r#"{"latitude":0}"#, ["0", "0.0", "-0", "-0.0", "0e9"]),
            (
                r#"{"latitude":9007199254740991}"#,
                [
                    "9007199254740991",
                    "9007199254740991.0",
                    "9007199254740991e0",
                    "9.007199254740991e15",
                    "9007199254740991.00",
                ],
            ),
        ] {
            for spelling in spellings {
                assert_eq!(canonical(&format!(r#"{{"latitude":{spelling}}}"#)), wanted, "{spelling}");
            }
        }
    }

    #[test]
    fn numbers_that_differ_stay_different_also_where_a_float_does_not_tell_them_apart() {
        for (one, other) in [
            ("33", "33.5"),
            ("33", "\"33\""),
            ("33.3", "33.30000000000001"),
            ("9007199254740993", "9007199254740993.0"),
            ("9007199254740992", "9007199254740993.0"),
            ("18446744073709551615", "18446744073709551615.0"),
        ] {
            assert_ne!(canonical(one), canonical(other));
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

    /// Formats a value as version 0.1.0 did, except whole numbers with a point: hashes of such texts are in
    /// databases.
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

    /// Makes values that a JSON body may hold, as deep as a caller would nest them.
    fn values() -> impl Strategy<Value = Value> {
        let numbers = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("no whole number", |it| it.fract() != 0.0 || it.abs() >= super::EXACT)
                .prop_map(Value::from),
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
    fn the_bodies_of_the_document_and_what_is_odd_in_json_are_written_as_they_were() {
        let document = include_str!("../../../../docs/openapi.json");
        let odd = [
            r#"{"z":-1.5e-2,"a":0.1,"e":1E-7,"big":18446744073709551615,"low":-9223372036854775808,"far":1e300}"#,
            r#"{"":"","\u0000":"\u007f\u2028","\ud83d\ude00":"\/","A":1,"a":2,"\u00e4":3}"#,
            r#"{"a":[[],{},[{"b":[],"a":{}}]]}"#,
        ];
        for text in [document].into_iter().chain(odd) {
            let mut value: Value = serde_json::from_str(text).unwrap();
            let before = written(&value);
            assert_eq!(super::text(&mut value), before);
        }
    }
}
