//! Asking a customer to confirm something, and sending what code has worded for them: each way that ends,
//! what is called for it and in which order.
//!
//! A mock that a test did not set up panics when it is called: what stands in no list of calls was not
//! called.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::sync::{Arc, Mutex};

use domain::{
    assistant::{HandOver, ResumeReplies, ports::MockAssistantStore},
    attachments::ports::MockUploadStore,
    automations::{Settings, ports::MockAutomationStore},
    consent::{SendPrepared, ports::MockPreparedReplies},
    conversation::{Conversation, ConversationStatus},
    conversations::{ChangeConversation, ports::MockConversationStore},
    deps::Deps,
    errors::StoreError,
    external_id::ExternalId,
    fence::Fence,
    ids::DraftId,
    messages::{
        NetworkMessageId, PreparedReply, ReplyAuthor,
        ports::{KeptMessage, MockMessageStore},
    },
    money::Money,
    sending::{
        ConversationParts, Recorder, ReplyContext, SendOnce, SendReply,
        ports::{MockMessagingNetwork, MockSendLedger, Recorded, ReserveOutcome, SendFailure},
    },
    signals::MockSignals,
    systems::{Availability, Listing, Product},
    testing::{
        ManualClock, SequentialIds, a_contact, a_conversation, a_moment, a_network_message_id, a_number,
        a_vault, deps_of, some_links,
    },
    text::PlainText,
    workspaces::Plan,
};
use time::Duration;
use uuid::Uuid;

mod propose;
mod send_prepared;

/// What was called, in order.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<String>>>);

impl Calls {
    fn note(&self, call: impl Into<String>) {
        self.0.lock().unwrap().push(call.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn text(text: &str) -> PlainText {
    PlainText::read(text, 200).unwrap()
}

fn milk() -> Product {
    Product::of(Listing {
        id: ExternalId::of_text("m1").unwrap(),
        title: text("حليب"),
        price: Money::of_number("2500").unwrap(),
        availability: Availability::In,
    })
}

fn fence() -> Fence {
    Fence { conversation: a_conversation().id, version: 3, heard: 5 }
}

/// A summary that is worth sending for half an hour.
fn a_reply() -> PreparedReply {
    PreparedReply {
        id: Uuid::from_u128(51).into(),
        conversation: a_conversation().id,
        author: ReplyAuthor::Member(Uuid::from_u128(52).into()),
        text: "ملخص الطلب".to_owned(),
        buttons: vec![],
        summary_of: Some(draft_id()),
        until: a_moment() + Duration::minutes(30),
        fence: None,
        handed_over_at: None,
    }
}

fn draft_id() -> DraftId {
    Uuid::from_u128(50).into()
}

/// What beginning a send comes to, and what the network says to it.
#[derive(Clone)]
enum Sending {
    /// Nothing is sent, or even looked up.
    Never,
    /// Refused before it is begun: its author has left.
    Refused,
    /// Not begun.
    NotBegun(ReserveOutcome),
    /// Whether it was begun is not known.
    StoreFails,
    Asked(Result<NetworkMessageId, SendFailure>),
}

impl Sending {
    fn accepted() -> Self {
        Self::Asked(Ok(a_network_message_id()))
    }

    fn unavailable() -> Self {
        Self::Asked(Err(SendFailure::NotSent { reason: "busy".to_owned(), retry_after: None }))
    }

    /// The ports of a send that goes so.
    fn through(self, calls: &Calls) -> (MockSendLedger, MockMessagingNetwork) {
        let (mut ledger, mut network) = (MockSendLedger::new(), MockMessagingNetwork::new());
        let noted = |call: &'static str| {
            let calls = calls.clone();
            move || calls.note(call)
        };
        let context = ReplyContext {
            plan: Plan::default(),
            author_is_here: !matches!(self, Self::Refused),
            contact: a_contact(),
            conversation: a_conversation(),
            connection: Some((&a_number(0, 1)).into()),
            to: a_contact().phone.map(domain::contacts::Identity::Phone),
            customer_wrote_at: Some(a_moment()),
        };
        if !matches!(self, Self::Never) {
            ledger.expect_reply_context().returning(move |_, _, _| Ok(Some(context.clone())));
        }
        ledger.expect_holder().returning(|_, _| Ok(None));
        let (begin, ask, record) = (noted("begin send"), noted("ask network"), noted("record send"));
        match self {
            Self::Never | Self::Refused => {}
            Self::NotBegun(outcome) => {
                ledger.expect_begin().returning(move |_, _| {
                    begin();
                    Ok(outcome.clone())
                });
            }
            Self::StoreFails => {
                ledger.expect_begin().returning(move |_, _| {
                    begin();
                    Err(StoreError::Unavailable("down".to_owned()))
                });
            }
            Self::Asked(answer) => {
                ledger.expect_begin().returning(move |_, _| {
                    begin();
                    Ok(ReserveOutcome::Started)
                });
                ledger
                    .expect_token()
                    .returning(|_, _| Ok(Some(secrecy::SecretString::from("a token").into())));
                network.expect_send_text().returning(move |_, _, _| {
                    ask();
                    answer.clone()
                });
                ledger.expect_conversation_of().returning(|_, _, _| {
                    Ok(ConversationParts {
                        contact: Some(a_contact()),
                        conversation: Some(a_conversation()),
                        files: Vec::new(),
                    })
                });
                ledger.expect_record().returning(move |_, _| {
                    record();
                    Ok(Recorded::Now)
                });
                ledger.expect_release().returning(|_, sends| Ok(sends.to_vec()));
                ledger.expect_refuse_reply().returning(|_, _, _, _| Ok(()));
            }
        }
        (ledger, network)
    }
}

/// The prepared replies, of which `due` is the one that nobody sends.
fn replies(due: Option<PreparedReply>, calls: &Calls) -> MockPreparedReplies {
    let mut replies = MockPreparedReplies::new();
    let noted = calls.clone();
    replies.expect_claim_reply().returning(move |_, now, until| {
        assert_eq!((now, until), (a_moment(), a_moment() + domain::lease::LEASE));
        noted.note("claim reply");
        Ok(due.clone())
    });
    let noted = calls.clone();
    replies.expect_finish_reply().returning(move |_, _, withdraws| {
        noted.note(if withdraws.is_some() { "withdraw" } else { "finish reply" });
        Ok(())
    });
    replies
}

fn prepared(replies: MockPreparedReplies, sending: Sending, calls: &Calls) -> SendPrepared {
    let clock = Arc::new(ManualClock::at(a_moment()));
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    let deps =
        Deps { signals: Arc::new(signals), ..deps_of(clock.clone(), Arc::new(SequentialIds::default())) };
    let (ledger, network) = sending.through(calls);
    let (ledger, links) = (Arc::new(ledger), Arc::new(some_links()));
    let recorder = Arc::new(Recorder { ledger: ledger.clone(), deps: deps.clone(), links: links.clone() });
    let once = Arc::new(SendOnce::new(ledger.clone(), Arc::new(network), recorder, clock.clone()));
    let uploads = Arc::new(MockUploadStore::new());
    let reply = SendReply { ledger, once, uploads, links, vault: Arc::new(a_vault()), deps };
    SendPrepared { replies: Arc::new(replies), reply: Arc::new(reply), clock }
}

/// Sends what nobody sends, and hands over a conversation that is there no more.
fn resuming(prepared: SendPrepared, calls: &Calls) -> ResumeReplies {
    resuming_in(None, vec![], prepared, calls)
}

/// As above, where the conversation stands so, and this was said in it, newest first.
fn resuming_in(
    status: Option<ConversationStatus>,
    said: Vec<KeptMessage>,
    prepared: SendPrepared,
    calls: &Calls,
) -> ResumeReplies {
    let mut settings = MockAssistantStore::new();
    settings.expect_settings().returning(|_| Ok(None));
    let (mut conversations, noted) = (MockConversationStore::new(), calls.clone());
    conversations.expect_decision_context().returning(move |_, _, _| {
        noted.note("hand over");
        Ok(None)
    });
    let found = status.map(|status| Conversation { status, ..a_conversation() });
    conversations.expect_find().returning(move |_, _| Ok(found.clone()));
    let (mut hours, mut messages) = (MockAutomationStore::new(), MockMessageStore::new());
    hours.expect_settings().returning(|_| Ok(Settings::default()));
    messages.expect_list().returning(move |_, _, _| Ok(Some(said.clone())));
    let (hours, messages) = (Arc::new(hours), Arc::new(messages));
    let deps = deps_of(prepared.clock.clone(), Arc::new(SequentialIds::default()));
    let change = Arc::new(ChangeConversation { store: Arc::new(conversations), deps });
    let hand_over = HandOver { settings: Arc::new(settings), hours, messages, change };
    ResumeReplies { prepared, hand_over }
}
