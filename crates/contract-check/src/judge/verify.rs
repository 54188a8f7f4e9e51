//! Introduction of a system.

use serde_json::{Map, Value};

use super::{Judged, NamedObject, is_currency, is_text};

pub(crate) const KNOWN: [&str; 4] = ["catalog", "orders", "customers", "appointments"];

/// Content of an answer to `GET /verify`.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    pub(crate) judged: Judged,
    pub(crate) name: Option<String>,
    pub(crate) capabilities: Vec<&'static str>,
    /// Whether it declared no capabilities, as in version 1.
    pub(crate) is_first_version: bool,
}

pub(crate) fn answer(object: &Map<String, Value>) -> Verified {
    let named = NamedObject { object, name: "verify" };
    let mut judged = Judged::default();
    judged.see("verify.name", named.needs("name", "a text", is_text));
    judged.see("verify.currency", named.needs("currency", "an ISO 4217 code", is_currency));
    let declared = named.get("capabilities");
    let mut capabilities = Vec::new();
    match declared.map(Value::as_array) {
        None => {
            judged.see("verify.capabilities", Ok(()));
            capabilities.extend(["catalog", "orders"]);
        }
        Some(Some(list)) => {
            capabilities = KNOWN.into_iter().filter(|known| list.iter().any(|it| it == known)).collect();
            let unknown = list.iter().find(|it| !KNOWN.iter().any(|known| it == known));
            judged.see(
                "verify.known",
                unknown.map_or(Ok(()), |it| Err(format!("there is no capability {it}"))),
            );
            let none = || Err("`capabilities` declares nothing that exists".to_owned());
            judged.see("verify.capabilities", if capabilities.is_empty() { none() } else { Ok(()) });
        }
        Some(None) => judged.see("verify.capabilities", named.wrong("capabilities", "a list")),
    }
    let name = object.get("name").and_then(Value::as_str).map(str::to_owned);
    Verified { judged, name, capabilities, is_first_version: declared.is_none() }
}
