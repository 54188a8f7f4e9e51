//! Pages, Instagram accounts, the people who wrote to them, and whether the app gets their webhooks.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::GraphError;
use super::media;
use super::paging::{page, select};
use crate::core::Core;
use crate::log::KnownPerson;
use crate::surface::Surface;
use crate::world::{Channel, Fields, PageState};

/// Fields that an app may subscribe to.
pub(super) const FIELDS: [&str; 15] = [
    "messages",
    "messaging_postbacks",
    "messaging_optins",
    "messaging_referrals",
    "messaging_account_linking",
    "messaging_policy_enforcement",
    "response_feedback",
    "message_deliveries",
    "message_reads",
    "message_echoes",
    "message_reactions",
    "message_edits",
    "messaging_handovers",
    "standby",
    "feed",
];

/// Serves every call about a page or an Instagram account that is no send.
pub(super) fn serve(core: &Core, call: &Call, channel: &Channel) -> Result<Value, GraphError> {
    let missing = || GraphError::missing_object(call.method.as_str(), call.id());
    let mut world = core.world();
    let page = world.page_mut(&channel.page_id).ok_or_else(missing)?;
    match (channel.surface, call.method.as_str(), call.edge()) {
        (Surface::Messenger, "GET", "") => {
            let mut row = Map::new();
            row.insert("id".to_owned(), json!(page.id));
            row.insert("name".to_owned(), json!(page.name));
            if let Some(instagram) = &page.instagram {
                row.insert("instagram_business_account".to_owned(), json!({ "id": instagram.id }));
            }
            Ok(select(&row, call, &["id", "name"]))
        }
        (Surface::Instagram, "GET", "") => {
            let username = page.instagram.as_ref().map(|account| account.username.as_str());
            let mut row = Map::new();
            row.insert("id".to_owned(), json!(channel.id));
            row.insert("username".to_owned(), json!(username));
            row.insert("name".to_owned(), json!(page.name));
            Ok(select(&row, call, &["id", "username"]))
        }
        (Surface::Messenger, method, "subscribed_apps") => subscriptions(core, call, page, method),
        _ => Err(missing()),
    }
}

/// Answers `GET /me/accounts`: the pages that the token sees, each with its own token.
pub(super) fn of_person(core: &Core, call: &Call) -> Result<Value, GraphError> {
    if call.method != "GET" {
        return Err(GraphError::missing_object(call.method.as_str(), call.id()));
    }
    let world = core.world();
    let may_list = !world.withheld.permissions.contains("pages_show_list");
    let pages = world.pages_of(&call.token).filter(|_| may_list).map(owned);
    let rows = (0..).zip(pages).collect();
    drop(world);
    page(core, call, rows, |row| row).map(Value::Object)
}

fn owned(page: &PageState) -> Value {
    let mut row =
        json!({ "id": page.id, "name": page.name, "access_token": page.token(), "tasks": ["MESSAGING"] });
    if let (Some(account), Some(fields)) = (&page.instagram, row.as_object_mut()) {
        let account = json!({ "id": account.id, "username": account.username });
        fields.insert("instagram_business_account".to_owned(), account);
    }
    row
}

fn subscriptions(core: &Core, call: &Call, page: &mut PageState, method: &str) -> Result<Value, GraphError> {
    match method {
        "GET" => {
            let row = page.subscription.as_ref().map(|fields| {
                let fields: Vec<&str> = FIELDS.into_iter().filter(|field| fields.hold(field)).collect();
                json!({ "id": core.config.app_id, "name": "Simulated app", "subscribed_fields": fields })
            });
            Ok(json!({ "data": row.into_iter().collect::<Vec<_>>() }))
        }
        "POST" => {
            let required = || GraphError::parameter("The parameter subscribed_fields is required.");
            let fields = call.parameter("subscribed_fields").ok_or_else(required)?;
            let fields: BTreeSet<String> = fields.split(',').map(|field| field.trim().to_owned()).collect();
            if let Some(unknown) = fields.iter().find(|field| !FIELDS.contains(&field.as_str())) {
                let text = format!("Param subscribed_fields must not hold \"{unknown}\".");
                return Err(GraphError::parameter(text));
            }
            page.subscription = Some(Fields::These(fields));
            Ok(json!({ "success": true }))
        }
        "DELETE" => {
            page.subscription = None;
            Ok(json!({ "success": true }))
        }
        _ => Err(GraphError::missing_object(method, call.id())),
    }
}

/// Answers `GET /{message}`: a message that a person wrote to a page or an Instagram account of the token.
/// `None` for any other id.
pub(super) fn message(core: &Core, call: &Call) -> Option<Result<Value, GraphError>> {
    let written = core.log().written(call.id()).cloned()?;
    let is_seen = core.world().channel_seen(&written.channel.id, &call.token).is_some();
    if call.method != "GET" || !call.edge().is_empty() || !is_seen {
        return Some(Err(GraphError::missing_object(call.method.as_str(), call.id())));
    }
    let row = json!({
        "id": call.id(),
        "from": { "id": written.from },
        "to": { "data": [{ "id": written.channel.id }] },
        "message": written.text,
        "created_time": crate::clock::rfc3339(written.at),
    });
    let Value::Object(row) = row else { return None };
    Some(Ok(select(&row, call, &["id", "created_time"])))
}

/// Answers `GET /{person}`: the profile of a person whom a page or an Instagram account of the token knows.
pub(super) fn profile(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let missing = || GraphError::missing_object(call.method.as_str(), call.id());
    let channels: Vec<Channel> = core.world().pages_of(&call.token).flat_map(PageState::channels).collect();
    let known =
        |channel: &Channel| Some((channel.surface, core.log().person(&channel.id, call.id())?.clone()));
    let (surface, person) = channels.iter().find_map(known).ok_or_else(missing)?;
    if call.method != "GET" || !call.edge().is_empty() {
        return Err(missing());
    }
    if surface == Surface::Instagram && person.wrote_at.is_none() {
        let consent = "User consent is required to access user profile";
        return Err(GraphError::of(230).with_title(consent).with_status(400));
    }
    let row = row(core, call.id(), surface, person);
    let default: &[&str] = match surface {
        Surface::Messenger => &["first_name", "last_name", "profile_pic"],
        Surface::Instagram => &["name", "username", "profile_pic"],
    };
    Ok(select(&row, call, default))
}

fn row(core: &Core, id: &str, surface: Surface, person: KnownPerson) -> Map<String, Value> {
    let picture = media::portrait(core, id);
    let row = match surface {
        Surface::Messenger => {
            let name = person.name.unwrap_or_else(|| format!("Person {id}"));
            let (first, last) = name.split_once(' ').unwrap_or((&name, ""));
            json!({ "id": id, "first_name": first, "last_name": last, "name": name, "profile_pic": picture })
        }
        Surface::Instagram => json!({
            "id": id,
            "name": person.name,
            "username": format!("person.{id}"),
            "profile_pic": picture,
            "is_verified_user": false,
        }),
    };
    match row {
        Value::Object(row) => row,
        _ => Map::new(),
    }
}
