//! `/conversations/{id}/drafts`: drafts that customers are asked to confirm, and their outcomes.

use std::num::NonZeroU32;

use actix_web::web::Payload;
use domain::{
    consent::{
        DraftRequest, LONGEST_NOTE, MAX_QUANTITY, ProposeError, Proposed, Proposer, Wanted, WantedLine,
        ports::{CommitmentRecord, DraftRecord},
    },
    external_id::ExternalId,
    ids::{ConversationId, DraftId, MemberId, MessageId},
    language::Language,
    orders::DeliveryAddress,
    sending::IdempotencyKey,
    since::read_since,
    systems::LONGEST_LABEL,
    text::PlainText,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Answer, Call, Rows},
        answer::see_other,
        form::Form,
    },
    query::{conversation, path_of, unknown},
};
use crate::{
    dashboard::failure::SoughtKind,
    paging::not_found,
    problem::{DashboardCode, Problem, RefusalCode},
    sending::created,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/drafts";
/// Most characters of a line of an address.
const LONGEST_ADDRESS: usize = 200;

/// What the customer is asked to confirm.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum NewDraftBody {
    /// An order, paid on delivery.
    #[serde(rename_all = "camelCase")]
    Order {
        /// The products; no variant twice.
        lines: Vec<NewLineBody>,
        /// Who gets it; the contact's name where it is absent.
        name: Option<String>,
        /// The number to call, in any spelling; where it is absent the one that the network has told.
        phone: Option<String>,
        email: Option<String>,
        address: AddressBody,
        /// The customer's remark.
        note: Option<String>,
        language: Option<LanguageBody>,
    },
    /// A free time.
    #[serde(rename_all = "camelCase")]
    Booking {
        slot_id: GivenId,
        /// When the slot begins, as the list of slots says.
        starts_at: String,
        /// As the list of slots says.
        service: Option<String>,
        /// The contact's name where it is absent.
        name: Option<String>,
        /// The number to call, in any spelling; where it is absent the one that the network has told.
        phone: Option<String>,
        /// The customer's remark.
        note: Option<String>,
        language: Option<LanguageBody>,
    },
    /// That one of the customer's own orders is cancelled.
    #[serde(rename_all = "camelCase")]
    Cancellation {
        /// What the customer calls the order; a `#` before it does not count.
        reference: String,
        reason: String,
        language: Option<LanguageBody>,
    },
}

/// A product of an order.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewLineBody {
    product_id: GivenId,
    variant_id: Option<GivenId>,
    quantity: NonZeroU32,
}

/// Where an order goes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddressBody {
    /// Street, house, landmark.
    line1: String,
    city: String,
    province: String,
    /// Two letters; the workspace's region where it is absent.
    country: Option<String>,
    /// How to find it.
    notes: Option<String>,
}

/// What the customer is written to in; Arabic where it is absent.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LanguageBody {
    Ar,
    En,
    /// Sorani Kurdish.
    Ckb,
}

/// An id in the customer's system, as text or number. Other values are refused where the field's name is
/// known.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct GivenId(Value);

impl GivenId {
    pub(super) fn read(&self, field: &str) -> Result<ExternalId, Problem> {
        let id = match &self.0 {
            Value::String(text) => ExternalId::of_text(text),
            Value::Number(number) => ExternalId::of_number(&number.to_string()),
            _ => return Err(Problem::invalid(format!("`{field}` must be a text or a number"))),
        };
        id.ok_or_else(|| Problem::invalid(format!("`{field}` is no id of a system")))
    }
}

/// What a customer was asked to confirm.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DraftBody {
    id: DraftId,
    /// `order`, `booking` or `cancellation`.
    kind: &'static str,
    /// `open`: the customer may confirm it. `confirmed`, `declined`: they did, or said no. `withdrawn`:
    /// somebody of the team took it back, or the network refused its summary. `replaced`: another draft took
    /// its place. `expired`: nobody answered within half an hour.
    state: &'static str,
    /// The message that says it.
    message_id: MessageId,
    /// Who proposed it; null where the assistant did.
    member_id: Option<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    /// Until when it may be confirmed.
    #[serde(with = "domain::clock::timestamp")]
    expires_at: OffsetDateTime,
    /// What became of its confirmation; null before.
    commitment: Option<CommitmentBody>,
}

/// What became of a confirmation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommitmentBody {
    /// `confirmed`, `asked`: the system is asked, again and again for half an hour. `done`: an event and a
    /// message told of it. `refused`: the system refused. `tested`: the assistant is in the mode `test`, and
    /// nothing was asked for. `changed`: prices or times are others by now, and nothing was asked for.
    /// `given_up`: the system did not answer in time, and nobody knows whether it did it: look there.
    state: &'static str,
    /// The customer's message that confirmed it.
    message_id: MessageId,
    #[serde(with = "domain::clock::timestamp")]
    confirmed_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp::option")]
    settled_at: Option<OffsetDateTime>,
}

impl From<DraftRecord> for DraftBody {
    fn from(draft: DraftRecord) -> Self {
        let commitment = |it: CommitmentRecord| CommitmentBody {
            state: it.state.as_str(),
            message_id: it.confirmed_by,
            confirmed_at: it.confirmed_at,
            settled_at: it.settled_at,
        };
        Self {
            id: draft.id,
            kind: draft.kind.as_str(),
            state: draft.state.as_str(),
            message_id: draft.summary,
            member_id: draft.author.member(),
            created_at: draft.created_at,
            expires_at: draft.expires_at,
            commitment: draft.commitment.map(commitment),
        }
    }
}

impl From<ProposeError> for Problem {
    fn from(error: ProposeError) -> Self {
        let message = error.to_string();
        match error {
            ProposeError::Invalid(rule) => Self::invalid(rule),
            ProposeError::UnknownConversation => unknown(),
            ProposeError::NoVerifiedNumber => Self::dashboard(DashboardCode::NoVerifiedNumber, message),
            ProposeError::NotOrderable { line } => {
                Self::dashboard(DashboardCode::NotOrderable, message).with_detail("line", line)
            }
            ProposeError::NoSuchSlot | ProposeError::SeveralSlots => {
                Self::dashboard(DashboardCode::SlotGone, message)
            }
            // Only the assistant can be too late.
            ProposeError::TooLate(..) => Self::invalid(message),
            ProposeError::AlreadyCancelled => Self::dashboard(DashboardCode::AlreadyCancelled, message),
            ProposeError::KeyReused => {
                Self::refused(RefusalCode::IdempotencyKeyReused, message, serde_json::Map::new())
            }
            ProposeError::System(error) => SoughtKind("order").failed(error),
            ProposeError::Send(error) => error.into(),
            ProposeError::Store(error) => error.into(),
        }
    }
}

/// Asks the customer to confirm an order, a booking or a cancellation. The system is asked what that costs,
/// or whether it is free, and the customer is sent a summary with two buttons. Nothing is ordered, booked or
/// cancelled before they have tapped, or written nothing but yes, within half an hour.
pub(in crate::pages) async fn propose(call: Call, payload: Payload) -> Answer {
    let (conversation, body, key) = call.keyed(payload, ROUTE, unknown).await?;
    let proposed = propose_in(&call, conversation, body, key).await?;
    let Some(made) = proposed.made else {
        let drafts = listed(&call, conversation).await?;
        let draft = drafts.into_iter().find(|draft| draft.id == proposed.draft);
        return Ok(created(true).json(draft.ok_or_else(|| not_found("draft"))?));
    };
    // The customer was asked: no failed read after this may say otherwise.
    Ok(created(false).json(DraftBody::from(made)))
}

/// What the conversation's customer was asked to confirm, and what became of it: newest first, at most 50.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let rows = listed(&call, conversation(&call)?).await?;
    act::ok(&Rows { rows })
}

/// Withdraws the open draft that a form names.
pub(in crate::pages) async fn withdraw(call: Call, payload: Payload) -> Answer {
    let no_such = || not_found("open draft");
    let id = conversation(&call)?;
    let draft = Form::of(&call.request, payload).await?.text("withdraw")?;
    let draft: DraftId = draft.parse().map_err(|_| no_such())?;
    let acting = call.acting();
    let withdrawn =
        call.run(move |app| async move { app.dashboard.consent.manage.withdraw(acting, id, draft).await });
    // A draft that the customer answered meanwhile is shown with the answer.
    let _was_open = withdrawn.await?;
    Ok(see_other(&path_of(&call, id)?))
}

/// Asks the conversation's customer in the name of the signed-in member.
pub(super) async fn propose_in(
    call: &Call,
    conversation: ConversationId,
    body: NewDraftBody,
    key: Option<IdempotencyKey>,
) -> Result<Proposed, Problem> {
    let (wanted, language) = wanted(call, body).await?;
    let asked = DraftRequest { conversation, wanted, language, preamble: None, key };
    let (acting, by) = (call.acting(), Proposer::Member(call.by.session.member));
    call.run(move |app| async move { app.dashboard.consent.propose.run(acting, by, &asked).await }).await
}

async fn listed(call: &Call, conversation: ConversationId) -> Result<Vec<DraftBody>, Problem> {
    let workspace = call.workspace();
    let listed =
        call.run(move |app| async move { app.dashboard.consent.manage.list(workspace, conversation).await });
    Ok(listed.await?.ok_or_else(unknown)?.into_iter().map(DraftBody::from).collect())
}

async fn wanted(call: &Call, body: NewDraftBody) -> Result<(Wanted, Language), Problem> {
    match body {
        NewDraftBody::Order { lines, name, phone, email, address, note, language } => {
            let wanted = Wanted::Order {
                lines: lines.iter().map(line).collect::<Result<_, _>>()?,
                name: optional(name.as_deref(), LONGEST_LABEL, "name")?,
                phone,
                email: optional(email.as_deref(), LONGEST_LABEL, "email")?,
                address: read_address(call, &address).await?,
                note: optional(note.as_deref(), LONGEST_NOTE, "note")?,
            };
            Ok((wanted, read_language(language)))
        }
        NewDraftBody::Booking { slot_id, starts_at, service, name, phone, note, language } => {
            let begins = read_since(&starts_at);
            let wanted = Wanted::Booking {
                slot: Some(slot_id.read("slotId")?),
                starts_at: begins
                    .ok_or_else(|| Problem::invalid("`startsAt` is no time with an offset".to_owned()))?,
                service: optional(service.as_deref(), LONGEST_LABEL, "service")?,
                name: optional(name.as_deref(), LONGEST_LABEL, "name")?,
                phone,
                note: optional(note.as_deref(), LONGEST_NOTE, "note")?,
            };
            Ok((wanted, read_language(language)))
        }
        NewDraftBody::Cancellation { reference, reason, language } => {
            let reason = required(&reason, LONGEST_NOTE, "reason")?;
            Ok((Wanted::Cancellation { reference, reason }, read_language(language)))
        }
    }
}

fn line(line: &NewLineBody) -> Result<WantedLine, Problem> {
    if line.quantity.get() > MAX_QUANTITY {
        return Err(Problem::invalid(format!("`quantity` is 1 to {MAX_QUANTITY}")));
    }
    Ok(WantedLine {
        product: line.product_id.read("productId")?,
        variant: line.variant_id.as_ref().map(|id| id.read("variantId")).transpose()?,
        quantity: line.quantity,
    })
}

async fn read_address(call: &Call, body: &AddressBody) -> Result<DeliveryAddress, Problem> {
    let country = match &body.country {
        Some(code) => code
            .to_ascii_uppercase()
            .parse()
            .map_err(|_| Problem::invalid("`address.country` is no two-letter code".to_owned()))?,
        None => call.app.find_region.run(call.workspace()).await?,
    };
    Ok(DeliveryAddress {
        line1: required(&body.line1, LONGEST_ADDRESS, "address.line1")?,
        city: required(&body.city, LONGEST_ADDRESS, "address.city")?,
        province: required(&body.province, LONGEST_ADDRESS, "address.province")?,
        country,
        notes: optional(body.notes.as_deref(), LONGEST_ADDRESS, "address.notes")?,
    })
}

pub(super) const fn read_language(language: Option<LanguageBody>) -> Language {
    match language {
        Some(LanguageBody::En) => Language::English,
        Some(LanguageBody::Ckb) => Language::Sorani,
        Some(LanguageBody::Ar) | None => Language::Arabic,
    }
}

fn required(typed: &str, longest: usize, field: &str) -> Result<PlainText, Problem> {
    let read = PlainText::read_whole(typed, longest).filter(|(_, whole)| *whole);
    let rule =
        || Problem::invalid(format!("`{field}` must be 1 to {longest} characters that show something"));
    read.map(|(text, _)| text).ok_or_else(rule)
}

/// Parses an optional field; a blank one counts as absent.
fn optional(typed: Option<&str>, longest: usize, field: &str) -> Result<Option<PlainText>, Problem> {
    match typed.filter(|typed| PlainText::read(typed, longest).is_some()) {
        Some(typed) => required(typed, longest, field).map(Some),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::{NewDraftBody, line};
    use crate::body::json::read_json;

    /// Returns the message about the only line of an order; `None` if the line is valid.
    fn refusal_of(product: &str, variant: &str) -> Option<String> {
        let line_body = format!(r#"{{"productId":{product},"variantId":{variant},"quantity":1}}"#);
        let address = r#"{"line1":"a","city":"b","province":"c"}"#;
        let body = format!(r#"{{"kind":"order","lines":[{line_body}],"address":{address}}}"#);
        let body = read_json::<NewDraftBody>(body.as_bytes()).unwrap();
        let NewDraftBody::Order { lines, .. } = body.fields else { panic!("an order") };
        line(&lines[0]).err().map(|problem| problem.message().to_owned())
    }

    #[test]
    fn an_id_is_a_text_or_a_number_and_anything_else_is_refused_by_its_field() {
        for (product, variant) in [(r#""a-7""#, "null"), ("7", "null"), ("7", r#""red""#)] {
            assert_eq!(refusal_of(product, variant), None, "{product} {variant}");
        }
        for odd in ["true", "[]", r#"{"id":7}"#] {
            let of_product = "`productId` must be a text or a number";
            assert_eq!(refusal_of(odd, "null").as_deref(), Some(of_product), "{odd}");
            let of_variant = "`variantId` must be a text or a number";
            assert_eq!(refusal_of("7", odd).as_deref(), Some(of_variant), "{odd}");
        }
        assert_eq!(refusal_of(r#""""#, "null").as_deref(), Some("`productId` is no id of a system"));
        let of_product = "`productId` must be a text or a number";
        assert_eq!(refusal_of("null", "null").as_deref(), Some(of_product));
    }
}
