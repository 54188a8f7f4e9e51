//! Schema of answers, by which a model is told what it may say.

use serde_json::{Map, Value, json};

use super::render::MOST_ACTS;

/// Shape of a field of an act.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// An id, a label or words.
    Text,
    Texts,
    Count,
    Counts,
    OneOf(&'static [&'static str]),
    SomeOf(&'static [&'static str]),
    /// Parts of a quotation: names, and sentences of the description by their number.
    Parts,
    Lines,
}

/// Acts with the same fields.
#[derive(Debug)]
struct Form {
    acts: &'static [&'static str],
    /// Line for the model; empty where the names say it.
    says: &'static str,
    required: &'static [(&'static str, Shape)],
    optional: &'static [(&'static str, Shape)],
}

const PARTS: &[&str] = &["price", "before", "availability", "sizes", "options", "link", "photo"];
const QUESTIONS: &[&str] = &[
    "product",
    "size",
    "colour",
    "model",
    "quantity",
    "name",
    "phone",
    "address",
    "city",
    "day",
    "time",
    "service",
    "order_number",
    "anything_else",
];
const TOPICS: &[&str] =
    &["discount", "voice", "picture", "payment", "order_change", "medical", "off_topic", "call", "unknown"];
const CONCERNS: &[&str] = &["asked", "complaint", "order", "other"];
const VARIANT: &[(&str, Shape)] = &[("variant", Shape::Text)];

/// Acts that a model is offered. Summaries are sent by the tools that propose, so the acts for them are not.
const FORMS: &[Form] = &[
    Form {
        acts: &["quote"],
        says: "Of one product; {\"sentence\": n} is sentence n of its description.",
        required: &[("product", Shape::Text), ("parts", Shape::Parts)],
        optional: VARIANT,
    },
    Form {
        acts: &["list", "compare", "closest"],
        says: "closest: what comes near, for weak matches.",
        required: &[("products", Shape::Texts)],
        optional: &[],
    },
    Form {
        acts: &["not_found"],
        says: "A search found nothing.",
        required: &[],
        optional: &[("query", Shape::Text)],
    },
    Form {
        acts: &["total"],
        says: "Sum of several things.",
        required: &[("lines", Shape::Lines)],
        optional: &[],
    },
    Form {
        acts: &["multiple", "confirm_understanding"],
        says: "multiple: price of n pieces.",
        required: &[("product", Shape::Text), ("quantity", Shape::Count)],
        optional: VARIANT,
    },
    Form {
        acts: &["decline_offer"],
        says: "No to a price that the customer offers.",
        required: &[("amount", Shape::Text)],
        optional: &[("product", Shape::Text), ("variant", Shape::Text)],
    },
    Form {
        acts: &["discount"],
        says: "Whether it is reduced.",
        required: &[("product", Shape::Text)],
        optional: VARIANT,
    },
    Form {
        acts: &["order_status"],
        says: "By the order's number.",
        required: &[("order", Shape::Text)],
        optional: &[("parts", Shape::SomeOf(&["lines", "total"]))],
    },
    Form {
        acts: &["record"],
        says: "Fields by their labels.",
        required: &[("fields", Shape::Texts)],
        optional: &[],
    },
    Form { acts: &["slots"], says: "", required: &[("slots", Shape::Texts)], optional: &[] },
    Form { acts: &["no_slots"], says: "", required: &[("range", Shape::Text)], optional: &[] },
    Form {
        acts: &["cite"],
        says: "The owner's fact (f1) or passage (p1) as it stands, or sentences of it.",
        required: &[("fact", Shape::Text)],
        optional: &[("sentences", Shape::Counts)],
    },
    Form {
        acts: &["ask"],
        says: "One question; options are products, variants or slots.",
        required: &[("what", Shape::OneOf(QUESTIONS))],
        optional: &[("options", Shape::Texts)],
    },
    Form {
        acts: &["clarify"],
        says: "Which of two is meant.",
        required: &[("a", Shape::Text), ("b", Shape::Text)],
        optional: &[],
    },
    Form {
        acts: &["cannot"],
        says: "What you cannot do or do not know.",
        required: &[("topic", Shape::OneOf(TOPICS))],
        optional: &[],
    },
    Form {
        acts: &["lead"],
        says: "Notes a wish for the team, in the customer's own words.",
        required: &[("words", Shape::Text)],
        optional: &[],
    },
    Form {
        acts: &["hand_over"],
        says: "A person takes over.",
        required: &[("reason", Shape::OneOf(CONCERNS))],
        optional: &[],
    },
    Form {
        acts: &[
            "how_to_order",
            "under_way",
            "greet",
            "thank",
            "apologise",
            "wait",
            "you_are_welcome",
            "bye",
            "who_i_am",
            "not_a_person",
        ],
        says: "",
        required: &[],
        optional: &[],
    },
];

/// Returns the JSON schema of an [`Answer`](super::Answer).
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "acts": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_ACTS,
                "items": { "anyOf": FORMS.iter().map(Form::schema).collect::<Vec<_>>() },
            },
            "wording": { "type": "string" },
        },
        "required": ["acts"],
        "additionalProperties": false,
    })
}

impl Form {
    fn schema(&self) -> Value {
        let mut properties = Map::new();
        properties.insert("act".to_owned(), json!({ "type": "string", "enum": self.acts }));
        for (name, shape) in self.required.iter().chain(self.optional) {
            properties.insert((*name).to_owned(), shape.schema());
        }
        let required: Vec<_> =
            std::iter::once("act").chain(self.required.iter().map(|(name, _)| *name)).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "required": required });
        if let (Value::Object(fields), false) = (&mut schema, self.says.is_empty()) {
            fields.insert("description".to_owned(), self.says.into());
        }
        schema
    }
}

impl Shape {
    fn schema(self) -> Value {
        let list = |items: Value| json!({ "type": "array", "items": items });
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Texts => list(Self::Text.schema()),
            Self::Count => json!({ "type": "integer" }),
            Self::Counts => list(Self::Count.schema()),
            Self::OneOf(names) => json!({ "type": "string", "enum": names }),
            Self::SomeOf(names) => list(Self::OneOf(names).schema()),
            Self::Parts => {
                let sentence =
                    json!({ "type": "object", "properties": { "sentence": Self::Count.schema() } });
                list(json!({ "anyOf": [Self::OneOf(PARTS).schema(), sentence] }))
            }
            Self::Lines => list(json!({
                "type": "object",
                "properties": {
                    "product": Self::Text.schema(),
                    "variant": Self::Text.schema(),
                    "quantity": Self::Count.schema(),
                },
                "required": ["product", "quantity"],
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::{Value, json};

    use super::{CONCERNS, FORMS, PARTS, QUESTIONS, TOPICS, schema};
    use crate::assistant::speech::Act;

    /// Most tokens that the schema may take of each request; a token of it is some three and a half bytes.
    const MOST_TOKENS: usize = 1_500;

    /// Returns whether a value follows the parts of JSON Schema that are used here.
    fn follows(value: &Value, schema: &Value) -> bool {
        if let Some(any) = schema["anyOf"].as_array() {
            return any.iter().any(|schema| follows(value, schema));
        }
        let among = |value: &Value| schema["enum"].as_array().is_none_or(|names| names.contains(value));
        match schema["type"].as_str() {
            Some("string") => value.is_string() && among(value),
            Some("integer") => value.is_u64(),
            Some("array") => {
                value.as_array().is_some_and(|all| all.iter().all(|one| follows(one, &schema["items"])))
            }
            Some("object") => value.as_object().is_some_and(|fields| {
                let has = |name: &Value| fields.contains_key(name.as_str().unwrap());
                let fits =
                    |(name, value): (&String, &Value)| follows(value, &schema["properties"][name.as_str()]);
                schema["required"].as_array().is_none_or(|names| names.iter().all(has))
                    && fields.iter().all(fits)
            }),
            _ => false,
        }
    }

    /// Returns acts with and without their optional fields, in the words of the schema.
    fn acts() -> Vec<Value> {
        let mut acts = vec![
            json!({"act": "quote", "product": 7, "variant": "xl", "parts": [{"sentence": 1}]}),
            json!({"act": "not_found"}),
            json!({"act": "not_found", "query": "x"}),
            json!({"act": "total", "lines": [{"product": 7, "quantity": 2}, {"product": 7, "variant": 8, "quantity": 1}]}),
            json!({"act": "multiple", "product": 7, "quantity": 2}),
            json!({"act": "confirm_understanding", "product": 7, "variant": 8, "quantity": 2}),
            json!({"act": "decline_offer", "amount": 12000}),
            json!({"act": "decline_offer", "amount": "12.5", "product": 7, "variant": 8}),
            json!({"act": "discount", "product": 7}),
            json!({"act": "order_status", "order": 7}),
            json!({"act": "order_status", "order": "A-1", "parts": ["lines", "total"]}),
            json!({"act": "record", "fields": ["Points"]}),
            json!({"act": "slots", "slots": ["s1"]}),
            json!({"act": "no_slots", "range": "r1"}),
            json!({"act": "cite", "fact": "f1", "sentences": [1, 2]}),
            json!({"act": "ask", "what": "size", "options": ["s1"]}),
            json!({"act": "clarify", "a": 7, "b": 8}),
            json!({"act": "lead", "words": "x"}),
        ];
        acts.extend(["list", "compare", "closest"].map(|act| json!({"act": act, "products": [7, "8"]})));
        acts.extend(PARTS.iter().map(|part| json!({"act": "quote", "product": 7, "parts": [part]})));
        acts.extend(QUESTIONS.iter().map(|what| json!({"act": "ask", "what": what})));
        acts.extend(TOPICS.iter().map(|topic| json!({"act": "cannot", "topic": topic})));
        acts.extend(CONCERNS.iter().map(|reason| json!({"act": "hand_over", "reason": reason})));
        let plain = FORMS.iter().filter(|form| form.required.is_empty() && form.optional.is_empty());
        acts.extend(plain.flat_map(|form| form.acts).map(|act| json!({"act": act})));
        acts
    }

    #[test]
    fn every_act_is_read_and_what_it_is_written_as_follows_the_schema() {
        let mut read = HashSet::new();
        for act in acts() {
            let act: Act =
                serde_json::from_value(act.clone()).unwrap_or_else(|error| panic!("{act}: {error}"));
            let answer = json!({ "acts": [&act], "wording": "x" });
            assert!(follows(&answer, &schema()), "{answer}");
            read.insert(act.name());
        }
        let told: HashSet<_> = FORMS.iter().flat_map(|form| form.acts).copied().collect();
        assert_eq!(read, told);
        assert!(!follows(&json!({ "acts": [{ "act": "promise" }] }), &schema()));
        assert!(!follows(&json!({ "acts": [{ "act": "slots" }] }), &schema()));
    }

    #[test]
    fn names_that_the_schema_does_not_know_are_no_acts() {
        // Whatever is added to an enumeration is told to the model too.
        for (known, field) in [(QUESTIONS, "what"), (TOPICS, "topic"), (CONCERNS, "reason")] {
            let act = match field {
                "what" => "ask",
                "topic" => "cannot",
                _ => "hand_over",
            };
            let error =
                serde_json::from_value::<Act>(json!({"act": act, field: "?"})).unwrap_err().to_string();
            let all = error.split_once("expected one of ").map(|(_, names)| names.split(", ").count());
            assert_eq!(all, Some(known.len()), "{error}");
        }
        let propose = ["propose_order", "propose_booking", "propose_cancellation"];
        let error = serde_json::from_value::<Act>(json!({"act": "?"})).unwrap_err().to_string();
        let (_, names) = error.split_once("expected one of ").unwrap();
        let told = FORMS.iter().flat_map(|form| form.acts).count();
        assert_eq!(names.split(", ").count(), told + propose.len(), "{error}");
    }

    #[test]
    fn the_schema_costs_few_tokens() {
        let bytes = schema().to_string().len();
        assert!(bytes * 2 / 7 <= MOST_TOKENS, "{bytes} bytes");
    }
}
