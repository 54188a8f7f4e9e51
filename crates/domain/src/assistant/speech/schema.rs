//! Schema of answers, by which a model is told what it may say.

use serde_json::{Map, Value, json};

use super::evidence::Evidence;

/// Shape of a field of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
struct Form {
    acts: &'static [&'static str],
    /// Words for the model; empty where the names say it.
    says: &'static str,
    required: &'static [(&'static str, Shape)],
    optional: &'static [(&'static str, Shape)],
    /// Whether the evidence has what they refer to.
    applies: fn(&Evidence) -> bool,
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
/// Act that notes a wish for the team.
const LEAD: &str = "lead";
const VARIANT: &[(&str, Shape)] = &[("variant", Shape::Text)];

/// Acts that a model is offered. Summaries and hand-overs are the tools' that propose and hand over, so the
/// acts for them are not.
const FORMS: &[Form] = &[
    Form {
        acts: &["quote"],
        says: "sentence: of its description",
        required: &[("product", Shape::Text), ("parts", Shape::Parts)],
        optional: VARIANT,
        applies: has_products,
    },
    Form {
        acts: &["list", "compare", "closest"],
        says: "closest: weak matches",
        required: &[("products", Shape::Texts)],
        optional: &[],
        applies: has_products,
    },
    Form {
        acts: &["not_found"],
        says: "",
        required: &[],
        optional: &[("query", Shape::Text)],
        applies: always,
    },
    Form {
        acts: &["total"],
        says: "",
        required: &[("lines", Shape::Lines)],
        optional: &[],
        applies: has_products,
    },
    Form {
        acts: &["multiple", "confirm_understanding"],
        says: "multiple: price of n",
        required: &[("product", Shape::Text), ("quantity", Shape::Count)],
        optional: VARIANT,
        applies: has_products,
    },
    Form {
        acts: &["decline_offer"],
        says: "the customer's price",
        required: &[("amount", Shape::Text)],
        optional: &[("product", Shape::Text), ("variant", Shape::Text)],
        applies: always,
    },
    Form {
        acts: &["discount"],
        says: "",
        required: &[("product", Shape::Text)],
        optional: VARIANT,
        applies: has_products,
    },
    Form {
        acts: &["order_status"],
        says: "by number",
        required: &[("order", Shape::Text)],
        optional: &[("parts", Shape::SomeOf(&["lines", "total"]))],
        applies: |evidence| !evidence.orders.is_empty(),
    },
    Form {
        acts: &["record"],
        says: "labels",
        required: &[("fields", Shape::Texts)],
        optional: &[],
        applies: |evidence| evidence.record.is_some(),
    },
    Form {
        acts: &["slots"],
        says: "",
        required: &[("slots", Shape::Texts)],
        optional: &[],
        applies: |evidence| !evidence.slots.is_empty(),
    },
    Form {
        acts: &["no_slots"],
        says: "",
        required: &[("range", Shape::Text)],
        optional: &[],
        applies: |evidence| !evidence.ranges.is_empty(),
    },
    Form {
        acts: &["cite"],
        says: "f1 or p1 as it stands",
        required: &[("fact", Shape::Text)],
        optional: &[("sentences", Shape::Counts)],
        applies: |evidence| !evidence.facts.is_empty() || !evidence.passages.is_empty(),
    },
    Form {
        acts: &["ask"],
        says: "options: ids",
        required: &[("what", Shape::OneOf(QUESTIONS))],
        optional: &[("options", Shape::Texts)],
        applies: always,
    },
    Form {
        acts: &["clarify"],
        says: "which of two",
        required: &[("a", Shape::Text), ("b", Shape::Text)],
        optional: &[],
        applies: |evidence| has_products(evidence) || !evidence.slots.is_empty(),
    },
    Form {
        acts: &["cannot"],
        says: "",
        required: &[("topic", Shape::OneOf(TOPICS))],
        optional: &[],
        applies: always,
    },
    Form {
        acts: &[LEAD],
        says: "notes a wish in the customer's words",
        required: &[("words", Shape::Text)],
        optional: &[],
        applies: always,
    },
    Form { acts: &["under_way"], says: "", required: &[], optional: &[], applies: |it| it.is_under_way },
    Form {
        acts: &[
            "how_to_order",
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
        applies: always,
    },
];

const fn always(_: &Evidence) -> bool {
    true
}

const fn has_products(evidence: &Evidence) -> bool {
    !evidence.products.is_empty()
}

/// Returns the JSON schema of an [`Answer`](super::Answer) by acts that the evidence bears, and by leads if
/// those are noted. Lines of words name the acts, each with its fields, which stand side by side: a schema
/// for each act would be twice as long.
pub fn schema(evidence: &Evidence, notes_leads: bool) -> Value {
    let is_offered = |form: &&Form| (form.applies)(evidence) && (notes_leads || form.acts != [LEAD]);
    let forms: Vec<&Form> = FORMS.iter().filter(is_offered).collect();
    let lines: Vec<String> = forms.iter().map(|form| form.line()).collect();
    let mut properties = Map::new();
    properties.insert("act".to_owned(), Shape::Text.schema());
    for (name, shape) in forms.iter().flat_map(|form| form.fields()) {
        let shape = shape.schema();
        match properties.get_mut(*name) {
            Some(other) if *other != shape => *other = json!({ "anyOf": [other, shape] }),
            Some(_) => {}
            None => drop(properties.insert((*name).to_owned(), shape)),
        }
    }
    json!({
        "type": "object",
        "properties": {
            "acts": {
                "type": "array",
                "description": lines.join("\n"),
                "items": { "type": "object", "properties": properties, "required": ["act"] },
            },
            "wording": { "type": "string" },
        },
        "required": ["acts"],
    })
}

impl Form {
    fn fields(&self) -> impl Iterator<Item = &(&'static str, Shape)> {
        self.required.iter().chain(self.optional)
    }

    /// Returns the line that names acts and fields, such as `discount(product, variant?)`.
    fn line(&self) -> String {
        let required = self.required.iter().map(|(name, _)| (*name).to_owned());
        let fields: Vec<_> =
            required.chain(self.optional.iter().map(|(name, _)| format!("{name}?"))).collect();
        let fields = if fields.is_empty() { String::new() } else { format!("({})", fields.join(", ")) };
        format!("{}{fields} {}", self.acts.join("|"), self.says).trim_end().to_owned()
    }
}

impl Shape {
    fn one_of(names: &[&str]) -> Value {
        json!({ "type": "string", "enum": names })
    }

    fn schema(self) -> Value {
        let list = |items: Value| json!({ "type": "array", "items": items });
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Texts => list(Self::Text.schema()),
            Self::Count => json!({ "type": "integer" }),
            Self::Counts => list(Self::Count.schema()),
            Self::OneOf(names) => Self::one_of(names),
            Self::SomeOf(names) => list(Self::one_of(names)),
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
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::{Value, json};

    use super::{FORMS, PARTS, QUESTIONS, TOPICS, schema};
    use crate::assistant::{
        fixtures::all_evidence,
        speech::{Act, Evidence},
    };

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
            assert!(follows(&answer, &schema(&all_evidence(), true)), "{answer}");
            read.insert(act.name());
        }
        let told: HashSet<_> = FORMS.iter().flat_map(|form| form.acts).copied().collect();
        assert_eq!(read, told);
        assert!(!follows(&json!({ "acts": [{ "promise": "x" }] }), &schema(&all_evidence(), true)));
    }

    #[test]
    fn an_act_is_offered_once_there_is_what_it_refers_to() {
        let offers = |evidence: &Evidence, notes, act: &str| {
            let schema = schema(evidence, notes);
            let lines = schema["properties"]["acts"]["description"].as_str().unwrap().lines();
            lines
                .map(|line| line.split(['(', ' ']).next().unwrap())
                .any(|acts| acts.split('|').any(|it| it == act))
        };
        for act in
            ["quote", "list", "total", "order_status", "record", "slots", "no_slots", "cite", "under_way"]
        {
            assert!(offers(&all_evidence(), true, act), "{act}");
            assert!(!offers(&Evidence::default(), true, act), "{act}");
        }
        for act in ["greet", "ask", "cannot", "not_found", "decline_offer", "lead"] {
            assert!(offers(&Evidence::default(), true, act), "{act}");
        }
        assert!(!offers(&all_evidence(), false, "lead"));
    }

    #[test]
    fn a_line_of_words_names_the_fields_of_each_act() {
        let schema = schema(&all_evidence(), true);
        let lines = schema["properties"]["acts"]["description"].as_str().unwrap();
        for line in ["multiple|confirm_understanding(product, quantity, variant?)", "cite(fact, sentences?)"]
        {
            assert!(lines.contains(line), "{lines}");
        }
    }

    #[test]
    fn names_that_the_schema_does_not_know_are_no_acts() {
        // Whatever is added to an enumeration is told to the model too.
        for (known, field) in [(QUESTIONS, "what"), (TOPICS, "topic")] {
            let act = if field == "what" { "ask" } else { "cannot" };
            let error =
                serde_json::from_value::<Act>(json!({"act": act, field: "?"})).unwrap_err().to_string();
            let all = error.split_once("expected one of ").map(|(_, names)| names.split(", ").count());
            assert_eq!(all, Some(known.len()), "{error}");
        }
        let of_tools = ["propose_order", "propose_booking", "propose_cancellation", "hand_over"];
        let error = serde_json::from_value::<Act>(json!({"act": "?"})).unwrap_err().to_string();
        let (_, names) = error.split_once("expected one of ").unwrap();
        let told = FORMS.iter().flat_map(|form| form.acts).count();
        assert_eq!(names.split(", ").count(), told + of_tools.len(), "{error}");
    }
}
