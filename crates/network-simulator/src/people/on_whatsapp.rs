//! Messages on WhatsApp.

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::Person;
use super::fill::{Known, placeholders, whatsapp_file};
use crate::core::Core;
use crate::ids::{self, Direction};
use crate::posts::payload::milliseconds;
use crate::posts::{Piece, What};
use crate::world::{Sender, digits};

/// Field and list in which the network reports what people want to be sent.
const PREFERENCE: &str = "user_preferences";
/// Types that change an earlier message and are no message themselves.
const ABOUT_ANOTHER: [&str; 3] = ["reaction", "edit", "revoke"];

/// Lets a person write to a number.
pub(super) fn write(
    core: &Core,
    sender: &Sender,
    person: &Person,
    message: Map<String, Value>,
    about: Option<&str>,
    now: OffsetDateTime,
) -> Result<(String, Piece), String> {
    let from = person.from.as_deref().map(digits).filter(|digits| !digits.is_empty());
    let user_id = match (&person.user_id, &from) {
        (Some(user_id), _) => user_id.clone(),
        (None, Some(from)) => ids::user_id(from),
        (None, None) => return Err("one of `from` (a number) and `userId` is needed".to_owned()),
    };
    let names: Vec<&str> = from.as_deref().into_iter().chain([user_id.as_str()]).collect();
    let name = from.as_deref().unwrap_or(&user_id);
    let new = core.ids.wamid(name, Direction::Inbound);
    let mut message = Value::Object(message);
    placeholders(&mut message, &known(core, sender, name, about, &new, now));
    let Value::Object(mut message) = message else { return Err("a message is an object".to_owned()) };
    let mut fill = |field: &str, value: Value| {
        message.entry(field).or_insert(value);
    };
    fill("id", json!(new));
    fill("timestamp", json!(now.unix_timestamp().to_string()));
    fill("from_user_id", json!(user_id));
    if let Some(from) = &from {
        fill("from", json!(from));
    }
    let wants = message.get("type").and_then(Value::as_str) == Some(PREFERENCE);
    if wants {
        return Ok((String::new(), preference(sender, &user_id, from.as_deref(), message, now)));
    }
    whatsapp_file(core, &sender.phone_number_id, &mut message);
    let id = message.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut contact = Map::new();
    if let Some(name) = &person.name {
        contact.insert("profile".to_owned(), json!({ "name": name }));
    }
    if let Some(from) = &from {
        contact.insert("wa_id".to_owned(), json!(from));
    }
    contact.insert("user_id".to_owned(), json!(user_id));
    let kind = message.get("type").and_then(Value::as_str);
    // The network's own messages about a person name nobody but the sender.
    let is_system = kind == Some("system");
    let is_about_another = kind.is_some_and(|kind| ABOUT_ANOTHER.contains(&kind));
    core.log().note(&sender.phone_number_id, names, |known| {
        if !is_system {
            known.wrote_at = Some(now);
        }
        if !is_system && !is_about_another {
            known.wrote = Some(id.clone());
        }
        known.name = person.name.clone().or(known.name.take());
    });
    let contact = (!is_system).then_some(Value::Object(contact));
    Ok((id, piece(sender, "messages", "messages", contact, message)))
}

/// Reports a preference for what to be sent: in a list of its own, and no message.
fn preference(
    sender: &Sender,
    user_id: &str,
    from: Option<&str>,
    mut item: Map<String, Value>,
    now: OffsetDateTime,
) -> Piece {
    for of_messages in ["type", "id", "from", "from_user_id"] {
        item.remove(of_messages);
    }
    if let Some(from) = from {
        item.insert("wa_id".to_owned(), json!(from));
    }
    item.insert("user_id".to_owned(), json!(user_id));
    item.insert("timestamp".to_owned(), json!(now.unix_timestamp()));
    piece(sender, PREFERENCE, PREFERENCE, None, item)
}

/// Lets the team write from the business's own app: an echo.
pub(crate) fn by_the_team(
    core: &Core,
    sender: &Sender,
    to: &str,
    mut message: Map<String, Value>,
    now: OffsetDateTime,
) -> (String, Piece) {
    let to = digits(to);
    let mut fill = |field: &str, value: Value| {
        message.entry(field).or_insert(value);
    };
    fill("id", json!(core.ids.wamid(&to, Direction::Outbound)));
    fill("timestamp", json!(now.unix_timestamp().to_string()));
    fill("from", json!(sender.digits));
    fill("to", json!(to));
    whatsapp_file(core, &sender.phone_number_id, &mut message);
    let id = message.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    core.log().note(&sender.phone_number_id, [to.as_str()], |person| person.got = Some(id.clone()));
    (id, piece(sender, "smb_message_echoes", "message_echoes", None, message))
}

fn piece(
    sender: &Sender,
    field: &'static str,
    list: &'static str,
    contact: Option<Value>,
    message: Map<String, Value>,
) -> Piece {
    Piece {
        owner_id: sender.account_id.clone(),
        what: What::Number {
            phone_number_id: sender.phone_number_id.clone(),
            digits: sender.digits.clone(),
            field,
            list,
            contact,
            item: Value::Object(message),
        },
    }
}

fn known(
    core: &Core,
    sender: &Sender,
    person: &str,
    about: Option<&str>,
    new: &str,
    now: OffsetDateTime,
) -> Known {
    let known = core.log().person(&sender.phone_number_id, person).cloned().unwrap_or_default();
    Known::new(&known, about, new, milliseconds(now))
}
