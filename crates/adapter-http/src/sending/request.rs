//! The body of a template send.

use std::{collections::BTreeMap, fmt};

use domain::sending::{HeaderRequest, IdempotencyKey, Location, TemplateRequest, Variables};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, SeqAccess, Visitor},
};

use utoipa::ToSchema;

use crate::body::Object;

/// A template, to whom, and the values for its places.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = TemplateSend)]
pub(super) struct SendBody {
    /// The number, as people write it.
    to: String,
    /// The person's name, used only when they are not known yet; an empty one is none. Ignored for a one-time
    /// code.
    #[schema(max_length = 200)]
    name: Option<String>,
    /// The approved template's name.
    #[schema(min_length = 1, max_length = 512)]
    template: String,
    /// A language code; without it, the approved template's.
    #[schema(min_length = 1, max_length = 35)]
    language: Option<String>,
    /// The sending number as people write it, or its id at the network: one of the template's `numbers`.
    /// Without it, the first connected number of the template's account.
    from: Option<String>,
    #[schema(value_type = Option<VariablesSchema>)]
    variables: Option<VariablesBody>,
    /// For a one-time-code template: 1 to 15 letters, digits and dashes.
    code: Option<String>,
    #[schema(value_type = Option<HeaderBody>)]
    header: Option<Object<HeaderBody>>,
    /// One for each URL button that needs one, in the order of the buttons.
    button_variables: Option<Vec<String>>,
    /// The caller's own id for this send; every event about it has it.
    #[schema(min_length = 1, max_length = 128)]
    reference: Option<String>,
}

/// A template and the values for its places; the conversation says the rest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = ConversationTemplate)]
pub(crate) struct ConversationSendBody {
    /// The approved template's name.
    #[schema(min_length = 1, max_length = 512)]
    template: String,
    /// A language code; without it, the approved template's.
    #[schema(min_length = 1, max_length = 35)]
    language: Option<String>,
    #[schema(value_type = Option<VariablesSchema>)]
    variables: Option<VariablesBody>,
    #[schema(value_type = Option<HeaderBody>)]
    header: Option<Object<HeaderBody>>,
    /// One for each URL button that needs one, in the order of the buttons.
    button_variables: Option<Vec<String>>,
    /// One's own id for this send; every event about it has it.
    #[schema(min_length = 1, max_length = 128)]
    reference: Option<String>,
}

/// A template and the values for its places; the contact says to whom.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = ContactTemplate)]
pub(crate) struct ContactSendBody {
    /// The approved template's name.
    #[schema(min_length = 1, max_length = 512)]
    template: String,
    /// A language code; without it, the approved template's.
    #[schema(min_length = 1, max_length = 35)]
    language: Option<String>,
    /// The sending number as people write it, or its id at the network, no send-only one. Without it, the
    /// first that can send the template.
    from: Option<String>,
    #[schema(value_type = Option<VariablesSchema>)]
    variables: Option<VariablesBody>,
    #[schema(value_type = Option<HeaderBody>)]
    header: Option<Object<HeaderBody>>,
    /// One for each URL button that needs one, in the order of the buttons.
    button_variables: Option<Vec<String>>,
    /// One's own id for this send; every event about it has it.
    #[schema(min_length = 1, max_length = 128)]
    reference: Option<String>,
}

/// The value of a header that needs one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TemplateSendHeader)]
struct HeaderBody {
    /// Of a text header: one line.
    text: Option<String>,
    /// Of an image, video or document: an https link that the network can fetch.
    #[schema(max_length = 2048)]
    link: Option<String>,
    /// Of a document: its name on the phone.
    #[schema(min_length = 1, max_length = 240)]
    filename: Option<String>,
    /// Of a location.
    #[schema(value_type = Option<LocationBody>)]
    location: Option<Object<LocationBody>>,
}

/// A place on the map.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TemplateSendLocation)]
struct LocationBody {
    /// In degrees, north of the equator.
    #[schema(minimum = -90, maximum = 90)]
    latitude: f64,
    /// In degrees, east of Greenwich.
    #[schema(minimum = -180, maximum = 180)]
    longitude: f64,
    /// What it is called.
    #[schema(min_length = 1, max_length = 1000)]
    name: Option<String>,
    /// Where it is, in words.
    #[schema(min_length = 1, max_length = 1000)]
    address: Option<String>,
}

/// By label, or one for each place in order.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = TemplateSendVariables)]
#[expect(dead_code, reason = "describes what `VariablesBody` reads by hand")]
enum VariablesSchema {
    /// By label.
    Named(BTreeMap<String, String>),
    /// In the order of the places.
    Ordered(Vec<String>),
}

/// Values by label or in order. Deserialized by hand, so that an error names the value it is about.
struct VariablesBody(Variables);

impl ConversationSendBody {
    pub(crate) fn into_request(self, key: Option<IdempotencyKey>) -> TemplateRequest {
        TemplateRequest {
            template: self.template,
            language: self.language,
            variables: self.variables.map(|VariablesBody(variables)| variables),
            header: self.header.map(|Object(header)| header.into()),
            button_variables: self.button_variables,
            reference: self.reference,
            key,
            ..TemplateRequest::default()
        }
    }
}

impl ContactSendBody {
    pub(crate) fn into_request(self, key: Option<IdempotencyKey>) -> TemplateRequest {
        let Self { template, language, from, variables, header, button_variables, reference } = self;
        let body =
            ConversationSendBody { template, language, variables, header, button_variables, reference };
        TemplateRequest { from, ..body.into_request(key) }
    }
}

impl From<HeaderBody> for HeaderRequest {
    fn from(HeaderBody { text, link, filename, location }: HeaderBody) -> Self {
        let place = |Object(LocationBody { latitude, longitude, name, address })| Location {
            latitude,
            longitude,
            name,
            address,
        };
        Self { text, link, filename, location: location.map(place) }
    }
}

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
            header: self.header.map(|Object(header)| header.into()),
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
    use crate::body::json::read_json;

    /// Returns whether the body is read, or refused with 400.
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
