//! `GET /messages/{id}`, and `GET /messages` by a reference, a number or the network's id.

pub(crate) mod search;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    ids::{ConversationId, DeliveryId, MessageId, WebhookAddressId},
    messages::{Clue, FoundMessage, NetworkMessageId, Sending, Sight, TemplateRef},
    paging::Page,
    phone::PhoneNumber,
    webhooks::{Attempt, MessageLife, Told},
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    app::App,
    messages::find::{StatesBody, sent_under},
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

/// How a message was sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SendingBody {
    /// `in_flight` until the network has answered, `sent` once it took the message, `refused` where it did
    /// not.
    state: &'static str,
    /// When the request for it was accepted here.
    #[serde(with = "domain::clock::timestamp")]
    asked_at: OffsetDateTime,
    /// When the network's answer was written down.
    #[serde(with = "domain::clock::timestamp::option")]
    settled_at: Option<OffsetDateTime>,
    /// The furthest that the network has reported: `sent`, `delivered`, `read` or `failed`.
    status: &'static str,
    #[serde(with = "domain::clock::timestamp::option")]
    delivered_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp::option")]
    read_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp::option")]
    failed_at: Option<OffsetDateTime>,
    /// The network's words where it refused the message or could not deliver it.
    error: Option<String>,
    /// The network's own code for that.
    error_code: Option<i64>,
}

/// One attempt at a webhook delivery.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptBody {
    /// From 1.
    number: u32,
    #[serde(with = "domain::clock::timestamp")]
    started_at: OffsetDateTime,
    duration_ms: i64,
    /// The status of the answer, where there was one.
    status: Option<u16>,
    failure: Option<String>,
}

/// What one webhook address was told of the message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldBody {
    delivery_id: DeliveryId,
    address_id: WebhookAddressId,
    event: &'static str,
    /// `pending`, `delivered`, `failed`, or `held` where its address was disabled.
    state: &'static str,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp::option")]
    next_attempt_at: Option<OffsetDateTime>,
    attempts: Vec<AttemptBody>,
}

/// What happened to a message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LifeBody {
    id: MessageId,
    /// Null for what is kept in no conversation, such as a one-time code.
    conversation_id: Option<ConversationId>,
    role: Option<&'static str>,
    /// The member who wrote it, where it was one.
    sender_id: Option<String>,
    template: Option<TemplateRef>,
    reference: Option<String>,
    /// When it was written into its conversation.
    #[serde(with = "domain::clock::timestamp::option")]
    recorded_at: Option<OffsetDateTime>,
    /// Whether the network has given it an id. The id itself can hold the person's number and is not shown.
    has_network_id: bool,
    /// Null for what a customer wrote.
    sending: Option<SendingBody>,
    /// What webhook addresses were told of it, the first first. The log is kept for a month.
    told: Vec<ToldBody>,
}

impl From<Sending> for SendingBody {
    fn from(sending: Sending) -> Self {
        let Sending { state, asked_at, settled_at, progress, error, error_code } = sending;
        Self {
            state: state.as_str(),
            asked_at,
            settled_at,
            status: progress.status.as_str(),
            delivered_at: progress.delivered_at,
            read_at: progress.read_at,
            failed_at: progress.failed_at,
            error,
            error_code,
        }
    }
}

impl From<Attempt> for AttemptBody {
    fn from(attempt: Attempt) -> Self {
        let Attempt { number, started_at, duration_ms, status, failure, answer: _ } = attempt;
        Self { number, started_at, duration_ms, status, failure }
    }
}

impl From<Told> for ToldBody {
    fn from(Told { delivery, attempts }: Told) -> Self {
        Self {
            delivery_id: delivery.id,
            address_id: delivery.address,
            event: delivery.event.as_str(),
            state: delivery.state.as_str(),
            created_at: delivery.created_at,
            next_attempt_at: delivery.next_attempt_at,
            attempts: attempts.into_iter().map(AttemptBody::from).collect(),
        }
    }
}

impl From<MessageLife> for LifeBody {
    fn from(life: MessageLife) -> Self {
        Self {
            id: life.id,
            conversation_id: life.conversation,
            role: life.role.map(domain::messages::Role::as_str),
            sender_id: life.sender_id,
            template: life.template,
            reference: life.reference,
            recorded_at: life.recorded_at,
            has_network_id: life.has_network_id,
            sending: life.sending.map(SendingBody::from),
            told: life.told.into_iter().map(ToldBody::from).collect(),
        }
    }
}

/// Sight of members: conversations and sends alike.
pub(crate) const EVERYTHING: Sight = Sight { conversations: true, sends: true };

const MAX_NETWORK_ID_CHARS: usize = 512;

/// Messages by what somebody knows of them, newest first: the reference that they were sent with, the number
/// of the person, or the network's own id. One of the three.
///
/// Of a number these are the newest 30 with this person, theirs and the team's; those before stand in the
/// conversation. What is kept in no conversation, such as a one-time code, is found by its reference or the
/// network's id.
pub(crate) async fn find(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<StatesBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    Ok(Json(find_page(&app, &by, &parameters).await?.into()))
}

/// Returns a page of the messages that the parameters name.
pub(crate) async fn find_page(
    app: &Data<App>,
    by: &SignedIn,
    parameters: &Parameters,
) -> Result<Page<FoundMessage>, Problem> {
    let workspace = by.session.workspace;
    let Some(clue) = clue(by, parameters)? else {
        return sent_under(app, workspace, EVERYTHING, parameters).await;
    };
    let found =
        app.run(move |app| async move { app.find_messages.by_clue(workspace, EVERYTHING, &clue).await });
    Ok(Page { rows: found.await??, next: None })
}

/// Parses the number or network id to search by; `None` if the search is by reference.
fn clue(by: &SignedIn, parameters: &Parameters) -> Result<Option<Clue>, Problem> {
    let read = |text: &str| PhoneNumber::parse_known(text, by.session.region).ok();
    let phone = parameters.read("phone", read, "a phone number")?.map(Clue::Number);
    let fits = |text: &str| {
        let count = text.trim().chars().count();
        (1..=MAX_NETWORK_ID_CHARS).contains(&count).then(|| NetworkMessageId::from(text.trim().to_owned()))
    };
    let network = parameters.read("networkId", fits, "1 to 512 characters")?.map(Clue::NetworkId);
    let has_more = ["reference", "cursor"].map(|name| parameters.get(name));
    let has_more = has_more.into_iter().collect::<Result<Vec<_>, _>>()?.iter().any(Option::is_some);
    match (phone, network) {
        (None, None) => Ok(None),
        (Some(clue), None) | (None, Some(clue)) if !has_more => Ok(Some(clue)),
        _ => Err(Problem::invalid(
            "one of `reference`, `phone` and `networkId`, and `cursor` with the first of them only",
        )),
    }
}

/// Everything that is known of a message: when it was asked for and accepted, what the network said of it,
/// and what every webhook address was told.
pub(crate) async fn explain(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<LifeBody>, Problem> {
    let unknown = || not_found("message");
    let id = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let told = app.run(move |app| async move { app.dashboard.explain_message.run(workspace, id).await });
    Ok(Json(told.await??.ok_or_else(unknown)?.into()))
}
