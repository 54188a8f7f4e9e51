//! One route of the document.

use serde_json::{Map, Value, json};

use super::examples;

/// A body: the name of its schema, and an example.
pub(super) struct Body(pub(super) &'static str, pub(super) Value);

/// A route; answers that all routes share are added to it.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: Vec<Value>,
    pub(super) request: Option<Body>,
    pub(super) answer: Body,
    /// Statuses of success, with their descriptions.
    pub(super) succeeds: &'static [(u16, &'static str)],
    /// Refusals of this route alone: status and name.
    pub(super) refuses: &'static [(&'static str, &'static str)],
}

/// Refusals of every route.
const REFUSALS: [(&str, &str); 3] = [("401", "WrongSecret"), ("429", "SlowDown"), ("5XX", "Down")];

impl Operation {
    pub(super) fn document(&self) -> Value {
        let mut responses = Map::new();
        for (status, says) in self.succeeds {
            responses.insert(status.to_string(), self.success(*status, says));
        }
        for (status, name) in self.refuses.iter().chain(&REFUSALS) {
            let shared = json!({ "$ref": format!("#/components/responses/{name}") });
            responses.insert((*status).to_owned(), shared);
        }
        let version = json!({ "$ref": "#/components/parameters/ContractVersion" });
        let parameters: Vec<&Value> = [&version].into_iter().chain(&self.parameters).collect();
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "description": self.description,
            "parameters": parameters,
            "responses": responses,
        });
        if let (Some(body), Some(operation)) = (&self.request, operation.as_object_mut()) {
            operation.insert("requestBody".to_owned(), json!({ "required": true, "content": content(body) }));
        }
        operation
    }

    fn success(&self, status: u16, says: &str) -> Value {
        if status == 204 {
            return json!({ "description": says });
        }
        json!({ "description": says, "content": content(&self.answer) })
    }
}

fn content(Body(schema, example): &Body) -> Value {
    let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
    json!({ "application/json": { "schema": schema, "example": example } })
}

/// Describes the refusals by name.
pub(super) fn refusals() -> Value {
    let message = examples::under("What a status means", 0);
    let refusal = |says: &str| {
        let content = content(&Body("Refusal", message.clone()));
        json!({ "description": says, "content": content })
    };
    json!({
        "WrongSecret": refusal("The secret is another or missing. The connection is marked: somebody has to give the right one."),
        "NotFound": refusal("There is no such product, order or record."),
        "Conflict": refusal("It cannot be done: out of stock, no longer cancellable, the slot was taken."),
        "Invalid": refusal("It cannot be done: the request lacks something, or names what there is none of."),
        "SlowDown": {
            "description": "The service slows down for as long as it is told, ten minutes at most.",
            "headers": {
                "Retry-After": {
                    "required": true,
                    "description": "Whole seconds.",
                    "schema": { "type": "integer", "minimum": 0 },
                },
            },
            "content": content(&Body("Refusal", message.clone())),
        },
        "Down": refusal("The system is down for now. A creation is asked once more with its key, a read once more."),
    })
}
