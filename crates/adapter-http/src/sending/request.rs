//! The body of a template send.

use std::{collections::BTreeMap, fmt};

use domain::sending::{HeaderRequest, IdempotencyKey, TemplateRequest, Variables};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use crate::body::Object;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SendBody {
    to: String,
    name: Option<String>,
    template: String,
    language: Option<String>,
    from: Option<String>,
    variables: Option<VariablesBody>,
    code: Option<String>,
    header: Option<Object<HeaderBody>>,
    button_variables: Option<Vec<String>>,
    reference: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderBody {
    text: Option<String>,
    link: Option<String>,
    filename: Option<String>,
}

/// By label or in order. Read by hand, so that an error names the value it is about.
struct VariablesBody(Variables);

impl SendBody {
    pub(super) fn into_request(self, key: Option<IdempotencyKey>) -> TemplateRequest {
        TemplateRequest {
            to: self.to,
            name: self.name,
            template: self.template,
            language: self.language,
            from: self.from,
            variables: self.variables.map(|VariablesBody(variables)| variables),
            code: self.code,
            header: self.header.map(|Object(header)| HeaderRequest {
                text: header.text,
                link: header.link,
                filename: header.filename,
            }),
            button_variables: self.button_variables,
            reference: self.reference,
            key,
        }
    }
}

impl<'de> Deserialize<'de> for VariablesBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VariablesVisitor).map(Self)
    }
}

struct VariablesVisitor;

impl<'de> Visitor<'de> for VariablesVisitor {
    type Value = Variables;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings or an array of strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Variables, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element()? {
            values.push(value);
        }
        Ok(Variables::Ordered(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Variables, A::Error> {
        let mut values = BTreeMap::new();
        while let Some((label, value)) = entries.next_entry()? {
            values.insert(label, value);
        }
        Ok(Variables::Named(values))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{ResponseError, http::StatusCode};
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::SendBody;
    use crate::body::read_json;

    /// Read, or refused with 400.
    fn is_read_or_refused(bytes: &[u8]) -> bool {
        match read_json::<SendBody>(bytes) {
            Ok(body) => !body.canonical.is_empty(),
            Err(problem) => problem.status_code() == StatusCode::BAD_REQUEST && problem.cause().is_none(),
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|entries| Value::Object(Map::from_iter(entries))),
            ]
        })
    }

    fn any_fields() -> impl Strategy<Value = Value> {
        let name = prop::sample::select(vec![
            "to",
            "name",
            "template",
            "language",
            "from",
            "variables",
            "code",
            "header",
            "buttonVariables",
            "reference",
            "other",
        ]);
        prop::collection::vec((name.prop_map(str::to_owned), any_json()), 0..11)
            .prop_map(|entries| Value::Object(Map::from_iter(entries)))
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
            prop_assert!(is_read_or_refused(&bytes));
        }

        #[test]
        fn any_text_that_looks_like_json_is_read_or_refused(text in r#"[{}\[\]":,\\u0-9a-z ]{0,64}"#) {
            prop_assert!(is_read_or_refused(text.as_bytes()));
        }

        #[test]
        fn any_values_of_the_fields_are_read_or_refused(value in any_fields()) {
            prop_assert!(is_read_or_refused(value.to_string().as_bytes()));
        }
    }
}
