//! Messages of customers, and of the business from the network's own app.

use domain::{
    contacts::ContactSignal,
    inbound::{ConversationUpdate, Person, UpdateKind, Written},
    messages::{Context, NetworkMessageId, Product, Referral, TappedReply},
};
use graph_client::webhook;
use serde_json::Value;

use super::{
    content::{Content, content},
    person::{self, NAMED, Names, RECIPIENT, WRITER},
};

/// Reason why a message changes nothing.
pub(super) enum NoUse {
    /// A required part is missing or of another type.
    Unreadable,
    /// Of no use here; with its name.
    Unused(String),
    /// Not parsed by this version; with its name, as somebody may have written it.
    Unread(String),
}

/// Parses one of `messages[]`. `of` is the number of messages that came with these contacts.
pub(super) fn of_customer(
    message: &Value,
    of: usize,
    contacts: &[Value],
) -> Result<ConversationUpdate, NoUse> {
    let kind = kind(message)?;
    let about = |part: &str| id(message.get(part).and_then(|part| part.get("original_message_id")));
    let what = match kind {
        "reaction" => {
            let reaction = message.get("reaction").ok_or(NoUse::Unreadable)?;
            let emoji = webhook::text(reaction.get("emoji"));
            UpdateKind::Reacted { message: id(reaction.get("message_id"))?, emoji }
        }
        "edit" => {
            let edited = message.get("edit").and_then(|edit| edit.get("message"));
            let kind = edited.and_then(|edited| edited.get("type")?.as_str()).ok_or(NoUse::Unreadable)?;
            let Content { words, .. } = content(edited.unwrap_or(&Value::Null), kind);
            UpdateKind::Edited { message: about("edit")?, content: words, held_elsewhere: false }
        }
        "revoke" => UpdateKind::Deleted { message: about("revoke")? },
        "system" => {
            return changed(message, message.get("system").ok_or(NoUse::Unreadable)?, &WRITER, of, contacts);
        }
        // Somebody opened the chat and has not written yet.
        "request_welcome" => return Err(NoUse::Unused(kind.to_owned())),
        // The network asked whether the business may call; nobody wrote.
        "interactive" if names(message, "interactive", "call_permission_reply") => {
            return Err(NoUse::Unused("call_permission_reply".to_owned()));
        }
        // The edited message stays as it was, since the network does not tell the new text.
        "unsupported" if names(message, "unsupported", "edit") => {
            return Err(NoUse::Unread("unsupported edit".to_owned()));
        }
        _ => UpdateKind::Wrote(written(message, kind)?),
    };
    update(message, &WRITER, of, contacts, what)
}

/// Parses one of `message_echoes[]`: a message of the business to a customer.
pub(super) fn of_business(
    message: &Value,
    of: usize,
    contacts: &[Value],
) -> Result<ConversationUpdate, NoUse> {
    let kind = kind(message)?;
    if ["reaction", "edit", "revoke", "system"].contains(&kind) {
        return Err(NoUse::Unused(format!("echoed {kind}")));
    }
    let what = UpdateKind::Echoed { written: written(message, kind)?, tag: None, by_us: false };
    update(message, &RECIPIENT, of, contacts, what)
}

/// Returns whether a part of the message is of this type.
fn names(message: &Value, part: &str, kind: &str) -> bool {
    message.get(part).and_then(|part| part.get("type")?.as_str()) == Some(kind)
}

/// Parses an item of `user_preferences[]`: what somebody wants to be sent from now on.
pub(super) fn preference(item: &Value, of: usize, contacts: &[Value]) -> Result<ConversationUpdate, NoUse> {
    let category = item.get("category").and_then(Value::as_str).unwrap_or("preference");
    if category != "marketing_messages" {
        return Err(NoUse::Unused(format!("user_preferences {category}")));
    }
    let stopped = match item.get("value").and_then(Value::as_str) {
        Some("stop") => true,
        Some("resume") => false,
        _ => return Err(NoUse::Unreadable),
    };
    let signal = ContactSignal::Marketing { stopped };
    update(item, &NAMED, of, contacts, UpdateKind::Signalled { signal })
}

fn kind(message: &Value) -> Result<&str, NoUse> {
    if message.get("group_id").is_some_and(|group| !group.is_null()) {
        // Groups are no conversations with one person.
        return Err(NoUse::Unread("group message".to_owned()));
    }
    message.get("type").and_then(Value::as_str).ok_or(NoUse::Unreadable)
}

fn update(
    message: &Value,
    names: &Names,
    of: usize,
    contacts: &[Value],
    what: UpdateKind,
) -> Result<ConversationUpdate, NoUse> {
    let person = person::person(message, names, of, contacts).ok_or(NoUse::Unreadable)?;
    let at = message.get("timestamp").and_then(webhook::instant).ok_or(NoUse::Unreadable)?;
    Ok(ConversationUpdate { person, at, what })
}

fn written(message: &Value, kind: &str) -> Result<Written, NoUse> {
    let Content { words, media, lost } = content(message, kind);
    let context = Context { unavailable: lost.into_iter().collect(), ..context(message) };
    Ok(Written { network_id: id(message.get("id"))?, content: words, media, context })
}

/// Parses what a message refers to (docs/run/networks.md, "What a message says").
fn context(message: &Value) -> Context<NetworkMessageId> {
    let of = message.get("context").unwrap_or(&Value::Null);
    let is = |name: &str| of.get(name).and_then(Value::as_bool) == Some(true);
    let product = of.get("referred_product");
    let product_text = |name: &str| webhook::text(product?.get(name));
    let referral = message.get("referral");
    let referral_text = |name: &str| webhook::text(referral?.get(name));
    Context {
        // A forwarded message has a context, too, but no id in it.
        reply_to: id(of.get("id")).ok(),
        reply_to_unknown: false,
        forwarded: is("forwarded") || is("frequently_forwarded"),
        held_elsewhere: false,
        product: product_text("product_retailer_id")
            .map(|id| Box::new(Product { id, catalog_id: product_text("catalog_id"), ..Product::default() })),
        story: None,
        referral: Referral {
            source: referral_text("source_type"),
            id: referral_text("source_id"),
            title: referral_text("headline"),
            text: referral_text("body"),
            url: referral_text("source_url"),
            reference: None,
            click_id: referral_text("ctwa_clid"),
        }
        .told(),
        reply: tapped(message),
        unavailable: Vec::new(),
    }
}

/// Parses the tapped button of a template, or the tapped button or row of a question.
fn tapped(message: &Value) -> Option<Box<TappedReply>> {
    let text = |of: &Value, name: &str| webhook::text(of.get(name));
    if let Some(button) = message.get("button") {
        return TappedReply::told(text(button, "payload"), text(button, "text"));
    }
    let asked = message.get("interactive")?;
    let chosen = asked.get("button_reply").or_else(|| asked.get("list_reply"))?;
    TappedReply::told(text(chosen, "id"), text(chosen, "title"))
}

/// Announcements that name a new number or user id of the writer.
const CHANGES: [&str; 3] = ["user_changed_number", "customer_changed_number", "user_changed_user_id"];

/// Parses a changed number or changed user ids, from an object with the old and the new ones in any of the
/// network's forms (docs/run/networks.md, "Who somebody is").
pub(super) fn changed(
    message: &Value,
    told: &Value,
    names: &Names,
    of: usize,
    contacts: &[Value],
) -> Result<ConversationUpdate, NoUse> {
    let kind = told.get("type").and_then(Value::as_str).unwrap_or("system");
    let (mut before, mut now, mut is_pair) = (Vec::new(), Vec::new(), false);
    for (name, value) in told.as_object().into_iter().flatten() {
        let starts = |prefixes: [&str; 2]| prefixes.into_iter().any(|prefix| name.starts_with(prefix));
        match (name.as_str(), value) {
            (_, Value::Object(pair)) => {
                let (old, new) =
                    (pair.get("previous").or(pair.get("old")), pair.get("current").or(pair.get("new")));
                is_pair |= old.is_some() || new.is_some();
                before.push(old);
                now.push(new);
            }
            _ if starts(["previous_", "old_"]) => {
                is_pair = true;
                before.push(Some(value));
            }
            _ if starts(["new_", "current_"]) => {
                is_pair = true;
                now.push(Some(value));
            }
            ("customer", _) => before.push(Some(value)),
            ("wa_id" | "user_id" | "parent_user_id", _) => now.push(Some(value)),
            _ => {}
        }
    }
    if !is_pair && !CHANGES.contains(&kind) {
        let name = format!("system {kind}");
        return Err(if kind == "customer_identity_changed" {
            NoUse::Unused(name)
        } else {
            NoUse::Unread(name)
        });
    }
    let (mut now, before) = (person::identities(now), person::identities(before));
    let mut person = person::person(message, names, of, contacts).unwrap_or_else(|| Person {
        identities: Vec::new(),
        name: None,
        avatar_url: None,
    });
    person.identities.extend(before);
    // Without old identities, the new ones still belong to one person.
    if person.identities.is_empty() && now.len() > 1 {
        person.identities.extend(now.first().cloned());
    }
    person.identities.sort();
    person.identities.dedup();
    now.retain(|identity| !person.identities.contains(identity));
    if person.identities.is_empty() || now.is_empty() {
        return Err(NoUse::Unreadable);
    }
    let at = message.get("timestamp").and_then(webhook::instant).ok_or(NoUse::Unreadable)?;
    Ok(ConversationUpdate { person, at, what: UpdateKind::Renumbered { now } })
}

fn id(value: Option<&Value>) -> Result<NetworkMessageId, NoUse> {
    webhook::message_id(value).map(NetworkMessageId::from).ok_or(NoUse::Unreadable)
}
