//! Requests to customers to confirm an order, a booking or a cancellation.

use std::{num::NonZeroU32, pin::pin, sync::Arc, time::Duration};

use futures_util::future::{Either, select};
use time::OffsetDateTime;

use super::{
    draft::{DRAFT_GOOD_FOR, Draft, DraftState},
    drafts::MOST_LISTED,
    ports::{DraftHolder, DraftRecord, DraftStore, NewDraft, Question},
    prepared::SendPrepared,
    proposal::{BookingProposal, CancellationProposal, MAX_LINES, OrderProposal, Proposal, ProposedLine},
    requote,
    summary::Summary,
};
use crate::{
    audit::{Acting, Action},
    channels::ChannelKind,
    contacts::{ports::ContactStore, read_number},
    currency::Currency,
    customer_records::{ConversationCustomer, ports::CustomerStore},
    deps::Deps,
    errors::{MayBeStale, StoreError, retry_stale},
    external_id::ExternalId,
    fence::Fence,
    ids::{ConversationId, DraftId, MemberId, MessageId, WorkspaceId},
    language::Language,
    messages::{PreparedReply, ReplyAuthor},
    orders::{DeliveryAddress, Order, OrderReference, OrderStatus, Recipient},
    phone::PhoneNumber,
    sending::{IdempotencyKey, KeyClaim, SendError, fits},
    systems::{ANSWERS_WITHIN, CallError, CallSystem, OpenedSystem, Route, Slot, SlotQuery, SystemError},
    text::{PlainText, fold_for_search},
    vault::Vault,
};

/// Attempts of a member's proposal that races others; the assistant's has one.
const TRIES: usize = 8;
/// Time limit for all calls to the system that a summary needs.
pub const READS_WITHIN: Duration = Duration::from_secs(15);

/// What a customer is to be asked to confirm.
#[derive(Debug, Clone)]
pub struct DraftRequest {
    pub conversation: ConversationId,
    pub wanted: Wanted,
    pub language: Language,
    /// Line above the summary, such as that an assistant asks; left out where both are too long for a
    /// network.
    pub preamble: Option<String>,
    /// Makes a repeat of the request harmless.
    pub key: Option<IdempotencyKey>,
}

/// Who proposes, and what the proposal rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposer {
    Member(MemberId),
    /// The assistant, in a turn: nothing is proposed once its fence is passed.
    Assistant(Fence),
    TriedAssistant(Fence),
}

impl Proposer {
    const fn author(self) -> ReplyAuthor {
        match self {
            Self::Member(member) => ReplyAuthor::Member(member),
            Self::Assistant(_) | Self::TriedAssistant(_) => ReplyAuthor::Assistant,
        }
    }

    const fn fence(self) -> Option<Fence> {
        match self {
            Self::Member(_) => None,
            Self::Assistant(fence) | Self::TriedAssistant(fence) => Some(fence),
        }
    }

    const fn tries(self) -> usize {
        match self {
            Self::Member(_) => TRIES,
            Self::Assistant(_) | Self::TriedAssistant(_) => 1,
        }
    }
}

/// Contents of a request. Phone numbers are as typed and are parsed here; all else is parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    Order {
        /// One product at least, [`MAX_LINES`] at most.
        lines: Vec<WantedLine>,
        /// Recipient's name; `None` for the contact's.
        name: Option<PlainText>,
        /// Number to call; `None` for the verified one.
        phone: Option<String>,
        email: Option<PlainText>,
        address: DeliveryAddress,
        note: Option<PlainText>,
    },
    Booking {
        /// `None` for the slot that begins at `starts_at`.
        slot: Option<ExternalId>,
        starts_at: OffsetDateTime,
        /// Service of the slot; needed where slots of several services begin at that time.
        service: Option<PlainText>,
        /// `None` for the contact's name.
        name: Option<PlainText>,
        /// Number to call; `None` for the verified one.
        phone: Option<String>,
        note: Option<PlainText>,
    },
    Cancellation {
        reference: String,
        reason: PlainText,
    },
}

impl Wanted {
    /// Lists the words in it that its summary repeats.
    pub fn words(&self) -> impl Iterator<Item = &PlainText> {
        let words = match self {
            Self::Order { name, email, address, note, lines: _, phone: _ } => {
                let place = [&address.line1, &address.city, &address.province].map(Some);
                let rest = [name, email, &address.notes, note].map(Option::as_ref);
                [place.as_slice(), rest.as_slice()].concat()
            }
            Self::Booking { name, note, slot: _, starts_at: _, service: _, phone: _ } => {
                vec![name.as_ref(), note.as_ref()]
            }
            // The reason is for the shop.
            Self::Cancellation { .. } => Vec::new(),
        };
        words.into_iter().flatten()
    }
}

/// One product of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedLine {
    pub product: ExternalId,
    /// `None` for a product without variants.
    pub variant: Option<ExternalId>,
    pub quantity: NonZeroU32,
}

/// Reason why a customer was not asked.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    #[error("{0}")]
    Invalid(String),
    #[error("there is no conversation with this id")]
    UnknownConversation,
    /// The network does not vouch for any number of the customer.
    #[error("the network has told no number of whoever writes in this conversation")]
    NoVerifiedNumber,
    #[error("line {line} cannot be ordered: there is no such product or variant, or none is left")]
    NotOrderable {
        /// Position of the line, from 1.
        line: usize,
    },
    #[error("the system does not offer this slot at that time")]
    NoSuchSlot,
    #[error("several slots begin at that time: name the service")]
    SeveralSlots,
    #[error("the order is cancelled already")]
    AlreadyCancelled,
    /// The order was shipped, delivered or refunded. Only for the assistant, which asks nobody to confirm
    /// what will be refused. The currency is the system's, for an order that names none.
    #[error("the order is {} and can no longer be cancelled", .0.status.as_str())]
    TooLate(Box<Order>, Currency),
    #[error("this Idempotency-Key was used for a different request")]
    KeyReused,
    #[error(transparent)]
    System(#[from] SystemError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayBeStale for ProposeError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_stale())
    }
}

/// A draft that a customer was asked to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub draft: DraftId,
    /// The draft as it was made; `None` if an earlier request with the same key made it.
    pub made: Option<DraftRecord>,
}

/// Use case that asks customers to confirm.
pub struct ProposeDraft {
    pub systems: CallSystem,
    pub customers: Arc<dyn CustomerStore>,
    /// For numbers that no numbering plan has: one that a contact has may be called.
    pub contacts: Arc<dyn ContactStore>,
    pub drafts: Arc<dyn DraftStore>,
    pub prepared: SendPrepared,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl ProposeDraft {
    /// Reads the quote from the system, stores it as the conversation's open draft in place of any other, and
    /// sends its summary. Once begun it must be run to its end, as a reply.
    ///
    /// # Errors
    /// If the network refuses the summary, the draft is withdrawn.
    pub async fn run(
        &self,
        acting: Acting,
        by: Proposer,
        request: &DraftRequest,
    ) -> Result<Proposed, ProposeError> {
        let workspace = acting.workspace;
        let customer = self.customers.customer_of(workspace, request.conversation).await?;
        let customer = customer.ok_or(ProposeError::UnknownConversation)?;
        let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
        if let Some(claim) = claim
            && let Some(holder) = self.drafts.holder(workspace, claim.key_hash).await?
        {
            return self.again(workspace, claim, holder).await;
        }
        let system = self.systems.open(workspace, ANSWERS_WITHIN).await?;
        let numbers = Numbers { contacts: &*self.contacts, workspace, customer: &customer, by };
        let reading = pin!(read(&system, numbers, &request.wanted));
        let proposal = match select(reading, self.deps.clock.sleep(READS_WITHIN)).await {
            Either::Left((read, _)) => read?,
            Either::Right(_) => return Err(SystemError::Call(CallError::TimedOut).into()),
        };
        let made = retry_stale(by.tries(), || async {
            let new = self.draft(acting, by, request, &system, &customer, &proposal)?;
            let new = NewDraft { key: claim, ..new };
            let holder = self.drafts.propose(workspace, &new).await?;
            Ok::<_, ProposeError>((new, holder))
        });
        let (new, holder) = made.await?;
        if let Some((holder, claim)) = holder.zip(claim) {
            return self.again(workspace, claim, holder).await;
        }
        self.prepared.send_now(workspace, &new.summary).await?;
        Ok(Proposed { draft: new.draft.id, made: Some(made_of(&new.draft)) })
    }

    /// Returns whether something that the customer has confirmed is still being carried out.
    pub async fn is_under_way(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<bool, StoreError> {
        let drafts = self.drafts.drafts(workspace, conversation, MOST_LISTED).await?;
        Ok(drafts.iter().filter_map(|draft| draft.commitment).any(|it| it.settled_at.is_none()))
    }

    /// Answers a request whose key was used before.
    async fn again(
        &self,
        workspace: WorkspaceId,
        claim: KeyClaim,
        DraftHolder { request_hash, id }: DraftHolder,
    ) -> Result<Proposed, ProposeError> {
        if claim.request_hash != request_hash {
            return Err(ProposeError::KeyReused);
        }
        // The process that made it may have died before it asked the network.
        if let Some(summary) = self.drafts.unsent_summary(workspace, id).await? {
            self.prepared.send_now(workspace, &summary).await?;
        }
        Ok(Proposed { draft: id, made: None })
    }

    fn draft(
        &self,
        acting: Acting,
        by: Proposer,
        request: &DraftRequest,
        system: &OpenedSystem,
        customer: &ConversationCustomer,
        proposal: &Proposal,
    ) -> Result<NewDraft, ProposeError> {
        let too_much = || ProposeError::Invalid("`lines` cost more than any order does".to_owned());
        let draft = Draft {
            id: DraftId::new(&*self.deps.ids),
            conversation: customer.conversation,
            proposal: proposal.clone(),
            summary: MessageId::new(&*self.deps.ids),
            author: by.author(),
            system: system.id(),
            language: request.language,
            tried: matches!(by, Proposer::TriedAssistant(_)),
            created_at: self.deps.clock.now(),
            expires_at: self.deps.clock.now() + DRAFT_GOOD_FOR,
        };
        let begun_by = |preamble| new_draft(draft.clone(), by.fence(), preamble, acting, &self.deps);
        let new = begun_by(request.preamble.as_deref()).ok_or_else(too_much)?;
        let is_taken = ChannelKind::ALL.iter().all(|network| fits(*network, &new.summary.text, true));
        if is_taken { Ok(new) } else { begun_by(None).ok_or_else(too_much) }
    }
}

/// Makes a draft with its summary, which begins with `preamble` and rests on `fence`, and its audit entry.
/// `None` if a total has more digits than an amount holds.
pub(crate) fn new_draft(
    draft: Draft,
    fence: Option<Fence>,
    preamble: Option<&str>,
    acting: Acting,
    deps: &Deps,
) -> Option<NewDraft> {
    let summary = prepared_summary(&draft, draft.summary, fence, preamble)?;
    let entry = acting.does(Action::DraftProposed, draft.created_at, &*deps.ids).to(draft.conversation);
    let entry = entry.with("draftId", draft.id.to_string()).with("kind", draft.proposal.kind().as_str());
    Some(NewDraft { draft, key: None, summary, entry })
}

/// Makes the reply `id` with a draft's summary, which begins with `preamble` and rests on `fence`. `None` if
/// a total has more digits than an amount holds.
pub(super) fn prepared_summary(
    draft: &Draft,
    id: MessageId,
    fence: Option<Fence>,
    preamble: Option<&str>,
) -> Option<PreparedReply> {
    let Summary { text, buttons } = Summary::of(draft.id, &draft.proposal, draft.language)?;
    let text = preamble.map_or_else(|| text.clone(), |before| format!("{before}\n{text}"));
    Some(PreparedReply {
        id,
        conversation: draft.conversation,
        author: draft.author,
        text,
        buttons,
        summary_of: Some(draft.id),
        until: draft.expires_at,
        fence,
        handed_over_at: None,
    })
}

const fn made_of(draft: &Draft) -> DraftRecord {
    DraftRecord {
        id: draft.id,
        kind: draft.proposal.kind(),
        state: DraftState::Open,
        summary: draft.summary,
        question: Question::first(draft),
        author: draft.author,
        created_at: draft.created_at,
        expires_at: draft.expires_at,
        commitment: None,
    }
}

async fn read(
    system: &OpenedSystem,
    numbers: Numbers<'_>,
    wanted: &Wanted,
) -> Result<Proposal, ProposeError> {
    let Numbers { customer, by, .. } = numbers;
    match wanted {
        Wanted::Order { lines, name, phone, email, address, note } => {
            system.may_call(Route::PlaceOrder)?;
            let recipient = Recipient {
                name: name_of(customer, name.as_ref())?,
                phone: numbers.read(phone.as_deref()).await?,
                email: email.clone(),
            };
            let lines = read_lines(system, lines).await?;
            let currency = system.introduction().currency;
            let (address, note) = (address.clone(), note.clone());
            Ok(Proposal::Order(OrderProposal { lines, currency, recipient, address, note }))
        }
        Wanted::Booking { slot, starts_at, service, name, phone, note } => {
            system.may_call(Route::Book)?;
            let name = name_of(customer, name.as_ref())?;
            let phone = numbers.read(phone.as_deref()).await?;
            let query = SlotQuery {
                from: *starts_at,
                to: starts_at.saturating_add(time::Duration::DAY),
                service: service.clone(),
            };
            let offered = system.slots(&query).await?.slots.into_iter();
            let found = offered.filter(|it| {
                it.span.starts_at() == *starts_at && slot.as_ref().is_none_or(|wanted| it.id == *wanted)
            });
            let found = slot_of(found.collect(), service.as_ref())?;
            let (slot, span, service, note) = (found.id, found.span, found.service, note.clone());
            Ok(Proposal::Booking(BookingProposal { slot, span, service, name, phone, note }))
        }
        Wanted::Cancellation { reference, reason } => {
            system.may_call(Route::CancelOrder)?;
            let phone = customer.verified_phone().ok_or(ProposeError::NoVerifiedNumber)?;
            let not_found = || SystemError::Call(CallError::NOT_FOUND);
            let reference = OrderReference::read(reference).ok_or_else(not_found)?;
            let order = system.order(&reference).await?.shown_to(phone, customer.region);
            let order = order.ok_or_else(not_found)?;
            let currency = system.introduction().currency;
            let has_left =
                matches!(order.status, OrderStatus::Shipped | OrderStatus::Delivered | OrderStatus::Refunded);
            if has_left && by.author() == ReplyAuthor::Assistant {
                return Err(ProposeError::TooLate(Box::new(order), currency));
            }
            let proposal =
                CancellationProposal::of(reference, &order, currency, phone.clone(), reason.clone());
            proposal.map(Proposal::Cancellation).ok_or(ProposeError::AlreadyCancelled)
        }
    }
}

/// Picks the slot that is meant: the first for `service`, or of all if none is named so. Two slots of one
/// service are two chairs, and either will do.
fn slot_of(mut slots: Vec<Slot>, service: Option<&PlainText>) -> Result<Slot, ProposeError> {
    let is_named = |slot: &Slot| {
        service.is_some_and(|named| fold_for_search(named.as_str()) == fold_for_search(slot.service.as_str()))
    };
    if slots.iter().any(is_named) {
        slots.retain(is_named);
    }
    let mut slots = slots.into_iter();
    let first = slots.next().ok_or(ProposeError::NoSuchSlot)?;
    if slots.any(|other| other.service != first.service) {
        return Err(ProposeError::SeveralSlots);
    }
    Ok(first)
}

async fn read_lines(system: &OpenedSystem, lines: &[WantedLine]) -> Result<Vec<ProposedLine>, ProposeError> {
    if !(1..=MAX_LINES).contains(&lines.len()) {
        return Err(ProposeError::Invalid(format!("`lines` has 1 to {MAX_LINES} products")));
    }
    let ids: Vec<ExternalId> = lines.iter().map(|line| line.product.clone()).collect();
    let found = requote::products(system, &ids).await?;
    let currency = system.introduction().currency;
    let mut read: Vec<ProposedLine> = Vec::new();
    for (place, (line, product)) in (1..).zip(lines.iter().zip(found)) {
        let not_orderable = || ProposeError::NotOrderable { line: place };
        let product = product.ok_or_else(not_orderable)?;
        // A product without variants is ordered by its own id.
        let variant = line.variant.as_ref().unwrap_or(&product.listing.id);
        let proposed = ProposedLine::of(&product, variant, line.quantity, currency);
        let proposed = proposed.ok_or_else(not_orderable)?;
        if read.iter().any(|before| before.variant == proposed.variant) {
            return Err(ProposeError::Invalid(format!("line {place} of `lines` names a product twice")));
        }
        read.push(proposed);
    }
    Ok(read)
}

fn name_of(customer: &ConversationCustomer, typed: Option<&PlainText>) -> Result<PlainText, ProposeError> {
    let called = || PlainText::read(customer.contact.name.as_deref()?, crate::systems::LONGEST_LABEL);
    let name = typed.cloned().or_else(called);
    name.ok_or_else(|| ProposeError::Invalid("`name` is missing: the contact has none either".to_owned()))
}

/// Reader of the number to call about what is proposed.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    contacts: &'a dyn ContactStore,
    workspace: WorkspaceId,
    customer: &'a ConversationCustomer,
    by: Proposer,
}

impl Numbers<'_> {
    /// Parses what was typed, or returns the customer's verified number. The contact's own number is accepted
    /// even where no numbering plan has it; members may give that of any contact, customers may not, so that
    /// they cannot probe who is known.
    async fn read(self, typed: Option<&str>) -> Result<PhoneNumber, ProposeError> {
        let Self { contacts, workspace, customer, by } = self;
        let Some(typed) = typed else {
            return customer.verified_phone().cloned().ok_or(ProposeError::NoVerifiedNumber);
        };
        let is_theirs = |phone: &PhoneNumber| customer.contact.phone.as_ref() == Some(phone);
        let theirs = PhoneNumber::parse_known(typed, customer.region).ok().filter(is_theirs);
        let read = match (theirs, by) {
            (Some(theirs), _) => Ok(theirs),
            (None, Proposer::Member(_)) => read_number(contacts, workspace, typed, customer.region).await?,
            (None, Proposer::Assistant(_) | Proposer::TriedAssistant(_)) => {
                PhoneNumber::parse(typed, customer.region)
            }
        };
        read.map_err(|error| ProposeError::Invalid(format!("`phone` is {error}")))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{ProposeError, slot_of};
    use crate::{
        consent::fixtures::text,
        external_id::ExternalId,
        systems::{Slot, Span},
    };

    fn slot(id: &str, service: &str) -> Slot {
        let (from, to) = (datetime!(2030-01-02 10:00 +03:00), datetime!(2030-01-02 10:30 +03:00));
        let (id, span) = (ExternalId::of_text(id).unwrap(), Span::new(from, to).unwrap());
        Slot { id, span, service: text(service) }
    }

    #[test]
    fn either_of_two_chairs_will_do_and_a_service_is_named_where_there_are_several() {
        let chairs = || vec![slot("1", "قص"), slot("2", "قص")];
        let both = || vec![slot("1", "قص"), slot("2", "صبغ"), slot("3", "صبغ")];
        let id = |slots, service: Option<&str>| {
            slot_of(slots, service.map(text).as_ref()).map(|slot| slot.id.as_str().to_owned())
        };
        assert_eq!(id(chairs(), None).unwrap(), "1");
        assert_eq!(id(chairs(), Some("حلاقة")).unwrap(), "1");
        assert_eq!(id(both(), Some("صبغ")).unwrap(), "2");
        assert!(matches!(id(both(), None), Err(ProposeError::SeveralSlots)));
        assert!(matches!(id(both(), Some("حلاقة")), Err(ProposeError::SeveralSlots)));
        assert!(matches!(id(vec![], None), Err(ProposeError::NoSuchSlot)));
    }
}
