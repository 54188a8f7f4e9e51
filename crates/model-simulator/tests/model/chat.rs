//! A conversation with the stand-in over HTTP, as the service would lead it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test support")]

use std::time::Duration;

use model_simulator::{Config, ModelSimulator};
use reqwest::Client;
use serde_json::{Value, json};

pub(crate) const ALL_TOOLS: [&str; 9] = [
    "searchProducts",
    "getOrderStatus",
    "listAppointmentSlots",
    "placeOrder",
    "cancelOrder",
    "bookAppointment",
    "captureLead",
    "handOver",
    "answer",
];

/// A conversation with the stand-in, as the service would lead it.
pub(crate) struct Chat {
    pub(crate) model: ModelSimulator,
    pub(crate) client: Client,
    pub(crate) tools: Vec<&'static str>,
    pub(crate) messages: Vec<Value>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Said {
    Words(String),
    /// A call of `answer`: acts, and the wording beside them.
    Acts(Value, Option<String>),
    Call(String, Value),
}

impl Said {
    pub(crate) fn acts(self) -> Value {
        match self {
            Self::Acts(acts, _) => acts,
            other => panic!("no acts: {other:?}"),
        }
    }
}

impl Chat {
    pub(crate) async fn open() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let model = ModelSimulator::start(Config::default()).await.unwrap();
        let client = Client::builder().no_proxy().no_gzip().timeout(Duration::from_secs(20)).build().unwrap();
        let instructions = "You answer. It is now Sunday, 2026-11-22, 12:00, UTC+03:00 there.\n\n\
                            The business wrote:\nf1 التوصيل: التوصيل 5000 دينار لكل المحافظات";
        let messages = vec![json!({ "role": "system", "content": instructions })];
        Self { model, client, tools: ALL_TOOLS.to_vec(), messages }
    }

    pub(crate) fn body(&self) -> Value {
        let tools = self.tools.iter().map(|name| {
            json!({ "type": "function", "function": { "name": name, "description": "", "parameters": {} } })
        });
        json!({ "model": "any", "messages": self.messages, "tools": tools.collect::<Vec<_>>() })
    }

    pub(crate) async fn post(&self) -> reqwest::Result<reqwest::Response> {
        let url = format!("{}/chat/completions", self.model.base_url());
        self.client.post(url).json(&self.body()).send().await
    }

    /// Asks, and keeps the answer as part of the conversation.
    pub(crate) async fn ask(&mut self) -> Said {
        let answer: Value = self.post().await.unwrap().json().await.unwrap();
        let message = answer["choices"][0]["message"].clone();
        assert!(answer["usage"]["prompt_tokens"].as_u64().unwrap() > 0, "{answer}");
        self.messages.push(message.clone());
        match message["tool_calls"].get(0) {
            None => Said::Words(message["content"].as_str().unwrap().to_owned()),
            Some(call) => {
                let arguments = call["function"]["arguments"].as_str().unwrap();
                let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                match (call["function"]["name"].as_str().unwrap(), arguments.get("acts")) {
                    ("answer", Some(acts)) => {
                        Said::Acts(acts.clone(), arguments["wording"].as_str().map(str::to_owned))
                    }
                    (name, _) => Said::Call(name.to_owned(), arguments),
                }
            }
        }
    }

    /// Ends the turn: of it, the next one shows what code has said.
    pub(crate) fn business(&mut self, text: &str) {
        self.messages.retain(|message| message.get("tool_calls").is_none() && message["role"] != "tool");
        self.messages.push(json!({ "role": "assistant", "content": text }));
    }

    pub(crate) async fn customer(&mut self, text: &str) -> Said {
        self.messages.push(json!({ "role": "user", "content": text }));
        self.ask().await
    }

    pub(crate) async fn result(&mut self, result: &Value) -> Said {
        let call = self.messages.last().unwrap()["tool_calls"][0]["id"].clone();
        self.messages.push(json!({ "role": "tool", "tool_call_id": call, "content": result.to_string() }));
        self.ask().await
    }
}

pub(crate) fn call(name: &str, arguments: Value) -> Said {
    Said::Call(name.to_owned(), arguments)
}

pub(crate) fn pampers(matched: &str) -> Value {
    let variant = |size: u32, price: &str, availability: &str| {
        json!({
            "id": format!("1001-{size}"), "title": format!("قياس {size}"), "price": price,
            "availability": availability, "options": [{ "name": "القياس", "value": size.to_string() }],
        })
    };
    let variants = [
        variant(3, "14500", "in_stock"),
        variant(4, "15000", "few_left"),
        variant(5, "15000", "out_of_stock"),
    ];
    json!({ "products": [{
        "id": "1001", "title": "حفاضات بامبرز", "price": "14500", "priceBefore": null, "currency": "IQD",
        "availability": "in_stock", "description": null, "url": null, "match": matched, "variants": variants,
    }] })
}

pub(crate) fn quote(variant: Option<&str>, parts: &[&str]) -> Value {
    json!({ "act": "quote", "product": "1001", "variant": variant, "parts": parts })
}

pub(crate) fn ask(what: &str) -> Value {
    json!({ "act": "ask", "what": what })
}

pub(crate) fn act(name: &str) -> Value {
    json!({ "act": name })
}
