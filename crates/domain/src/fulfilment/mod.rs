//! Execution of what customers confirmed, once.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;
use time::OffsetDateTime;

use crate::{
    assistant::{AssistantMode, HandOver, HandOverReason},
    audit::{Acting, Action},
    consent::{
        Attempted, CARRIED_FOR, CommitmentState, DRAFT_GOOD_FOR, Draft, DueCommitment, MOST_MESSAGES,
        Proposal, Receipt, calls_off, new_draft,
        ports::{CommitmentSettlement, CommitmentStore, NewDraft, Postponement},
        receipt, requote,
    },
    currency::Currency,
    customer_records::{ConversationCustomer, ports::CustomerStore},
    deps::Deps,
    errors::StoreError,
    events::{BookedAppointment, Customer, Event, PlacedOrder},
    ids::{DraftId, MessageId, WorkspaceId},
    lease::{self, LEASE},
    messages::{
        PreparedReply, ReplyAuthor, Role,
        ports::{KeptMessage, MessageStore},
    },
    orders::{Order, OrderStatus},
    paging::{PageLimit, PageRequest},
    systems::{ANSWERS_WITHIN, Appointment, CallError, CallSystem, OpenedSystem, SystemError},
};

/// Time for which a receipt is retried: the customer waits for it, and a network that is down comes back.
const RECEIPT_GOOD_FOR: Duration = Duration::from_hours(12);

#[derive(Debug, Clone)]
enum Fact {
    Placed(Box<Order>),
    Booked(Box<Appointment>),
    Cancelled(Box<Order>),
}

/// Outcome of one attempt at a commitment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// The commitment reached this final state.
    Ended(CommitmentState),
    /// The next attempt is due at this time.
    Again(OffsetDateTime),
    /// Another process has the commitment.
    Lost,
}

/// Use case that carries out commitments.
pub struct CarryOut {
    pub systems: CallSystem,
    pub commitments: Arc<dyn CommitmentStore>,
    /// For what the customer has said since the confirmation.
    pub messages: Arc<dyn MessageStore>,
    pub customers: Arc<dyn CustomerStore>,
    /// Also gives access to the assistant's settings.
    pub hand_over: HandOver,
    pub deps: Deps,
}

impl CarryOut {
    /// Lists the workspaces with due commitments, without claiming any.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.commitments.workspaces_with_commitments(self.deps.clock.now()).await
    }

    /// Claims a due commitment and makes one attempt at it; `None` if none is due.
    ///
    /// # Errors
    /// After an error of the store the commitment is due again when its lease ends, under the same key.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Option<Carried>, StoreError> {
        let now = self.deps.clock.now();
        let Some(due) = self.commitments.claim_commitment(workspace, now, now + LEASE).await? else {
            return Ok(None);
        };
        let (id, attempt) = (due.id, due.attempt);
        let renew = |until| self.commitments.renew_commitment(workspace, id, attempt, until);
        lease::kept(&*self.deps.clock, renew, self.carry_on(workspace, &due).boxed()).await.map(Some)
    }

    async fn carry_on(&self, workspace: WorkspaceId, due: &DueCommitment) -> Result<Carried, StoreError> {
        let customer = self.customers.customer_of(workspace, due.conversation).await?;
        let Some(customer) = customer else {
            // The conversation is gone, and so is the customer.
            let state = if due.asked { CommitmentState::GivenUp } else { CommitmentState::Refused };
            return self.end(workspace, due, None, state, Ends::default()).await;
        };
        self.carry(workspace, due, &customer).await
    }

    async fn carry(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
    ) -> Result<Carried, StoreError> {
        if !due.asked && self.is_only_tried(workspace, due).await? {
            let ends = Ends::telling(Receipt::Tested);
            return self.end(workspace, due, Some(customer), CommitmentState::Tested, ends).await;
        }
        if !due.asked && self.is_called_off(workspace, due).await? {
            return self.not_done(workspace, due, customer).await;
        }
        let system = match self.systems.open(workspace, ANSWERS_WITHIN).await {
            Ok(system) if system.id() == due.system => system,
            // Another system never promised this; if the first one was asked, it may have done it.
            Ok(_) | Err(SystemError::NoSystem) if due.asked => {
                return self.unclear(workspace, due, customer).await;
            }
            Ok(_) | Err(SystemError::NoSystem) => {
                return self.not_done(workspace, due, customer).await;
            }
            Err(error) => return self.later(workspace, due, customer, error, due.asked).await,
        };
        if !due.asked {
            match requote::requote(&system, &due.proposal, customer.region).await {
                Ok(Some(now)) if now.quoted() == due.proposal.quoted() => {}
                Ok(Some(now)) => return self.changed(workspace, due, customer, now).await,
                Ok(None) => {
                    return self.gone(workspace, due, customer, &system, CommitmentState::Changed).await;
                }
                Err(error) => return self.later(workspace, due, customer, error, false).await,
            }
            if !self.commitments.mark_asked(workspace, due.id, due.attempt).await? {
                return Ok(Carried::Lost);
            }
        }
        match ask(&system, due, customer).await {
            Ok(fact) => self.done(workspace, due, customer, system.introduction().currency, &fact).await,
            // Somebody else has taken the slot.
            Err(SystemError::Call(CallError::Refused { status: 409, .. }))
                if matches!(due.proposal, Proposal::Booking(_)) =>
            {
                self.gone(workspace, due, customer, &system, CommitmentState::Refused).await
            }
            Err(error) => self.later(workspace, due, customer, error, true).await,
        }
    }

    /// Ends a commitment that can no longer be met, and tells the customer which times are free instead.
    async fn gone(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
        system: &OpenedSystem,
        state: CommitmentState,
    ) -> Result<Carried, StoreError> {
        let free = requote::free_instead(system, &due.proposal, self.deps.clock.now()).await;
        let ends = Ends::telling(Receipt::Gone(&free));
        self.end(workspace, due, Some(customer), state, ends).await
    }

    /// Returns whether the assistant is in test mode, or was when it proposed this: a customer who confirms a
    /// test proposal once the assistant is on has not meant to order.
    async fn is_only_tried(&self, workspace: WorkspaceId, due: &DueCommitment) -> Result<bool, StoreError> {
        if due.author != ReplyAuthor::Assistant || due.tried {
            return Ok(due.tried);
        }
        let settings = self.hand_over.settings.settings(workspace).await?;
        Ok(settings.is_some_and(|settings| settings.mode == AssistantMode::Test))
    }

    /// Returns whether the customer has said no since the confirmation. What the system was asked for cannot
    /// be called off.
    async fn is_called_off(&self, workspace: WorkspaceId, due: &DueCommitment) -> Result<bool, StoreError> {
        Ok(calls_off(due, &self.newest_first(workspace, due).await?))
    }

    /// Returns the message that says that this takes longer; `None` if it was sent before, or a member has
    /// written since the confirmation.
    async fn delay_message(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
    ) -> Result<Option<PreparedReply>, StoreError> {
        let makes_it_needless = |kept: &KeptMessage| {
            let message = &kept.message;
            message.id == due.delay_message()
                || (message.role == Role::Team && message.created_at > due.confirmed_at)
        };
        if self.newest_first(workspace, due).await?.iter().any(makes_it_needless) {
            return Ok(None);
        }
        Ok(Some(PreparedReply {
            id: due.delay_message(),
            conversation: customer.conversation,
            author: due.author,
            text: receipt::passed_on(&due.proposal, due.language).to_owned(),
            buttons: Vec::new(),
            summary_of: None,
            until: due.confirmed_at + CARRIED_FOR,
            fence: None,
            handed_over_at: None,
        }))
    }

    async fn newest_first(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
    ) -> Result<Vec<KeptMessage>, StoreError> {
        let page = PageRequest { limit: PageLimit::new(MOST_MESSAGES).unwrap_or_default(), after: None };
        Ok(self.messages.list(workspace, due.conversation, page).await?.unwrap_or_default())
    }

    /// Decides what follows a failed attempt; `asked` says whether the system may have been asked by now.
    async fn later(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
        error: SystemError,
        asked: bool,
    ) -> Result<Carried, StoreError> {
        let at = self.deps.clock.now();
        match due.after::<()>(Err(error), at)? {
            Attempted::Again(until) => {
                let delay_message = self.delay_message(workspace, due, customer).await?;
                let postponed = Postponement { attempt: due.attempt, at, until, delay_message };
                self.commitments.postpone_commitment(workspace, due.id, &postponed).await?;
                Ok(Carried::Again(until))
            }
            Attempted::Unclear => self.unclear(workspace, due, customer).await,
            Attempted::GivenUp if asked => self.unclear(workspace, due, customer).await,
            Attempted::GivenUp => {
                let ends = Ends::telling(Receipt::NotDone);
                self.end(workspace, due, Some(customer), CommitmentState::GivenUp, ends).await
            }
            Attempted::Refused | Attempted::Done(()) => self.not_done(workspace, due, customer).await,
        }
    }

    async fn unclear(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
    ) -> Result<Carried, StoreError> {
        let ends = Ends::telling(Receipt::Unclear);
        self.end(workspace, due, Some(customer), CommitmentState::GivenUp, ends).await
    }

    async fn not_done(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
    ) -> Result<Carried, StoreError> {
        let ends = Ends::telling(Receipt::NotDone);
        self.end(workspace, due, Some(customer), CommitmentState::Refused, ends).await
    }

    async fn done(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
        currency: Currency,
        fact: &Fact,
    ) -> Result<Carried, StoreError> {
        let (about, now) = (Customer::of(&customer.contact), self.deps.clock.now());
        let conversation = customer.conversation;
        let (event, receipt) = match fact {
            Fact::Placed(order) => {
                let told = PlacedOrder::of(order, currency);
                (Event::order_placed(conversation, told, about, now), Receipt::Placed(order, currency))
            }
            Fact::Cancelled(order) => {
                let told = PlacedOrder::of(order, currency);
                (Event::order_cancelled(conversation, told, about, now), Receipt::Cancelled(order))
            }
            Fact::Booked(booked) => {
                let told = BookedAppointment::of(booked);
                (Event::booked(conversation, told, about, now), Receipt::Booked(booked))
            }
        };
        let person =
            (!is_as_confirmed(&due.proposal, fact, currency)).then_some(HandOverReason::DoneOtherwise);
        let ends = Ends { event: Some(event), receipt: Some(receipt), next: None, person };
        self.end(workspace, due, Some(customer), CommitmentState::Done, ends).await
    }

    /// Asks the customer to confirm again, with what the system says now.
    async fn changed(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: &ConversationCustomer,
        proposal: Proposal,
    ) -> Result<Carried, StoreError> {
        let now = self.deps.clock.now();
        let draft = Draft {
            id: DraftId::new(&*self.deps.ids),
            conversation: customer.conversation,
            proposal,
            summary: MessageId::new(&*self.deps.ids),
            author: due.author,
            system: due.system,
            language: due.language,
            tried: due.tried,
            created_at: now,
            expires_at: now + DRAFT_GOOD_FOR,
        };
        let preamble = receipt::changed(due.language);
        let next = new_draft(draft, None, Some(preamble), Acting::service(workspace), &self.deps);
        let receipt = next.is_none().then_some(Receipt::Gone(&[]));
        let ends = Ends { receipt, next, ..Ends::default() };
        let asked = self.settle(workspace, due, Some(customer), CommitmentState::Changed, ends).await?;
        if let Some(carried) = asked {
            return Ok(carried);
        }
        // The customer is asked about another draft by now, and a yes to that could not be told from a yes
        // to this.
        let person = Some(HandOverReason::NotCarriedOut);
        let ends = Ends { person, ..Ends::telling(Receipt::Changed) };
        self.end(workspace, due, Some(customer), CommitmentState::Changed, ends).await
    }

    async fn end(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: Option<&ConversationCustomer>,
        state: CommitmentState,
        ends: Ends<'_>,
    ) -> Result<Carried, StoreError> {
        Ok(self.settle(workspace, due, customer, state, ends).await?.unwrap_or(Carried::Lost))
    }

    /// Ends the commitment; `None` if nothing was written, since the customer is asked about another draft by
    /// now.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        due: &DueCommitment,
        customer: Option<&ConversationCustomer>,
        state: CommitmentState,
        ends: Ends<'_>,
    ) -> Result<Option<Carried>, StoreError> {
        let now = self.deps.clock.now();
        let Ends { event, receipt, next, person } = ends;
        // A customer who is told what is free instead goes on with the assistant.
        let is_gone = matches!(receipt, Some(Receipt::Gone(_)));
        let is_undone = matches!(state, CommitmentState::Refused | CommitmentState::GivenUp) && !is_gone;
        let person = person.or_else(|| is_undone.then_some(HandOverReason::NotCarriedOut));
        if let Some(reason) = person.filter(|_| due.author == ReplyAuthor::Assistant) {
            // Before the settlement: after a crash in between the commitment is due again, and hands over
            // again.
            self.hand_over.run(workspace, due.conversation, reason).await?;
        }
        let receipt = receipt.zip(customer).map(|(receipt, customer)| PreparedReply {
            id: MessageId::new(&*self.deps.ids),
            conversation: customer.conversation,
            author: due.author,
            text: receipt.text(&due.proposal, due.language),
            buttons: Vec::new(),
            summary_of: None,
            until: now + RECEIPT_GOOD_FOR,
            fence: None,
            handed_over_at: None,
        });
        let entry = Acting::service(workspace).does(Action::CommitmentSettled, now, &*self.deps.ids);
        let entry = entry.to(due.conversation).with("draftId", due.draft.to_string());
        let entry = entry.with("kind", due.proposal.kind().as_str()).with("state", state.as_str());
        let settlement = CommitmentSettlement { attempt: due.attempt, state, event, receipt, next, entry };
        match self.commitments.settle_commitment(workspace, due, &settlement).await {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(StoreError::Stale) => return Ok(Some(Carried::Lost)),
            Err(error) => return Err(error),
        }
        if settlement.event.is_some() {
            self.deps.signals.deliveries_due(workspace);
        }
        Ok(Some(Carried::Ended(state)))
    }
}

/// What a settlement brings about besides the final state.
#[derive(Default)]
struct Ends<'a> {
    event: Option<Event>,
    receipt: Option<Receipt<'a>>,
    next: Option<NewDraft>,
    /// Reason to hand over to a person; only heeded if the assistant proposed the draft.
    person: Option<HandOverReason>,
}

impl<'a> Ends<'a> {
    fn telling(receipt: Receipt<'a>) -> Self {
        Self { receipt: Some(receipt), ..Self::default() }
    }
}

/// Returns whether the system did what was confirmed, at the cost and time that were confirmed.
fn is_as_confirmed(proposal: &Proposal, fact: &Fact, currency: Currency) -> bool {
    match fact {
        Fact::Placed(order) => proposal.costs(order, currency),
        Fact::Booked(booked) => proposal.is_at(booked.span),
        Fact::Cancelled(_) => true,
    }
}

/// Asks the system for what was confirmed, or finds that it was done. A cancellation has no idempotency key,
/// so its order is read first.
async fn ask(
    system: &OpenedSystem,
    due: &DueCommitment,
    customer: &ConversationCustomer,
) -> Result<Fact, SystemError> {
    match &due.proposal {
        Proposal::Order(order) => {
            let placed = system.place_order(&order.request(due.key.clone())).await?;
            Ok(Fact::Placed(Box::new(placed)))
        }
        Proposal::Booking(booking) => {
            let booked = system.book(&booking.request(due.key.clone())).await?;
            Ok(Fact::Booked(Box::new(booked)))
        }
        Proposal::Cancellation(cancelled) => {
            let order = requote::order_of(system, cancelled, customer.region).await?;
            let order = order.ok_or(SystemError::Call(CallError::NOT_FOUND))?;
            if order.status == OrderStatus::Cancelled {
                return Ok(Fact::Cancelled(Box::new(order)));
            }
            let answered = system.cancel_order(&cancelled.reference, &cancelled.reason).await?;
            // Some systems answer with the order as it was before.
            let order = Order {
                status: OrderStatus::Cancelled,
                stage: OrderStatus::Cancelled.into(),
                ..answered.unwrap_or(order)
            };
            Ok(Fact::Cancelled(Box::new(order)))
        }
    }
}

#[cfg(test)]
mod tests;
