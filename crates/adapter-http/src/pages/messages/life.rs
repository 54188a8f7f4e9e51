//! `/messages/{id}`: the history of a message.

use dashboard_pages::{LifePage, LifeStep, Moment, Section, TellingRow};
use domain::{
    access::members::Role,
    ids::{ConversationId, DeliveryId, MessageId, WebhookAddressId},
    messages::{Sending, TemplateRef},
    webhooks::{Attempt, MessageLife, Told},
};
use serde::Serialize;
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Answer, Call},
        answer::ok,
    },
    failure,
};
use crate::paging::not_found;

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
struct LifeBody {
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

/// Everything that is known of a message: when it was asked for and accepted, what the network said of it,
/// and what every webhook address was told.
pub(in crate::pages) async fn explain(call: Call) -> Answer {
    let unknown = || not_found("message");
    let (workspace, id) = (call.workspace(), call.id(unknown)?);
    let told = call.run(move |app| async move { app.dashboard.explain_message.run(workspace, id).await });
    let life = told.await?.ok_or_else(unknown)?;
    if call.is_of_api() {
        return act::ok(&LifeBody::from(life));
    }
    // Agents see no settings.
    let section = if call.by.session.role == Role::Owner { Section::Messages } else { Section::Inbox };
    let frame = call.frame(section).await?;
    let MessageLife { id, conversation, template, reference, sending, told, recorded_at, .. } = life;
    let words = &frame.words().inbox;
    let said = |sending: &Sending| failure(sending.error_code, sending.error.as_deref(), words);
    let mut taken = sending.as_ref().map(steps).unwrap_or_default();
    taken.extend(recorded_at.filter(|_| sending.is_none()).map(|at| (LifeStep::Recorded, at.into())));
    ok(&LifePage {
        frame: &frame,
        id: id.to_string(),
        conversation: conversation.map(|id| format!("/dashboard/inbox/{id}")),
        template: template.map(|template| template.name),
        reference,
        steps: taken,
        error: sending.as_ref().and_then(said),
        told: told.into_iter().map(telling).collect(),
    })
}

/// Returns the steps of a sending, earliest first.
fn steps(sending: &Sending) -> Vec<(LifeStep, Moment)> {
    use domain::messages::SendingState::{InFlight, Refused, Sent};
    let settled = match sending.state {
        InFlight => None,
        Sent => sending.settled_at.map(|at| (LifeStep::Taken, at)),
        Refused => sending.settled_at.map(|at| (LifeStep::Refused, at)),
    };
    let progress = &sending.progress;
    let reported = [
        (LifeStep::Delivered, progress.delivered_at),
        (LifeStep::Read, progress.read_at),
        (LifeStep::Failed, progress.failed_at),
    ];
    let reported = reported.into_iter().filter_map(|(step, at)| Some((step, at?)));
    let all = [(LifeStep::Asked, sending.asked_at)].into_iter().chain(settled).chain(reported);
    all.map(|(step, at)| (step, at.into())).collect()
}

fn telling(Told { delivery, attempts }: Told) -> TellingRow {
    TellingRow {
        href: format!("/dashboard/settings/deliveries/{}", delivery.id),
        event: delivery.event,
        state: delivery.state,
        at: delivery.created_at.into(),
        attempts: attempts.len(),
    }
}
