//! Sending a template: what reaches the ledger and the network, and what the caller hears.
//!
//! A mock that a test did not set up panics when it is called, so that "the network is not asked" needs no
//! words: such a test leaves the network out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, clippy::panic, reason = "test support")]

mod conversations;
mod idempotency;
mod notices;
mod outcomes;
mod secrets;
mod unfinished;

use std::sync::{Arc, Mutex};

use domain::{
    contacts::ports::MockContactStore,
    errors::StoreError,
    ids::MessageId,
    messages::NetworkMessageId,
    sending::{
        AcceptedSend, Catalogue, ConversationParts, IdempotencyKey, KeyHolder, Refusal, SendError,
        SendTemplate, Sent, TemplateMessage, TemplateRequest, Unfinished,
        ports::{
            MockMessagingNetwork, MockSendLedger, Recorded, ReserveOutcome, SendFailure, SendReservation,
        },
    },
    signals::MockSignals,
    testing::{
        ManualClock, SequentialIds, a_caller, a_moment, a_network_message_id, a_number, a_template,
        a_template_request, a_vault, catalogue_of, deps_of,
    },
};
use time::OffsetDateTime;

use crate::send_reply::once_over;

/// The ports around one send, and what went through them.
struct World {
    ledger: MockSendLedger,
    contacts: MockContactStore,
    network: MockMessagingNetwork,
    signals: MockSignals,
    now: OffsetDateTime,
    seen: Arc<Mutex<Seen>>,
}

/// What went out through the ports.
#[derive(Clone, Default)]
struct Seen {
    begun: Vec<SendReservation>,
    asked: Vec<TemplateMessage>,
    accepted: Vec<AcceptedSend>,
    released: Vec<MessageId>,
}

impl World {
    /// A catalogue, and nothing else.
    fn knowing(catalogue: Catalogue) -> Self {
        let mut ledger = MockSendLedger::new();
        ledger.expect_catalogue().returning(move |_, _| Ok(catalogue.clone()));
        let mut contacts = MockContactStore::new();
        contacts.expect_find_by_phone().returning(|_, _| Ok(None));
        Self {
            ledger,
            contacts,
            network: MockMessagingNetwork::new(),
            signals: MockSignals::new(),
            now: a_moment(),
            seen: Arc::default(),
        }
    }

    /// One number and one notice template.
    fn new() -> Self {
        Self::knowing(a_catalogue())
    }

    /// As [`World::new`], with everything going well for somebody who is not known yet.
    fn willing() -> Self {
        Self::new().beginning(ReserveOutcome::Started).answering(Ok(a_network_message_id())).recording()
    }

    fn at(self, now: OffsetDateTime) -> Self {
        Self { now, ..self }
    }

    /// Whoever asks for a key, or tries to claim it, hears of `holder`.
    fn holding(mut self, holder: Option<KeyHolder>) -> Self {
        let taken = holder.clone();
        self.ledger.expect_holder().returning(move |_, _| Ok(holder.clone()));
        match taken {
            Some(holder) => self.beginning(ReserveOutcome::KeyTaken(Box::new(holder))),
            None => self,
        }
    }

    fn beginning(mut self, begun: ReserveOutcome) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_begin().returning(move |workspace, reservation| {
            assert_eq!(workspace, a_caller().workspace);
            seen.lock().unwrap().begun.push(reservation.clone());
            Ok(begun.clone())
        });
        self
    }

    fn answering(mut self, answer: Result<NetworkMessageId, SendFailure>) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_token().returning(|_, _| Ok(Some(secrecy::SecretString::from("a token").into())));
        self.network.expect_send_template().returning(move |_, _, message| {
            seen.lock().unwrap().asked.push(message.clone());
            answer.clone().map(Into::into)
        });
        self
    }

    fn releasing(mut self) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_release().returning(move |_, sends| {
            seen.lock().unwrap().released.extend(sends.iter().map(|attempt| attempt.id));
            Ok(sends.to_vec())
        });
        self
    }

    /// The recipient is new, and what is accepted is written down.
    fn recording(self) -> Self {
        self.with_conversation(ConversationParts::default()).recorded_as(|| Ok(Recorded::Now))
    }

    fn with_conversation(mut self, parts: ConversationParts) -> Self {
        self.ledger.expect_conversation().returning(move |_, _, _| Ok(parts.clone()));
        self
    }

    fn recorded_as(mut self, answer: impl Fn() -> Result<Recorded, StoreError> + Send + 'static) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_record().returning(move |workspace, accepted| {
            assert_eq!(workspace, a_caller().workspace);
            seen.lock().unwrap().accepted.push(accepted.clone());
            answer()
        });
        self.signals.expect_deliveries_due().return_const(());
        self
    }

    /// Sends for [`a_caller`].
    async fn send(self, request: &TemplateRequest) -> (Result<Sent, SendError>, Seen) {
        let seen = self.seen.clone();
        let (use_case, ..) = self.stage();
        let answer = use_case.run(&a_caller(), request).await;
        let seen = seen.lock().unwrap().clone();
        (answer, seen)
    }

    /// The use case, what it could not write down, and its clock.
    fn stage(self) -> (SendTemplate, Arc<Unfinished>, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(self.now));
        let ids = Arc::new(SequentialIds::default());
        let ledger = Arc::new(self.ledger);
        let once = once_over(&ledger, self.network, self.signals, (&clock, &ids));
        let unfinished = once.unfinished();
        let vault = Arc::new(a_vault());
        let contacts = Arc::new(self.contacts);
        let deps = deps_of(clock.clone(), ids);
        (SendTemplate { ledger, contacts, once, vault, deps }, unfinished, clock)
    }

    /// As [`World::send`], for what must be refused.
    async fn refusal(self, request: &TemplateRequest) -> Refusal {
        match self.send(request).await.0 {
            Err(SendError::Refused(refusal)) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }
}

fn a_catalogue() -> Catalogue {
    catalogue_of(vec![a_number(0, 1)], vec![a_template("order_ready")])
}

/// The request with a key.
fn keyed() -> TemplateRequest {
    let key = IdempotencyKey { key: "order-1042".to_owned(), request: b"{}".to_vec() };
    TemplateRequest { key: Some(key), ..a_template_request() }
}
