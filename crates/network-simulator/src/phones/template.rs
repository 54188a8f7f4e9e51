//! A template with its values, as the network fills it in.

use serde_json::{Value, json};

use crate::chats::bubble::{Bubble, Choice, Link, Shown, items, text, whatsapp_file};
use crate::core::Core;

/// Fills in the template that a send names; `None` if there is no such template any more.
pub(super) fn filled(core: &Core, account_id: &str, send: &Value, context: &Value) -> Option<Bubble> {
    let (name, language) = (text(send, "/name")?, text(send, "/language/code")?);
    let found = core.world().account(account_id)?.templates.find(&name, &language)?.clone();
    let row = Value::Object(found.row.clone());
    let mut bubble = Bubble::default();
    for part in items(&row, "/components") {
        match upper(part, "/type").as_str() {
            "HEADER" => {
                let given = parameters(send, "header");
                bubble.title = text(part, "/text").map(|words| fill(&words, &given));
                bubble.files = given.iter().find_map(|file| media(file)).into_iter().collect();
            }
            "BODY" => {
                let words = text(part, "/text").unwrap_or_else(|| "{{1}}".to_owned());
                bubble.text = Some(fill(&words, &parameters(send, "body")));
            }
            "FOOTER" => bubble.footer = text(part, "/text"),
            "BUTTONS" => {
                for (index, button) in items(part, "/buttons").enumerate() {
                    press(&mut bubble, button, pressed(send, index), context);
                }
            }
            _ => {}
        }
    }
    Some(bubble)
}

fn upper(part: &Value, pointer: &str) -> String {
    text(part, pointer).unwrap_or_default().to_ascii_uppercase()
}

fn parameters<'a>(send: &'a Value, part: &str) -> Vec<&'a Value> {
    let part = items(send, "/components")
        .find(|given| text(given, "/type").is_some_and(|kind| kind.eq_ignore_ascii_case(part)));
    part.map(|part| items(part, "/parameters").collect()).unwrap_or_default()
}

/// Returns the value that a send gives for the button at `index`.
fn pressed(send: &Value, index: usize) -> Option<&Value> {
    let index = index.to_string();
    let button = items(send, "/components").find(|given| {
        let at = given.get("index").map(|at| at.as_str().map_or_else(|| at.to_string(), str::to_owned));
        text(given, "/type").is_some_and(|kind| kind.eq_ignore_ascii_case("button"))
            && at.as_ref() == Some(&index)
    });
    button?.pointer("/parameters/0")
}

fn media(parameter: &Value) -> Option<Shown> {
    let kind = text(parameter, "/type")?;
    whatsapp_file(&kind, parameter.get(&kind)?)
}

/// Puts each value in its variable's place: by name if values have names, else in order.
fn fill(words: &str, given: &[&Value]) -> String {
    let mut filled = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        let name = name.trim();
        let named = given.iter().find(|value| text(value, "/parameter_name").as_deref() == Some(name));
        let by_place = || name.parse::<usize>().ok().and_then(|place| given.get(place.checked_sub(1)?));
        filled.push_str(before);
        filled.push_str(&named.or_else(by_place).and_then(|value| text(value, "/text")).unwrap_or_default());
        rest = behind;
    }
    filled + rest
}

fn press(bubble: &mut Bubble, button: &Value, given: Option<&Value>, context: &Value) {
    let Some(title) = text(button, "/text") else { return };
    match upper(button, "/type").as_str() {
        "QUICK_REPLY" => {
            let payload = given.and_then(|given| text(given, "/payload")).unwrap_or_else(|| title.clone());
            let reply = json!({ "type": "button", "button": { "payload": payload, "text": title }, "context": context });
            bubble.choices.push(Choice { title, detail: None, reply });
        }
        "URL" => {
            let Some(url) = text(button, "/url") else { return };
            bubble.links.push(Link { title, url: fill(&url, &given.into_iter().collect::<Vec<_>>()) });
        }
        "PHONE_NUMBER" => {
            let Some(number) = text(button, "/phone_number") else { return };
            bubble.links.push(Link { title, url: format!("tel:{number}") });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fill;

    #[test]
    fn values_take_their_variables_place_by_order_or_by_name() {
        let (one, two) = (json!({ "text": "سارة" }), json!({ "text": "A-1042" }));
        assert_eq!(fill("{{1}}, {{2}}, {{1}} {{3}}.", &[&one, &two]), "سارة, A-1042, سارة .");
        let named = json!({ "parameter_name": "order", "text": "{{1}}" });
        assert_eq!(fill("{{ order }} {{", &[&named]), "{{1}} {{");
    }
}
