//! `/webhooks/{id}/deliveries` and `/deliveries`, in the browser `/dashboard/settings/deliveries`: the log of
//! what addresses were sent.

use dashboard_pages::{AttemptRow, DeliveryDetails, DeliveryPage, DeliveryRow, Section};
use domain::{
    events::EventType,
    ids::DeliveryId,
    paging::{AskedPage, Page},
    since::read_since,
    webhooks::{Attempt, Delivery, DeliveryDetail, DeliveryFilter, DeliverySubject, ResendError},
};
use serde_json::Value;

use super::{
    super::{
        act::{self, Answer, Call, PageOfRows},
        answer::page,
        refusal,
    },
    known,
};
use crate::{
    paging::{not_found, read_page},
    problem::{DashboardCode, Problem},
    query::{MOMENT, Parameters},
};

fn unknown() -> Problem {
    not_found("delivery")
}

pub(super) fn row(delivery: &Delivery) -> DeliveryRow {
    DeliveryRow {
        id: delivery.id,
        address_id: delivery.address,
        event: delivery.event,
        state: delivery.state,
        attempts: delivery.attempts,
        next_attempt_at: delivery.next_attempt_at.map(Into::into),
        created_at: delivery.created_at.into(),
    }
}

fn attempt_row(attempt: Attempt) -> AttemptRow {
    AttemptRow {
        number: attempt.number,
        started_at: attempt.started_at.into(),
        duration_ms: attempt.duration_ms,
        status: attempt.status,
        failure: attempt.failure,
        answer: attempt.answer.map(|answer| String::from_utf8_lossy(&answer).into_owned()),
    }
}

/// What an address was sent, newest first.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let parameters = Parameters::of(&call.request)?;
    let states = ["pending", "delivered", "failed", "held"];
    let state = parameters.word("state", |word| word.parse().ok(), &states)?;
    let event = parameters.read("event", EventType::read, "an event such as message.sent")?;
    let since = parameters.read("since", read_since, MOMENT)?;
    let until = parameters.read("until", read_since, MOMENT)?;
    let asked = read_page(&parameters)?;
    let address = known(&call).await?.id;
    let filter = DeliveryFilter { address, state, event, since, until };
    act::ok(&PageOfRows::of(of(&call, filter, asked).await?, row))
}

pub(super) async fn of(
    call: &Call,
    filter: DeliveryFilter,
    asked: AskedPage,
) -> Result<Page<Delivery>, Problem> {
    let workspace = call.workspace();
    call.run(move |app| async move { app.dashboard.webhooks.read.list(workspace, &filter, &asked).await })
        .await
}

/// What was told of a person, of a message, or of what was sent with a reference, to any address, newest
/// first.
pub(in crate::pages) async fn search(call: Call) -> Answer {
    let parameters = Parameters::of(&call.request)?;
    let contact = parameters.read("contactId", |text| text.parse().ok(), "a UUID")?;
    let message = parameters.read("messageId", |text| text.parse().ok(), "a UUID")?;
    let reference = parameters.get("reference")?.map(str::to_owned);
    let subject = match (contact, message, reference) {
        (Some(contact), None, None) => DeliverySubject::Contact(contact),
        (None, Some(message), None) => DeliverySubject::Message(message),
        (None, None, Some(reference)) => DeliverySubject::Reference(reference),
        _ => {
            return Err(Problem::invalid(
                "exactly one of `contactId`, `messageId` and `reference` is needed",
            ));
        }
    };
    let (workspace, asked) = (call.workspace(), read_page(&parameters)?);
    let found = call
        .run(move |app| async move { app.dashboard.webhooks.read.search(workspace, &subject, &asked).await });
    act::ok(&PageOfRows::of(found.await?, row))
}

/// One delivery with its body and its attempts.
pub(in crate::pages) async fn get(call: Call) -> Answer {
    show(&call, None).await
}

async fn show(call: &Call, not_resent: Option<Problem>) -> Answer {
    let (workspace, id): (_, DeliveryId) = (call.workspace(), call.id(unknown)?);
    let found = call.run(move |app| async move { app.dashboard.webhooks.read.get(workspace, id).await });
    let DeliveryDetail { delivery, body, attempts } = found.await?.ok_or_else(unknown)?;
    let mut details = DeliveryDetails {
        delivery: row(&delivery),
        body: String::from_utf8_lossy(&body).into_owned(),
        attempts: attempts.into_iter().map(attempt_row).collect(),
    };
    if call.is_of_api() {
        return act::ok(&details);
    }
    // People read it; who checks its signature needs it byte for byte, as the API has it.
    if let Ok(lines) =
        serde_json::from_str::<Value>(&details.body).and_then(|body| serde_json::to_string_pretty(&body))
    {
        details.body = lines;
    }
    let frame = call.frame(Section::Webhooks).await?;
    let refused = not_resent.map(|problem| refusal::of_form(&call.request, problem, frame.words()));
    let refused = refused.transpose()?;
    page(refusal::status(refused.as_ref()), &DeliveryPage { frame: &frame, details, refused })
}

/// Sends a delivery again at once, byte for byte and under its id, whatever became of it before. Where its
/// address is disabled it is attempted once, and the address stays so.
pub(in crate::pages) async fn resend(call: Call) -> Answer {
    let (acting, id): (_, DeliveryId) = (call.acting(), call.id(|| ResendError::Unknown.into())?);
    let resent = call.run(move |app| async move { app.dashboard.webhooks.resend.one(acting, id).await });
    let path = format!("/dashboard/settings/deliveries/{id}");
    let done = resent.await.map(|()| call.done(&path));
    call.answer(done, &path, |problem| show(&call, Some(problem))).await
}

impl From<ResendError> for Problem {
    fn from(error: ResendError) -> Self {
        let message = error.to_string();
        match error {
            ResendError::Unknown => not_found("delivery or webhook address"),
            ResendError::Disabled => Self::dashboard(DashboardCode::WebhookDisabled, message),
            ResendError::TooMany => Self::dashboard(DashboardCode::TooManyResends, message),
            ResendError::EmptyWindow => Self::invalid(message),
            ResendError::Store(error) => error.into(),
        }
    }
}
