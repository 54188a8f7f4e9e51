//! A whole answer, as a list of its values.

use std::borrow::Cow;

use super::{
    entry::{Entry, Kind},
    scan,
};

/// The JSON of a body. Nothing in it is decoded before it is asked for.
pub(crate) struct Document<'a> {
    text: &'a str,
    /// Entries in the order in which they are written; in an object, each name before its value.
    entries: Vec<Entry>,
}

/// A value in a document.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    document: &'a Document<'a>,
    number: u32,
}

impl<'a> Document<'a> {
    /// Parses a body; `None` if it holds no JSON, or more than one value. A byte-order mark before it, which
    /// some languages write, is skipped.
    pub(crate) fn read(body: &'a [u8]) -> Option<Self> {
        let text = simdutf8::basic::from_utf8(body).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Some(Self { text, entries: scan::entries(text)? })
    }

    fn between(&self, start: u32, end: u32) -> &'a str {
        let place = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        place.and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }

    /// Returns the value that holds all others.
    pub(crate) const fn root(&'a self) -> Value<'a> {
        Value { document: self, number: 0 }
    }
}

impl<'a> Value<'a> {
    fn entry(&self) -> &'a Entry {
        const NOTHING: Entry = Entry { start: 0, end: 0, next: u32::MAX, kind: Kind::Null, escaped: false };
        usize::try_from(self.number)
            .ok()
            .and_then(|number| self.document.entries.get(number))
            .unwrap_or(&NOTHING)
    }

    pub(crate) fn kind(&self) -> Kind {
        self.entry().kind
    }

    /// Returns a number as it is written.
    pub(crate) fn number(&self) -> Option<&'a str> {
        let entry = self.entry();
        (entry.kind == Kind::Number).then(|| self.document.between(entry.start, entry.end))
    }

    /// Decodes a text. `None` if it is no text, or not Unicode, as half of a surrogate pair is.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        let entry = self.entry();
        if entry.kind != Kind::Text {
            return None;
        }
        if entry.escaped {
            let quoted = self.document.between(entry.start.checked_sub(1)?, entry.end.checked_add(1)?);
            return serde_json::from_str(quoted).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(self.document.between(entry.start, entry.end)))
    }

    /// Decodes a text without halves of surrogate pairs: a text that was cut within an emoji ends in one.
    pub(crate) fn readable_text(&self) -> Option<Cow<'a, str>> {
        self.text().or_else(|| {
            let entry = self.entry();
            let written =
                (entry.kind == Kind::Text).then(|| self.document.between(entry.start, entry.end))?;
            let whole = without_halves(written)?;
            serde_json::from_str(&format!("\"{whole}\"")).ok().map(Cow::Owned)
        })
    }

    pub(crate) fn items(&self) -> Option<impl Iterator<Item = Self> + Clone + use<'a>> {
        (self.kind() == Kind::Array).then(|| self.inside())
    }

    /// Returns the members of an object, in pairs of name and value.
    pub(crate) fn members(&self) -> Option<impl Iterator<Item = (Self, Self)> + Clone + use<'a>> {
        let mut inside = (self.kind() == Kind::Object).then(|| self.inside())?;
        Some(std::iter::from_fn(move || inside.next().zip(inside.next())))
    }

    fn inside(&self) -> impl Iterator<Item = Self> + Clone + use<'a> {
        let (document, end) = (self.document, self.entry().next);
        let mut number = self.number.saturating_add(1);
        std::iter::from_fn(move || {
            let value = (number < end).then_some(Self { document, number })?;
            number = value.entry().next;
            Some(value)
        })
    }
}

/// Removes the escapes that are half of a surrogate pair.
fn without_halves(written: &str) -> Option<String> {
    let unit = |escape: &str| u16::from_str_radix(escape.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut kept = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, escape)) = rest.find('\\').map(|at| rest.split_at(at)) {
        kept.push_str(before);
        let (length, is_half) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(first), _) => (6, (0xd800..=0xdfff).contains(&first)),
            (None, _) => (2, false),
        };
        kept.push_str(if is_half { "" } else { escape.get(..length)? });
        rest = escape.get(length..)?;
    }
    kept.push_str(rest);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, value::RawValue};

    use super::{Document, Kind, Value};

    /// Decodes the value as `serde_json` has it.
    fn decoded(value: &Value<'_>) -> Option<Json> {
        Some(match value.kind() {
            Kind::Null => Json::Null,
            Kind::Bool(value) => value.into(),
            Kind::Number => serde_json::from_str(value.number()?).ok()?,
            Kind::Text => value.text()?.into_owned().into(),
            Kind::Array => value.items()?.map(|item| decoded(&item)).collect::<Option<Vec<_>>>()?.into(),
            Kind::Object => {
                let members =
                    value.members()?.map(|(name, value)| Some((name.text()?.into_owned(), decoded(&value)?)));
                members.collect::<Option<serde_json::Map<_, _>>>()?.into()
            }
        })
    }

    fn agrees(text: &str) {
        let document = Document::read(text.as_bytes());
        let taken = serde_json::from_str::<&RawValue>(text);
        assert_eq!(document.is_some(), taken.is_ok(), "{text}");
        let Some(document) = document else { return };
        let root = document.root();
        if let Ok(json) = serde_json::from_str::<Json>(text) {
            assert_eq!(decoded(&root), Some(json), "{text}");
        }
    }

    #[test]
    fn what_is_json_is_read_and_nothing_else() {
        for text in [
            "",
            " ",
            "null",
            " true\n",
            "false",
            "nul",
            "nulll",
            "truefalse",
            "0",
            "-0",
            "01",
            "-",
            "1.",
            ".5",
            "1.5e",
            "1e+",
            "1E-7",
            "-12.50e+3",
            "1 2",
            "+1",
            "0x1",
            "1e999",
            "NaN",
            r#""""#,
            r#"""#,
            r#""a"#,
            r#""\"""#,
            r#""\u00e9\ud83d\ude00\n""#,
            r#""\ud800""#,
            r#""\u12g4""#,
            r#""\u12"#,
            r#""\x""#,
            "\"a\tb\"",
            "\"\u{7f}\"",
            "\"\u{1f}\"",
            "\"حليب كامل الدسم\u{1}\"",
            "\"12345678\\\"90\"",
            "[]",
            "[ ]",
            "[,]",
            "[1,]",
            "[1 2]",
            "[1,2",
            "]",
            "{}",
            "{ }",
            "{,}",
            r#"{"a":1,}"#,
            r#"{"a" : [ {} , [] ] , "a" : null}"#,
            r#"{"a"}"#,
            r#"{"a":}"#,
            "{a:1}",
            "{1:2}",
            "[}",
            "{]",
            r#"["a":1]"#,
            r#"{"a",1}"#,
            "[[[[]]]]",
            "[1]]",
            "{}x",
            "\u{a0}1",
            "[\u{b}]",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn a_text_that_was_cut_within_a_letter_is_read_without_it() {
        for (written, read) in [
            (r#""حليب \ud83d""#, "حليب "),
            (r#""\ude00\n\"x\\\ud800\u0041""#, "\n\"x\\A"),
            (r#""\ud83d\ude00 \ud83d\ud83d\ude00""#, "\u{1f600} \u{1f600}"),
            (r#""plain""#, "plain"),
        ] {
            let document = Document::read(written.as_bytes()).unwrap();
            assert_eq!(document.root().readable_text().unwrap(), read, "{written}");
        }
        assert!(Document::read(b"7").unwrap().root().readable_text().is_none());
    }

    #[test]
    fn what_stands_in_one_another_is_found_again() {
        let text = r#"{"a":[1,{"b":"x"},[[]],"y"],"c":{},"d\n":-1.50}"#;
        let document = Document::read(text.as_bytes()).unwrap();
        let members: Vec<_> = document.root().members().unwrap().collect();
        let [(a, items), (_, empty), (d, number)] = members[..] else { panic!("{} members", members.len()) };
        assert_eq!((a.text().unwrap(), d.text().unwrap()), ("a".into(), "d\n".into()));
        let kinds: Vec<_> = items.items().unwrap().map(|item| item.kind()).collect();
        assert_eq!(kinds, [Kind::Number, Kind::Object, Kind::Array, Kind::Text]);
        assert_eq!((empty.members().unwrap().count(), number.number()), (0, Some("-1.50")));
        assert!(number.items().is_none() && number.members().is_none() && number.text().is_none());
    }

    fn json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            "\\PC{0,20}|.{0,20}|[\\x00-\\x7f]{0,20}".prop_map(Json::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                prop::collection::vec((".{0,9}", inner), 0..6)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_agrees_with_another_reader(json in json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&json) } else { serde_json::to_string(&json) };
            agrees(&text.unwrap());
        }

        #[test]
        fn it_agrees_about_what_was_damaged(
            json in json(),
            at in any::<prop::sample::Index>(),
            put in "[\\[\\]{}\",:\\\\0-9eE.+ntfu \\x00-\\x1f-]{0,3}",
            cut in 0_usize..3,
        ) {
            let letters: Vec<char> = json.to_string().chars().collect();
            let at = at.index(letters.len());
            let rest = letters.iter().skip(at + cut);
            let text: String = letters.iter().take(at).chain(put.chars().collect::<Vec<_>>().iter()).chain(rest).collect();
            agrees(&text);
        }

        #[test]
        fn it_agrees_about_signs(text in "[\\[\\]{}\",:\\\\0-9eE.+ntfua-]{0,12}") {
            agrees(&text);
        }
    }
}
