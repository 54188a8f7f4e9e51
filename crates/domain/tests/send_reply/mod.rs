//! Answering in a conversation: who may, what reaches the ledger and the network, and what the caller hears.
//!
//! A mock that a test did not set up panics when it is called, so that "the network is not asked" needs no
//! words: such a test leaves the network out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, clippy::panic, reason = "test support")]

mod conversations;
mod files;
mod idempotency;
mod outcomes;
mod refusals;

use std::sync::{Arc, Mutex};

use domain::{
    attachments::{
        AttachmentKind, ContentType, ObjectKey, StoredAttachment, UNUSED_FOR,
        ports::{KeptUpload, MockUploadStore},
    },
    channels::{ChannelKind, Connection},
    clock::Clock,
    contacts::{Contact, Identity},
    conversation::Conversation,
    deps::Deps,
    errors::StoreError,
    ids::{MessageId, UploadId},
    messages::NetworkMessageId,
    sending::{
        AcceptedSend, ConversationParts, FileMessage, IdempotencyKey, KeyHolder, LedgerEntry, Recorder,
        Refusal, Replied, ReplyContext, ReplyRequest, SendError, SendOnce, SendReply, SendState, TextMessage,
        UploadedFile,
        ports::{
            MockMessagingNetwork, MockSendLedger, Recorded, ReserveOutcome, SendFailure, SendReservation,
        },
    },
    signals::MockSignals,
    testing::{
        ManualClock, SequentialIds, a_caller, a_contact, a_conversation, a_hash, a_ledger_entry, a_moment,
        a_network_message_id, a_number, a_send_result, a_vault, deps_of, some_links,
    },
    workspaces::Plan,
};
use time::{Duration, OffsetDateTime};

const TEXT: &str = "نعم، متوفر";
/// A file's way to the network may take so long: longer than a send that was begun is said to be in hand.
const UPLOADING: std::time::Duration = std::time::Duration::from_secs(90);

/// What went out through the ports.
#[derive(Clone, Default)]
struct Seen {
    begun: Vec<SendReservation>,
    asked: Vec<(String, TextMessage)>,
    /// How many sends were begun when a file was given to the network.
    uploads: Vec<usize>,
    files: Vec<FileMessage>,
    accepted: Vec<AcceptedSend>,
    refused: Vec<(MessageId, String)>,
    released: Vec<MessageId>,
}

/// The ports around one reply, and what went through them.
struct World {
    ledger: MockSendLedger,
    network: MockMessagingNetwork,
    uploads: MockUploadStore,
    signals: MockSignals,
    clock: Arc<ManualClock>,
    seen: Arc<Mutex<Seen>>,
}

impl World {
    /// Nothing may be read.
    fn blind() -> Self {
        Self {
            ledger: MockSendLedger::new(),
            network: MockMessagingNetwork::new(),
            uploads: MockUploadStore::new(),
            signals: MockSignals::new(),
            clock: Arc::new(ManualClock::at(a_moment())),
            seen: Arc::default(),
        }
    }

    /// A conversation in this state, and nothing else.
    fn in_conversation(context: ReplyContext) -> Self {
        let mut world = Self::blind();
        world.ledger.expect_reply_context().returning(move |workspace, conversation, author| {
            let caller = a_caller();
            assert_eq!(
                (workspace, author),
                (caller.workspace, domain::messages::ReplyAuthor::Member(caller.creator))
            );
            Ok((conversation == a_conversation().id).then(|| context.clone()))
        });
        world
    }

    fn new() -> Self {
        Self::in_conversation(a_context())
    }

    /// Everything goes well.
    fn willing(context: ReplyContext) -> Self {
        let parts = ConversationParts {
            contact: Some(context.contact.clone()),
            conversation: Some(context.conversation.clone()),
            files: Vec::new(),
        };
        let world = Self::in_conversation(context)
            .beginning(ReserveOutcome::Started)
            .answering(Ok(a_network_message_id()));
        world.recording(parts, || Ok(Recorded::Now))
    }

    fn holding(mut self, holder: Option<KeyHolder>) -> Self {
        let taken = holder.clone();
        self.ledger.expect_holder().returning(move |_, _| Ok(holder.clone()));
        match taken {
            Some(holder) => self.beginning(ReserveOutcome::KeyTaken(Box::new(holder))),
            None => self,
        }
    }

    /// Of all keys, this one was used.
    fn holding_only(mut self, key: [u8; 32], holder: KeyHolder) -> Self {
        self.ledger.expect_holder().returning(move |_, asked| Ok((asked == key).then(|| holder.clone())));
        self
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
        self.network.expect_send_text().returning(move |from, _, message| {
            seen.lock().unwrap().asked.push((from.to_owned(), message.clone()));
            answer.clone()
        });
        self
    }

    /// The author has brought this file, and the network takes it.
    fn with_file(self, kept: KeptUpload) -> Self {
        self.bringing(move |_| kept.clone()).uploading(|| Ok(an_uploaded_file()))
    }

    /// The author has brought this file, as it is at that time.
    fn bringing(mut self, kept: impl Fn(OffsetDateTime) -> KeptUpload + Send + 'static) -> Self {
        let clock = self.clock.clone();
        self.uploads.expect_find().returning(move |workspace, member, id, since| {
            let (caller, now) = (a_caller(), clock.now());
            assert_eq!((workspace, member), (caller.workspace, caller.creator));
            assert_eq!(since, now - UNUSED_FOR);
            Ok((id == an_upload()).then(|| kept(now)))
        });
        self
    }

    /// This becomes of giving the file to a network that wants its bytes, which takes a minute and a half.
    /// The network takes the message.
    fn uploading(mut self, came_to: impl Fn() -> Result<UploadedFile, SendFailure> + Send + 'static) -> Self {
        let (seen, clock) = (self.seen.clone(), self.clock.clone());
        self.network.expect_upload_file().returning(move |_, _, to, _| {
            if to.channel() != ChannelKind::Whatsapp {
                return Ok(None);
            }
            let mut seen = seen.lock().unwrap();
            let begun = seen.begun.len();
            seen.uploads.push(begun);
            clock.advance(UPLOADING);
            came_to().map(Some)
        });
        let seen = self.seen.clone();
        self.network.expect_send_file().returning(move |_, _, message| {
            seen.lock().unwrap().files.push(message.clone());
            Ok(a_network_message_id())
        });
        self
    }

    fn recording(
        mut self,
        parts: ConversationParts,
        answer: impl Fn() -> Result<Recorded, StoreError> + Send + 'static,
    ) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_conversation_of().returning(move |_, conversation, _| {
            assert_eq!(conversation, a_conversation().id);
            Ok(parts.clone())
        });
        self.ledger.expect_record().returning(move |workspace, accepted| {
            assert_eq!(workspace, a_caller().workspace);
            seen.lock().unwrap().accepted.push(accepted.clone());
            answer()
        });
        self.signals.expect_deliveries_due().return_const(());
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

    fn keeping_the_refused(mut self) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_refuse_reply().returning(move |_, id, error, now| {
            assert!(now >= a_moment());
            seen.lock().unwrap().refused.push((id, error.message.clone()));
            Ok(())
        });
        self
    }

    /// Answers as the creator of [`a_caller`]'s key.
    async fn reply(self, request: &ReplyRequest) -> (Result<Replied, SendError>, Seen) {
        let clock = self.clock;
        let ids = Arc::new(SequentialIds::default());
        let ledger = Arc::new(self.ledger);
        let once = once_over(&ledger, self.network, self.signals, (&clock, &ids));
        let (uploads, links) = (Arc::new(self.uploads), Arc::new(some_links()));
        let use_case =
            SendReply { ledger, once, uploads, links, vault: Arc::new(a_vault()), deps: deps_of(clock, ids) };
        let caller = a_caller();
        let answer = use_case.run(caller.workspace, caller.creator, request).await;
        let seen = self.seen.lock().unwrap().clone();
        (answer, seen)
    }

    /// As [`World::reply`], for what must be refused.
    async fn refusal(self, request: &ReplyRequest) -> Refusal {
        match self.reply(request).await.0 {
            Err(SendError::Refused(refusal)) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }
}

/// Sends once, and writes down what was accepted, through these ports.
pub(crate) fn once_over(
    ledger: &Arc<MockSendLedger>,
    network: MockMessagingNetwork,
    signals: MockSignals,
    (clock, ids): (&Arc<ManualClock>, &Arc<SequentialIds>),
) -> Arc<SendOnce> {
    let recorder = Recorder {
        ledger: ledger.clone(),
        deps: Deps { clock: clock.clone(), ids: ids.clone(), signals: Arc::new(signals) },
        links: Arc::new(some_links()),
    };
    Arc::new(SendOnce::new(ledger.clone(), Arc::new(network), Arc::new(recorder), clock.clone()))
}

/// A conversation over a connected number, its author on the team, the plan unlimited.
fn a_context() -> ReplyContext {
    ReplyContext {
        plan: Plan::default(),
        author_is_here: true,
        contact: a_contact(),
        conversation: a_conversation(),
        connection: Some((&a_number(0, 1)).into()),
        to: a_contact().phone.map(Identity::Phone),
        customer_wrote_at: Some(a_moment() - Duration::hours(1)),
    }
}

fn saying(text: &str) -> ReplyRequest {
    ReplyRequest {
        conversation: a_conversation().id,
        text: text.to_owned(),
        buttons: Vec::new(),
        upload: None,
        key: None,
        id: None,
    }
}

fn an_upload() -> UploadId {
    uuid::Uuid::from_u128(0x7000).into()
}

fn an_uploaded_file() -> UploadedFile {
    UploadedFile::new("media-1".to_owned())
}

/// A file that waits to be sent.
fn a_file(content_type: &str, bytes: u64) -> KeptUpload {
    let content_type = ContentType::read(content_type);
    let key = ObjectKey::of_upload(&a_vault(), a_caller().workspace, an_upload(), content_type);
    let kind = AttachmentKind::of(content_type);
    let title = Some("a title".to_owned());
    KeptUpload { file: StoredAttachment { kind, key, content_type, bytes, title }, is_used: false }
}

/// A reply with [`an_upload`].
fn sending(text: &str) -> ReplyRequest {
    ReplyRequest { upload: Some(an_upload()), ..saying(text) }
}

/// The conversation of the tests, over this network.
fn over(channel_kind: ChannelKind) -> ReplyContext {
    let connection = Connection { kind: channel_kind, ..(&a_number(0, 1)).into() };
    let to = match channel_kind {
        ChannelKind::Whatsapp => a_contact().phone.map(Identity::Phone),
        ChannelKind::Messenger => Some(Identity::MessengerUser("2481".to_owned())),
        ChannelKind::Instagram => Some(Identity::InstagramUser("1785".to_owned())),
    };
    let conversation = Conversation { channel_kind, ..a_conversation() };
    ReplyContext { connection: Some(connection), conversation, to, ..a_context() }
}

fn keyed() -> ReplyRequest {
    let key = IdempotencyKey { key: "answer-7".to_owned(), request: b"{}".to_vec() };
    ReplyRequest { key: Some(key), ..saying(TEXT) }
}

/// The key of [`keyed`], used a minute ago.
fn used(state: SendState, request: &[u8]) -> KeyHolder {
    KeyHolder {
        request_hash: a_hash("idempotent-request", request),
        claimed_at: a_moment() - Duration::minutes(1),
        entry: LedgerEntry { state, ..a_ledger_entry() },
    }
}

fn sent() -> SendState {
    SendState::Sent(Box::new(a_send_result()))
}

/// A conversation over a page or an account, whose person last wrote `ago`.
fn a_page_context(channel_kind: ChannelKind, ago: Duration) -> ReplyContext {
    let to = match channel_kind {
        ChannelKind::Whatsapp => Identity::WhatsappUser("IQ.1".to_owned()),
        ChannelKind::Messenger => Identity::MessengerUser("2481".to_owned()),
        ChannelKind::Instagram => Identity::InstagramUser("1785".to_owned()),
    };
    ReplyContext {
        contact: Contact { phone: None, ..a_contact() },
        conversation: Conversation { channel_kind, ..a_conversation() },
        connection: Some(Connection { phone: None, ..Connection::from(&a_number(0, 1)) }),
        to: Some(to),
        customer_wrote_at: Some(a_moment() - ago),
        ..a_context()
    }
}
