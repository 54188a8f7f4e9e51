//! Answering in a thread: who may, what reaches the ledger and the network, and what the caller hears.
//!
//! A mock that a test did not set up panics when it is called, so that "the network is not asked" needs no
//! words: such a test leaves the network out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, clippy::panic, reason = "test support")]

use std::sync::{Arc, Mutex};

use domain::{
    attachments::{
        AttachmentKind, ContentType, ObjectKey, StoredAttachment, UNUSED_FOR,
        ports::{KeptUpload, MockUploadStore},
    },
    channels::{ChannelKind, Connection},
    contacts::{Contact, Identity},
    conversations::{Conversation, ConversationStatus},
    errors::StoreError,
    ids::{MessageId, UploadId},
    messages::{NetworkMessageId, Role},
    sending::{
        AcceptedSend, FileMessage, IdempotencyKey, KeyHolder, Leaves, LedgerEntry, PlanLimitReason,
        Recipient, Recorder, Refusal, Replied, ReplyContext, ReplyRequest, ReplyWindow, SendError, SendOnce,
        SendReply, SendState, TextMessage, ThreadParts,
        ports::{Beginning, Begun, MockMessagingNetwork, MockSendLedger, Recorded, SendFailure},
    },
    signals::MockSignals,
    testing::{
        ManualClock, SequentialIds, a_caller, a_contact, a_conversation, a_hash, a_ledger_entry, a_moment,
        a_network_message_id, a_number, a_recipient, a_send_result, a_vault, some_links,
    },
    webhooks::{EventData, EventType},
    workspaces::{Month, Plan},
};
use time::Duration;

const TEXT: &str = "نعم، متوفر";

/// What went out through the ports.
#[derive(Clone, Default)]
struct Seen {
    begun: Vec<Beginning>,
    asked: Vec<(String, TextMessage)>,
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
            seen: Arc::default(),
        }
    }

    /// A thread in this state, and nothing else.
    fn in_thread(context: ReplyContext) -> Self {
        let mut world = Self::blind();
        world.ledger.expect_reply_context().returning(move |workspace, conversation, author| {
            let caller = a_caller();
            assert_eq!((workspace, author), (caller.workspace, caller.creator));
            Ok((conversation == a_conversation().id).then(|| context.clone()))
        });
        world
    }

    fn new() -> Self {
        Self::in_thread(a_context())
    }

    /// Everything goes well.
    fn willing(context: ReplyContext) -> Self {
        let parts = ThreadParts {
            contact: Some(context.contact.clone()),
            conversation: Some(context.conversation.clone()),
            files: Vec::new(),
        };
        let world = Self::in_thread(context).beginning(Begun::Started).answering(Ok(a_network_message_id()));
        world.recording(parts, || Ok(Recorded::Now))
    }

    fn holding(mut self, holder: Option<KeyHolder>) -> Self {
        let taken = holder.clone();
        self.ledger.expect_holder().returning(move |_, _| Ok(holder.clone()));
        match taken {
            Some(holder) => self.beginning(Begun::KeyTaken(Box::new(holder))),
            None => self,
        }
    }

    fn beginning(mut self, begun: Begun) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_begin().returning(move |beginning| {
            seen.lock().unwrap().begun.push(beginning.clone());
            Ok(begun.clone())
        });
        self
    }

    fn answering(mut self, answer: Result<NetworkMessageId, SendFailure>) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_token().returning(|_, _| Ok(Some("a token".to_owned().into())));
        self.network.expect_send_text().returning(move |from, _, message| {
            seen.lock().unwrap().asked.push((from.to_owned(), message.clone()));
            answer.clone()
        });
        self
    }

    /// The author has brought this file, and the network takes it.
    fn with_file(mut self, kept: KeptUpload) -> Self {
        let seen = self.seen.clone();
        self.network.expect_deliver_file().returning(move |_, _, message| {
            seen.lock().unwrap().files.push(message.clone());
            Ok(a_network_message_id())
        });
        self.uploads.expect_find().returning(move |workspace, member, id, since| {
            let caller = a_caller();
            assert_eq!((workspace, member), (caller.workspace, caller.creator));
            assert_eq!(since, a_moment() - UNUSED_FOR);
            Ok((id == an_upload()).then(|| kept.clone()))
        });
        self
    }

    fn recording(
        mut self,
        parts: ThreadParts,
        answer: impl Fn() -> Result<Recorded, StoreError> + Send + 'static,
    ) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_thread_of().returning(move |_, conversation, _| {
            assert_eq!(conversation, a_conversation().id);
            Ok(parts.clone())
        });
        self.ledger.expect_record().returning(move |accepted| {
            seen.lock().unwrap().accepted.push(accepted.clone());
            answer()
        });
        self.signals.expect_deliveries_due().return_const(());
        self
    }

    fn releasing(mut self) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_release().returning(move |_, id| {
            seen.lock().unwrap().released.push(id);
            Ok(())
        });
        self
    }

    fn keeping_the_refused(mut self) -> Self {
        let seen = self.seen.clone();
        self.ledger.expect_refuse_reply().returning(move |_, id, words, now| {
            assert_eq!(now, a_moment());
            seen.lock().unwrap().refused.push((id, words.to_owned()));
            Ok(())
        });
        self
    }

    /// Answers as the creator of [`a_caller`]'s key.
    async fn reply(self, request: &ReplyRequest) -> (Result<Replied, SendError>, Seen) {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let ids = Arc::new(SequentialIds::default());
        let ledger = Arc::new(self.ledger);
        let signals = Arc::new(self.signals);
        let recorder = Arc::new(Recorder {
            ledger: ledger.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            links: Arc::new(some_links()),
            signals,
        });
        let network = Arc::new(self.network);
        let once = Arc::new(SendOnce { ledger: ledger.clone(), network, recorder, clock: clock.clone() });
        let (uploads, links) = (Arc::new(self.uploads), Arc::new(some_links()));
        let use_case = SendReply { ledger, once, uploads, links, vault: Arc::new(a_vault()), clock, ids };
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

/// A thread over a connected number, its author on the team, the plan unlimited.
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
    ReplyRequest { conversation: a_conversation().id, text: text.to_owned(), upload: None, key: None }
}

fn an_upload() -> UploadId {
    uuid::Uuid::from_u128(0x7000).into()
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

/// The same thread over this network.
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

#[pollster::test]
async fn a_reply_is_begun_sent_recorded_and_announced_as_its_author_s() {
    let (answer, seen) = World::willing(a_context()).reply(&saying(TEXT)).await;
    let answer = answer.unwrap();
    assert!(!answer.replayed);

    let intent = seen.begun.first().unwrap().intent.clone();
    assert_eq!((&intent.template, &intent.reference), (&None, &None));
    assert_eq!((intent.channel, &intent.from), (a_number(0, 1).id, &Some(a_number(0, 1).phone)));
    let Leaves::Reply(reply) = &intent.leaves else { panic!("{intent:?}") };
    assert_eq!((reply.conversation, reply.contact), (a_conversation().id, a_contact().id));
    assert_eq!((reply.author, reply.text.as_str()), (a_caller().creator, TEXT));

    let message = TextMessage {
        tag: intent.id,
        to: Recipient::Phone(a_recipient()),
        text: TEXT.to_owned(),
        window: ReplyWindow::Within24h,
    };
    let [(from, asked)] = &seen.asked[..] else { panic!("asked {} times", seen.asked.len()) };
    assert_eq!((from, asked.tag), (&a_number(0, 1).network_id, message.tag));
    assert_eq!((&asked.to, &asked.text), (&message.to, &message.text));

    let message = answer.result.message.unwrap();
    assert_eq!((message.id, message.conversation), (intent.id, a_conversation().id));
    assert_eq!((message.role, message.content.as_str()), (Role::Team, TEXT));
    assert_eq!(message.sender_id, Some(a_caller().creator.to_string()));
    assert_eq!((&message.meta, message.created_at), (&None, a_moment()));

    let [event] = &seen.accepted.first().unwrap().events[..] else { panic!("one event") };
    assert_eq!(event.kind, EventType::MessageSent);
    let EventData::Message { message: told, customer } = &event.data else { panic!("{event:?}") };
    assert_eq!((told, customer.id), (&message, a_contact().id));
}

#[pollster::test]
async fn a_thread_keeps_its_status_and_its_person_keeps_their_name() {
    for status in [ConversationStatus::Bot, ConversationStatus::Open, ConversationStatus::Closed] {
        let conversation = Conversation { status, ..a_conversation() };
        let context = ReplyContext { conversation: conversation.clone(), ..a_context() };
        let (answer, seen) = World::willing(context).reply(&saying(TEXT)).await;
        assert!(answer.is_ok(), "{answer:?}");
        let kept = seen.accepted.first().and_then(|accepted| accepted.notice.clone()).unwrap();
        assert_eq!((kept.contact_is_new, kept.conversation_is_new), (false, false));
        assert_eq!(kept.contact, a_contact());
        assert_eq!(kept.conversation, Conversation { last_message_at: a_moment(), ..conversation });
    }
}

#[pollster::test]
async fn a_text_has_one_to_4096_characters() {
    for text in ["", " ", "\u{a0}\t\r\n\u{2003}", &"م".repeat(4_097)] {
        let refusal = World::blind().refusal(&ReplyRequest { text: text.to_owned(), ..keyed() }).await;
        assert!(matches!(&refusal, Refusal::Invalid(words) if words.contains("`text`")), "{refusal:?}");
    }
    for text in ["1", " no ", &"م".repeat(4_096)] {
        let (answer, seen) = World::willing(a_context()).reply(&saying(text)).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(seen.asked.first().map(|(_, message)| message.text.as_str()), Some(text));
    }
}

#[pollster::test]
async fn the_first_reason_in_order_is_the_one_that_is_told() {
    let nowhere = || ReplyContext { connection: None, ..a_context() };
    let paused = Plan { paused: true, ..Plan::default() };
    let no_channel = || Refusal::NoChannel(ChannelKind::Whatsapp);
    let pause = || Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused);
    for (context, wanted) in [
        (ReplyContext { author_is_here: false, plan: paused, ..nowhere() }, Refusal::AuthorLeft),
        (ReplyContext { author_is_here: false, ..a_context() }, Refusal::AuthorLeft),
        (ReplyContext { plan: paused, ..nowhere() }, no_channel()),
        (nowhere(), no_channel()),
        (ReplyContext { to: None, ..a_context() }, no_channel()),
        (ReplyContext { plan: paused, ..a_context() }, pause()),
    ] {
        let shown = format!("{context:?}");
        assert_eq!(World::in_thread(context).refusal(&saying(TEXT)).await, wanted, "{shown}");
    }
}

#[pollster::test]
async fn nobody_is_reached_over_another_network_than_the_thread_s() {
    for channel_kind in [ChannelKind::Messenger, ChannelKind::Instagram] {
        for connection in [None, Some(Connection::from(&a_number(0, 1)))] {
            let conversation = Conversation { channel_kind, ..a_conversation() };
            let context = ReplyContext { conversation, connection, ..a_context() };
            let refusal = World::in_thread(context).refusal(&saying(TEXT)).await;
            assert_eq!(refusal, Refusal::NoChannel(channel_kind));
        }
    }
}

/// A thread over a page or an account, whose person last wrote `ago`.
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

#[pollster::test]
async fn whoever_has_no_number_is_answered_by_their_id_at_the_network() {
    for kind in ChannelKind::ALL {
        let context = a_page_context(kind, Duration::hours(1));
        let to = context.to.clone().unwrap();
        let (answer, seen) = World::willing(context).reply(&saying(TEXT)).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(seen.asked.first().unwrap().1.to, Recipient::User(to));
        assert_eq!(seen.begun.first().unwrap().intent.from, None);
    }
}

#[pollster::test]
async fn after_a_day_a_person_answers_on_pages_and_accounts_as_a_person() {
    use ChannelKind::{Instagram, Messenger, Whatsapp};
    use ReplyWindow::{HumanAgent, Within24h};
    let almost = Duration::hours(24) - Duration::seconds(1);
    for (kind, ago, window) in [
        (Messenger, almost, Within24h),
        (Messenger, Duration::hours(24), HumanAgent),
        (Instagram, almost, Within24h),
        (Instagram, Duration::days(6), HumanAgent),
        (Whatsapp, Duration::days(6), Within24h),
    ] {
        let (answer, seen) = World::willing(a_page_context(kind, ago)).reply(&saying(TEXT)).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(seen.asked.first().unwrap().1.window, window, "{kind:?} {ago}");
    }
}

#[pollster::test]
async fn a_text_that_the_thread_s_network_does_not_take_is_refused_before_it_is_asked() {
    for (kind, text, fits) in [
        (ChannelKind::Instagram, "م".repeat(500), true),
        (ChannelKind::Instagram, "م".repeat(501), false),
        (ChannelKind::Messenger, "م".repeat(1_999), true),
        (ChannelKind::Messenger, "م".repeat(2_000), false),
        (ChannelKind::Whatsapp, "م".repeat(4_096), true),
    ] {
        let context = a_page_context(kind, Duration::hours(1));
        if fits {
            assert!(World::willing(context).reply(&saying(&text)).await.0.is_ok());
        } else {
            let refusal = World::in_thread(context).refusal(&saying(&text)).await;
            assert!(matches!(refusal, Refusal::Invalid(_)), "{refusal:?}");
        }
    }
}

#[pollster::test]
async fn an_unknown_thread_is_refused_after_the_key() {
    let elsewhere = ReplyRequest { conversation: uuid::Uuid::from_u128(9).into(), ..keyed() };
    let world = World::new().holding(None);
    assert_eq!(world.refusal(&elsewhere).await, Refusal::ConversationNotFound);
    let world = World::new().holding(Some(used(sent(), b"[]")));
    assert_eq!(world.refusal(&elsewhere).await, Refusal::KeyReused);
}

#[pollster::test]
async fn the_plan_s_limit_is_held_against_the_month_and_may_refuse() {
    let plan = Plan { active_customer_limit: Some(100), paused: false };
    let limited = World::in_thread(ReplyContext { plan, ..a_context() }).beginning(Begun::PlanLimitReached);
    let (answer, seen) = limited.reply(&saying(TEXT)).await;
    let Err(SendError::Refused(refusal)) = answer else { panic!("{answer:?}") };
    assert_eq!(refusal, Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit));
    assert_eq!(seen.begun.first().unwrap().limit, Some((Month::of(a_moment()), 100)));
}

#[pollster::test]
async fn what_the_network_refuses_is_kept_as_failed_and_not_announced() {
    let words = "Re-engagement message".to_owned();
    let refused = SendFailure::Refused { code: 131_047, message: words.clone() };
    let world = World::new().holding(None).beginning(Begun::Started).answering(Err(refused));
    let (answer, seen) = world.keeping_the_refused().reply(&keyed()).await;
    let Err(SendError::Refused(refusal)) = answer else { panic!("{answer:?}") };
    assert_eq!(refusal, Refusal::Rejected { code: 131_047, message: words.clone() });
    assert_eq!(seen.refused, [(seen.begun.first().unwrap().intent.id, words)]);
    assert!(seen.accepted.is_empty() && seen.released.is_empty());
}

#[pollster::test]
async fn what_was_certainly_not_sent_is_taken_back() {
    let not_sent = SendFailure::NotSent { reason: "connection refused".to_owned(), retry_after: None };
    let world = World::new().beginning(Begun::Started).answering(Err(not_sent)).releasing();
    let (answer, seen) = world.reply(&saying(TEXT)).await;
    assert!(matches!(answer, Err(SendError::Refused(Refusal::NetworkUnavailable { .. }))), "{answer:?}");
    assert_eq!(seen.released, [seen.begun.first().unwrap().intent.id]);
}

#[pollster::test]
async fn what_may_have_been_sent_stays_open_under_the_id_that_the_caller_hears() {
    let unknown = SendFailure::Unknown { reason: "the connection broke".to_owned() };
    let world = World::new().beginning(Begun::Started).answering(Err(unknown));
    let (answer, seen) = world.reply(&saying(TEXT)).await;
    let Err(SendError::Open { id, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(seen.begun.first().unwrap().intent.id, id);
}

#[pollster::test]
async fn a_used_key_comes_before_what_speaks_against_the_thread() {
    let refused = || ReplyContext { author_is_here: false, ..a_context() };
    for context in [a_context(), refused()] {
        let world = || World::in_thread(context.clone());
        let (answer, _) = world().holding(Some(used(sent(), b"{}"))).reply(&keyed()).await;
        assert_eq!(answer.unwrap(), Replied { result: a_send_result(), replayed: true });
        for (holder, wanted) in [
            (used(sent(), b"[]"), Refusal::KeyReused),
            (used(SendState::InFlight, b"{}"), Refusal::RequestInFlight),
            (used(SendState::InFlight, b"[]"), Refusal::KeyReused),
        ] {
            assert_eq!(world().holding(Some(holder)).refusal(&keyed()).await, wanted);
        }
    }
    for holder in [None, Some(used(SendState::Refused, b"{}"))] {
        let world = World::in_thread(refused()).holding(holder);
        assert_eq!(world.refusal(&keyed()).await, Refusal::AuthorLeft);
    }
}

#[pollster::test]
async fn the_key_of_a_refused_reply_is_free() {
    for request in [b"{}", b"[]"] {
        let holder = used(SendState::Refused, request);
        let (answer, seen) = World::willing(a_context()).holding(Some(holder)).reply(&keyed()).await;
        assert!(!answer.unwrap().replayed);
        assert_eq!(seen.asked.len(), 1);
        let claim = seen.begun.first().and_then(|beginning| beginning.key).unwrap();
        assert_eq!(claim.key_hash, a_hash("idempotency-key", b"answer-7"));
    }
}

#[pollster::test]
async fn of_two_replies_at_once_with_one_key_the_second_hears_of_the_first() {
    let loses_to = |holder| World::new().holding(None).beginning(Begun::KeyTaken(Box::new(holder)));
    let (answer, _) = loses_to(used(sent(), b"{}")).reply(&keyed()).await;
    assert_eq!(answer.unwrap(), Replied { result: a_send_result(), replayed: true });
    let in_flight = used(SendState::InFlight, b"{}");
    assert_eq!(loses_to(in_flight).refusal(&keyed()).await, Refusal::RequestInFlight);
}

#[pollster::test]
async fn neither_text_nor_number_is_in_what_a_log_may_print() {
    let (_, seen) = World::willing(a_context()).reply(&saying(TEXT)).await;
    let shown = format!("{:?} {:?}", seen.begun.first().unwrap().intent.leaves, seen.asked);
    for secret in [TEXT, a_recipient().as_str()] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[pollster::test]
async fn a_file_is_begun_sent_and_shown_with_its_text_where_the_network_takes_one() {
    for (channel, text, kind) in [
        (ChannelKind::Whatsapp, TEXT, AttachmentKind::Image),
        (ChannelKind::Whatsapp, "", AttachmentKind::Image),
        (ChannelKind::Messenger, "", AttachmentKind::Image),
        (ChannelKind::Instagram, " ", AttachmentKind::Image),
    ] {
        let kept = a_file("image/png", 7);
        let world = World::willing(over(channel)).with_file(kept.clone());
        let (answer, seen) = world.reply(&sending(text)).await;
        let message = answer.unwrap().result.message.unwrap();
        let Leaves::Reply(reply) = &seen.begun.first().unwrap().intent.leaves else { panic!("no reply") };
        assert_eq!(reply.upload, Some(an_upload()));
        assert!(seen.asked.is_empty(), "no text by itself");
        let [sent] = &seen.files[..] else { panic!("{} files", seen.files.len()) };
        assert_eq!((sent.kind, &sent.file, sent.tag), (kind, &kept.file, message.id));
        assert_eq!(sent.caption.as_deref(), (text == TEXT).then_some(TEXT));
        assert_eq!(sent.link, format!("https://files.example/{}", kept.file.key));
        let [shown] = &message.attachments[..] else { panic!("{message:?}") };
        assert_eq!((&shown.url, shown.bytes, &shown.title), (&sent.link, 7, &kept.file.title));
    }
}

#[pollster::test]
async fn what_speaks_against_a_file_is_told_before_anything_is_begun() {
    use ChannelKind::{Instagram, Messenger, Whatsapp};
    const MB: u64 = 1024 * 1024;
    let used = KeptUpload { is_used: true, ..a_file("image/png", 7) };
    let too_large = |channel, megabytes| Refusal::AttachmentTooLarge { channel, most_bytes: megabytes * MB };
    let refused = |channel, content_type| Refusal::AttachmentType { channel, content_type };
    for (channel, kept, text, wanted) in [
        (Whatsapp, used, "", Refusal::AttachmentUsed),
        (Whatsapp, a_file("image/png", 5 * MB + 1), "", too_large(Whatsapp, 5)),
        (Instagram, a_file("image/png", 8 * MB + 1), "", too_large(Instagram, 8)),
        (Messenger, a_file("application/pdf", 25 * MB + 1), "", too_large(Messenger, 25)),
        (Instagram, a_file("text/csv", 7), "", refused(Instagram, "text/csv")),
    ] {
        let refusal = World::in_thread(over(channel)).with_file(kept).refusal(&sending(text)).await;
        assert_eq!(refusal, wanted);
    }
    for (channel, content_type, text) in [
        (Whatsapp, "audio/ogg", TEXT),
        (Messenger, "image/png", TEXT),
        (Instagram, "application/pdf", TEXT),
        (Whatsapp, "image/png", "م".repeat(1_025).as_str()),
    ] {
        let world = World::in_thread(over(channel)).with_file(a_file(content_type, 7));
        let refusal = world.refusal(&sending(text)).await;
        assert!(matches!(&refusal, Refusal::Invalid(words) if words.contains("`text`")), "{refusal:?}");
    }
    let unknown = ReplyRequest { upload: Some(uuid::Uuid::from_u128(9).into()), ..saying("") };
    let world = World::new().with_file(a_file("image/png", 7));
    assert_eq!(world.refusal(&unknown).await, Refusal::AttachmentNotFound);
}

#[pollster::test]
async fn a_file_that_another_send_has_taken_meanwhile_is_refused() {
    let world = World::new().beginning(Begun::FileTaken).with_file(a_file("image/png", 7));
    assert_eq!(world.refusal(&sending("")).await, Refusal::AttachmentUsed);
}

#[pollster::test]
async fn a_repeat_answers_with_the_file_that_its_first_request_has_taken() {
    let request = ReplyRequest { upload: Some(an_upload()), ..keyed() };
    let used_up = KeptUpload { is_used: true, ..a_file("image/png", 7) };
    let world = World::new().holding(Some(used(sent(), b"{}"))).with_file(used_up);
    let replied = world.reply(&request).await.0.unwrap();
    assert!(replied.replayed);
    let [shown] = &replied.result.message.unwrap().attachments[..] else { panic!("no file") };
    assert_eq!(shown.content_type, "image/png");
}
