//! One element of a post about a page or an Instagram account (docs/run/networks.md, "What a page is told").

use domain::{
    channels::ChannelKind,
    contacts::{ContactSignal, Identity},
    inbound::{ConversationUpdate, NamedMessage, Person, SeenUpTo, UpdateKind, Written},
    messages::{Context, DeliveryStatus, NetworkMessageId, Product, Referral, Story, TappedReply},
};
use graph_client::webhook;
use serde_json::Value;
use time::OffsetDateTime;

use super::content::{Content, content};

/// App that the team uses when it writes from the page's own inbox.
const INBOX_APP: u64 = 26_390_203_743_090;

/// Keys of what an element tells; the first that it has counts.
const KEYS: [&str; 8] =
    ["message", "postback", "reaction", "message_edit", "delivery", "read", "optin", "referral"];

/// Page or account that an element belongs to.
pub(super) struct Channel<'a> {
    pub(super) kind: ChannelKind,
    pub(super) network_id: String,
    /// The app's own id, if it is known.
    pub(super) app_id: Option<u64>,
    /// Time of the entry.
    pub(super) time: Option<&'a Value>,
    /// Whether another app, or the page's own inbox, holds the conversation.
    pub(super) is_held: bool,
}

/// What an element tells.
pub(super) enum Told {
    /// An update of a conversation.
    Update(Box<ConversationUpdate>),
    /// A message named without its contents.
    Named(NamedMessage),
}

/// Reason why an element changes nothing.
pub(super) enum NoUse {
    /// A required part is missing or of another type.
    Unreadable,
    /// Of no use here; with its name.
    Unused(String),
    /// Not parsed by this version; with its name, as somebody may have written it.
    Unread(String),
}

/// Keys beside those of messages whose elements are of no use here.
const UNUSED: [&str; 7] = [
    "account_linking",
    "app_roles",
    "pass_thread_control",
    "policy_enforcement",
    "request_thread_control",
    "response_feedback",
    "take_thread_control",
];

/// Parses an element: one update, or one for each message that it names.
pub(super) fn read(element: &Value, channel: &Channel<'_>) -> Result<Vec<Told>, NoUse> {
    let fields = element.as_object().ok_or(NoUse::Unreadable)?;
    let held = KEYS.into_iter().find_map(|key| Some((key, fields.get(key)?)));
    let Some((key, value)) = held else {
        let around = ["sender", "recipient", "timestamp"];
        let name = fields.keys().filter(|name| !around.contains(&name.as_str())).min();
        return Err(match name {
            None => NoUse::Unreadable,
            Some(name) if UNUSED.contains(&name.as_str()) => NoUse::Unused(name.clone()),
            Some(name) => NoUse::Unread(name.clone()),
        });
    };
    let at = element.get("timestamp").and_then(webhook::instant);
    let at = at.or_else(|| channel.time.and_then(webhook::instant));
    let is_echo = value.get("is_echo").and_then(Value::as_bool) == Some(true);
    let party = |name: &str| webhook::network_id(element.get(name).and_then(|party| party.get("id")));
    let (sender, recipient) = (party("sender"), party("recipient"));
    let by_business = is_echo || sender.as_deref() == Some(&channel.network_id);
    let named = if by_business { recipient } else { sender };
    // Instagram reports edits, and some new messages as edited zero times, without the conversation and the
    // text.
    if key == "message_edit" && (named.is_none() || webhook::text(value.get("text")).is_none()) {
        return Ok(vec![Told::Named(NamedMessage {
            network: channel.kind,
            message: mid(value)?,
            is_edit: !is_first(value),
            is_held: channel.is_held,
            at,
        })]);
    }
    let Some(named) = named else {
        // A plugin of a web page reports visitors before they are anybody.
        let visitor = || value.get("user_ref").or(element.pointer("/sender/user_ref")).is_some();
        return Err(if key == "optin" && visitor() { unused(key) } else { NoUse::Unreadable });
    };
    let at = at.ok_or(NoUse::Unreadable)?;
    let whats = match key {
        "message" if by_business => vec![echoed(value, channel)?],
        _ if by_business => return Err(NoUse::Unused(format!("own {key}"))),
        "message" => vec![message(value)?],
        "postback" => vec![postback(value, &named, at)?],
        "reaction" => vec![reaction(value)?],
        "message_edit" => vec![edit(value)?],
        "optin" => vec![UpdateKind::Signalled { signal: opt_in(value)? }],
        "referral" => vec![UpdateKind::Signalled { signal: referred(element)? }],
        _ => seen(key, value)?,
    };
    let identity = match channel.kind {
        ChannelKind::Messenger => Identity::MessengerUser(named),
        ChannelKind::Instagram => Identity::InstagramUser(named),
        // WhatsApp posts elsewhere.
        ChannelKind::Whatsapp => return Err(NoUse::Unreadable),
    };
    let person = Person { identities: vec![identity], name: None, avatar_url: None };
    let update = |what| {
        let mut update = ConversationUpdate { person: person.clone(), at, what };
        update.hold(channel.is_held);
        Told::Update(Box::new(update))
    };
    Ok(whats.into_iter().map(update).collect())
}

/// Returns whether an edit is the first version of a message.
fn is_first(edit: &Value) -> bool {
    webhook::integer(edit.get("num_edit")) == Some(0)
}

fn message(message: &Value) -> Result<UpdateKind, NoUse> {
    if is_deleted(message) {
        return Ok(UpdateKind::Deleted { message: mid(message)? });
    }
    Ok(UpdateKind::Wrote(written(message)?))
}

/// Parses a message of the business: of this app, or of the team from elsewhere.
fn echoed(message: &Value, channel: &Channel<'_>) -> Result<UpdateKind, NoUse> {
    if is_deleted(message) {
        return Err(NoUse::Unused("own deletion".to_owned()));
    }
    let tag = webhook::text(message.get("metadata"));
    let app = match message.get("app_id") {
        Some(Value::String(id)) => id.parse().ok(),
        Some(id) => id.as_u64(),
        None => None,
    };
    let by_us = match (app, channel.app_id) {
        (Some(app), Some(ours)) => app == ours,
        // Without our own id, an echo in a conversation that another app holds is the other app's.
        (Some(app), None) => app != INBOX_APP && !channel.is_held,
        (None, _) => tag.is_some(),
    };
    Ok(UpdateKind::Echoed { written: written(message)?, tag, by_us })
}

/// Parses a tapped button: its title stands for the text. One without an id is identified by the person and
/// the time.
fn postback(postback: &Value, person: &str, at: OffsetDateTime) -> Result<UpdateKind, NoUse> {
    let words = webhook::text(postback.get("title")).or_else(|| webhook::text(postback.get("payload")));
    let made_up =
        || NetworkMessageId::from(format!("postback.{person}.{}", at.unix_timestamp_nanos() / 1_000_000));
    Ok(UpdateKind::Wrote(Written {
        network_id: mid(postback).unwrap_or_else(|_| made_up()),
        content: words.ok_or(NoUse::Unreadable)?,
        media: Vec::new(),
        context: Context {
            reply: TappedReply::told(
                webhook::text(postback.get("payload")),
                webhook::text(postback.get("title")),
            ),
            ..context(postback)
        },
    }))
}

/// Parses a reaction: the sign itself if it is given, else the word for it.
fn reaction(reaction: &Value) -> Result<UpdateKind, NoUse> {
    let sign = || webhook::text(reaction.get("emoji")).or_else(|| webhook::text(reaction.get("reaction")));
    let emoji = match reaction.get("action").and_then(Value::as_str) {
        Some("unreact") => None,
        Some("react") => Some(sign().ok_or(NoUse::Unreadable)?),
        _ => return Err(NoUse::Unreadable),
    };
    Ok(UpdateKind::Reacted { message: mid(reaction)?, emoji })
}

fn edit(edit: &Value) -> Result<UpdateKind, NoUse> {
    let content = webhook::text(edit.get("text")).ok_or(NoUse::Unreadable)?;
    if is_first(edit) {
        let refers = Context::default();
        return Ok(UpdateKind::Wrote(Written {
            network_id: mid(edit)?,
            content,
            media: Vec::new(),
            context: refers,
        }));
    }
    Ok(UpdateKind::Edited { message: mid(edit)?, content, held_elsewhere: false })
}

/// Parses how far the person got: up to a time, up to a message, or message by message.
fn seen(key: &str, value: &Value) -> Result<Vec<UpdateKind>, NoUse> {
    let status = if key == "read" { DeliveryStatus::Read } else { DeliveryStatus::Delivered };
    let one = |up_to| UpdateKind::Seen { status, up_to };
    if let Some(watermark) = value.get("watermark").and_then(webhook::instant) {
        return Ok(vec![one(SeenUpTo::Time(watermark))]);
    }
    let mids = value.get("mids").and_then(Value::as_array).into_iter().flatten().map(Some);
    let mids = mids.chain([value.get("mid")]);
    let seen: Vec<UpdateKind> = mids
        .filter_map(webhook::message_id)
        .map(|mid| one(SeenUpTo::Message(NetworkMessageId::from(mid))))
        .collect();
    if seen.is_empty() { Err(NoUse::Unreadable) } else { Ok(seen) }
}

fn written(message: &Value) -> Result<Written, NoUse> {
    let Content { words, media, lost, product } = content(message);
    let about = context(message);
    let context = Context { unavailable: lost, product: product.or(about.product), ..about };
    Ok(Written { network_id: mid(message)?, content: words, media, context })
}

/// Parses what somebody agreed to be sent, without the token that would send it.
fn opt_in(opt_in: &Value) -> Result<ContactSignal, NoUse> {
    let text = |name: &str| webhook::text(opt_in.get(name));
    let (title, payload) = (text("title"), text("payload").or_else(|| text("ref")));
    let status = text("notification_messages_status");
    let stopped = status.as_deref() == Some("STOP_NOTIFICATIONS");
    if title.is_none() && payload.is_none() && status.is_none() {
        return Err(unused("optin"));
    }
    Ok(ContactSignal::OptIn { stopped, title, payload })
}

/// Parses the origin of a conversation in which the person has not written yet.
fn referred(element: &Value) -> Result<ContactSignal, NoUse> {
    let referral = context(element).referral.ok_or_else(|| unused("referral"))?;
    Ok(ContactSignal::Referral { referral })
}

/// Parses what a message or a tapped button refers to.
fn context(message: &Value) -> Context<NetworkMessageId> {
    let reply_to = message.get("reply_to");
    let story = reply_to.and_then(|reply| reply.get("story")?.get("url"));
    let referral = message.get("referral").unwrap_or(&Value::Null);
    let told = |name: &str| webhook::text(referral.get(name));
    let of = |part: &str, name: &str| webhook::text(referral.get(part)?.get(name));
    Context {
        reply_to: reply_to.and_then(|reply| mid(reply).ok()),
        reply_to_unknown: false,
        forwarded: false,
        held_elsewhere: false,
        product: of("product", "id").map(|id| Box::new(Product { id, ..Product::default() })),
        story: webhook::text(story).map(|url| Story { url }),
        referral: Referral {
            source: told("source").map(|source| source.to_lowercase()),
            id: told("ad_id"),
            title: of("ads_context_data", "ad_title"),
            text: None,
            url: told("referer_uri"),
            reference: told("ref"),
            click_id: None,
        }
        .told(),
        reply: of_quick_reply(message),
        unavailable: Vec::new(),
    }
}

fn of_quick_reply(message: &Value) -> Option<Box<TappedReply>> {
    let id = webhook::text(message.get("quick_reply")?.get("payload"))?;
    TappedReply::told(Some(id), webhook::text(message.get("text")))
}

fn is_deleted(message: &Value) -> bool {
    message.get("is_deleted").and_then(Value::as_bool) == Some(true)
}

fn mid(holder: &Value) -> Result<NetworkMessageId, NoUse> {
    webhook::message_id(holder.get("mid")).map(NetworkMessageId::from).ok_or(NoUse::Unreadable)
}

fn unused(name: &str) -> NoUse {
    NoUse::Unused(name.to_owned())
}
