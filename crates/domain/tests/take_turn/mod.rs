//! A turn of the assistant: what speaks against it and in which order, how it ends, and what is written of
//! it.
//!
//! A mock that a test did not set up panics when it is called.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::sync::{Arc, Mutex};

use domain::{
    assistant::{
        AssistantMode, AssistantSettings, DueTurn, HandOver, ModelAnswer, ModelError, ModelMessage, Models,
        Sent, TakeTurn, TokenUsage, ToolCall, TurnRecord, TurnResult,
        ports::{
            MockAssistantStore, MockLanguageModel, MockTokenBudget, MockTools, MockTurnStore,
            MockTypingIndicator,
        },
    },
    attachments::ports::{MockObjectStore, MockUploadStore, StoredObject},
    automations::ports::MockAutomationStore,
    channels::ChannelKind,
    consent::ports::{DraftRecord, MockDraftStore},
    conversation::{Conversation, ConversationStatus},
    conversations::{ChangeConversation, DecisionContext, TeamMembership, ports::MockConversationStore},
    customer_records::{ConversationCustomer, ports::MockCustomerStore},
    deps::Deps,
    events::Customer,
    knowledge::ports::MockKnowledgeStore,
    messages::{
        Message, PreparedReply, Progress, Role, Sending, SendingState,
        ports::{KeptMessage, MockMessageStore},
    },
    phone::Region,
    sending::{
        ConversationEntry, Recorder, ReplyContext, SendOnce, SendReply,
        ports::{MockMessagingNetwork, MockSendLedger, ReserveOutcome},
    },
    signals::MockSignals,
    systems::{
        CallSystem, Capability, ConnectedSystem, Introduction, RecordCall, SystemBase, SystemConnection,
        SystemSecret,
        ports::{MockCallLog, MockCustomSystem, MockSystemStore},
    },
    testing::{
        ManualClock, SequentialIds, a_contact, a_conversation, a_message, a_moment, a_number, a_vault,
        a_workspace, deps_of, some_links,
    },
    text::PlainText,
    workspaces::{Plan, Workspace, ports::MockWorkspaceStore},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

mod endings;
mod preflight;
mod waiting;

const GREETS: &str = r#"{"acts":[{"act":"greet"}]}"#;

/// What a turn has written.
#[derive(Default)]
struct Written {
    finished: Vec<Option<TurnRecord>>,
    postponed: Vec<OffsetDateTime>,
    renewed: Vec<Duration>,
    moves: usize,
    /// What customers are told of moves.
    said: Vec<PreparedReply>,
    asked: usize,
    counted: usize,
    /// How often typing was shown.
    typed: usize,
    /// Pictures that the model was shown, by their bytes.
    shown: Vec<Vec<u8>>,
    /// What was begun to be sent, in words.
    begun: Vec<String>,
}

/// What a turn meets.
struct World {
    turn: DueTurn,
    settings: AssistantSettings,
    conversation: Option<Conversation>,
    /// The newest first.
    messages: Vec<KeptMessage>,
    held_up: bool,
    /// How often it is found that the turn still stands, before it does not.
    stands: usize,
    /// The newest first.
    drafts: Vec<DraftRecord>,
    /// Whether the workspace's system takes orders.
    orders: bool,
    model: Vec<Result<ModelAnswer, ModelError>>,
    /// What the model reads pictures out of; `None` if it reads none.
    pictures: Option<MockObjectStore>,
    /// What proposing comes to.
    proposed: Option<Sent>,
    /// What beginning an answer's send comes to; `None` where none is begun.
    begun: Option<ReserveOutcome>,
    /// Whether the workspace's subscription is paused.
    paused: bool,
}

fn said(role: Role, text: &str) -> KeptMessage {
    let message = Message { role, content: text.to_owned(), ..a_message() };
    KeptMessage { message, files: vec![], missing: vec![], awaited: vec![], sending: None }
}

#[expect(clippy::unnecessary_wraps, reason = "scripts hold failures beside these")]
fn words(text: &str) -> Result<ModelAnswer, ModelError> {
    Ok(ModelAnswer { text: text.to_owned(), calls: vec![], usage: Some(TokenUsage::default()) })
}

#[expect(clippy::unnecessary_wraps, reason = "scripts hold failures beside these")]
fn calls(name: &str, arguments: &str) -> Result<ModelAnswer, ModelError> {
    let call =
        ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), state: None };
    Ok(ModelAnswer { text: String::new(), calls: vec![call], usage: Some(TokenUsage::default()) })
}

impl World {
    /// A customer has asked something a moment ago, the assistant is on, and nobody is to be asked anything.
    fn new() -> Self {
        Self {
            turn: DueTurn {
                conversation: a_conversation().id,
                heard: 3,
                waiting_since: a_moment(),
                sending: None,
                person_spoke_at: None,
                notices: Vec::new(),
                turns_of_day: 0,
                lease_until: a_moment() + Duration::MINUTE,
            },
            settings: AssistantSettings { mode: AssistantMode::On, ..AssistantSettings::default() },
            conversation: Some(a_conversation()),
            messages: vec![said(Role::Customer, "شلون؟")],
            held_up: false,
            stands: usize::MAX,
            drafts: vec![],
            orders: false,
            model: vec![],
            pictures: None,
            proposed: None,
            begun: None,
            paused: false,
        }
    }

    /// The model says what cannot be sent.
    fn babbling() -> Self {
        Self { model: vec![words("سعره 9000 دينار")], ..Self::new() }
    }

    /// The model greets.
    fn greeting() -> Self {
        Self { model: vec![calls("answer", GREETS)], ..Self::new() }
    }

    /// What it came to, and what was written.
    async fn run(self) -> (Option<TurnResult>, Written) {
        let written = Arc::new(Mutex::new(Written::default()));
        let turn = self.turn.clone();
        let take = self.take(&written);
        let result = take.run(a_workspace().id, &turn).await.unwrap();
        drop(take);
        let written = Arc::into_inner(written).unwrap().into_inner().unwrap();
        (result, written)
    }

    fn take(self, written: &Arc<Mutex<Written>>) -> TakeTurn {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let deps = deps_of(clock.clone(), Arc::new(SequentialIds::default()));
        let settings = Arc::new(assistants(self.settings.clone()));
        let messages = Arc::new(listed(self.messages));
        let mut hours = MockAutomationStore::new();
        hours.expect_settings().returning(|_| Ok(domain::automations::Settings::default()));
        let hours = Arc::new(hours);
        let reads_pictures = self.pictures.is_some();
        let models = Models::only(Arc::new(model(self.model, written)));
        let reply = Arc::new(sends(self.begun, self.conversation.clone(), clock, written));
        TakeTurn {
            turns: Arc::new(turns(self.held_up, self.stands, written)),
            settings: settings.clone(),
            budget: Arc::new(budget()),
            conversations: Arc::new(found(self.conversation.clone())),
            customers: Arc::new(customers()),
            workspaces: Arc::new(workspaces(self.paused)),
            messages: messages.clone(),
            drafts: Arc::new(drafts(self.drafts)),
            objects: Arc::new(self.pictures.unwrap_or_default()),
            systems: system(self.orders, &deps),
            knowledge: Arc::new(without_documents()),
            model: Some(Models { reads_pictures, ..models }.into()),
            tools: Arc::new(tools(self.proposed)),
            typing: Arc::new(typing(written)),
            reply,
            hand_over: HandOver { settings, hours, messages, change: Arc::new(moves(written, &deps)) },
            deps,
        }
    }
}

fn without_documents() -> MockKnowledgeStore {
    let mut knowledge = MockKnowledgeStore::new();
    knowledge.expect_has_documents().returning(|_| Ok(false));
    knowledge
}

fn workspaces(paused: bool) -> MockWorkspaceStore {
    let plan = Plan { paused, ..a_workspace().plan };
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(move |_| Ok(Some(Workspace { plan, ..a_workspace() })));
    workspaces
}

fn drafts(drafts: Vec<DraftRecord>) -> MockDraftStore {
    let mut store = MockDraftStore::new();
    store.expect_drafts().returning(move |_, _, _| Ok(drafts.clone()));
    store.expect_open_draft().returning(|_, _| Ok(None));
    store
}

fn turns(held_up: bool, stands: usize, written: &Arc<Mutex<Written>>) -> MockTurnStore {
    let mut turns = MockTurnStore::new();
    let renewed = Arc::clone(written);
    turns.expect_renew_turn().returning(move |_, turn, until| {
        renewed.lock().unwrap().renewed.push(until - turn.waiting_since);
        Ok(true)
    });
    turns.expect_tell_to_wait().returning(|_, _, _, _| Ok(false));
    turns.expect_is_held_up().returning(move |_, _| Ok(held_up));
    let mut left = stands;
    turns.expect_stands().returning(move |_, _| {
        let stands = left > 0;
        left = left.saturating_sub(1);
        Ok(stands)
    });
    let counted = Arc::clone(written);
    turns.expect_count_turn().returning(move |_, _, day| {
        assert_eq!(day, a_moment().date());
        counted.lock().unwrap().counted += 1;
        Ok(())
    });
    let finished = Arc::clone(written);
    turns.expect_finish_turn().returning(move |_, _, record| {
        finished.lock().unwrap().finished.push(record);
        Ok(())
    });
    let postponed = Arc::clone(written);
    turns.expect_postpone_turn().returning(move |_, _, at| {
        postponed.lock().unwrap().postponed.push(at);
        Ok(())
    });
    turns
}

fn assistants(settings: AssistantSettings) -> MockAssistantStore {
    let mut store = MockAssistantStore::new();
    store.expect_settings().returning(move |_| Ok(Some(settings.clone())));
    store
}

fn budget() -> MockTokenBudget {
    let mut budget = MockTokenBudget::new();
    budget.expect_reserve().returning(|_, _, _, _| Ok(true));
    budget.expect_settle().returning(|_, _, _, _, _, _| Ok(()));
    budget
}

fn found(conversation: Option<Conversation>) -> MockConversationStore {
    let mut conversations = MockConversationStore::new();
    conversations.expect_find().returning(move |_, _| Ok(conversation.clone()));
    conversations
}

fn customers() -> MockCustomerStore {
    let mut customers = MockCustomerStore::new();
    customers.expect_customer_of().returning(|_, conversation| {
        Ok(Some(ConversationCustomer {
            conversation,
            network: ChannelKind::Whatsapp,
            has_written: true,
            contact: a_contact(),
            region: Region::default(),
        }))
    });
    customers
}

fn listed(messages: Vec<KeptMessage>) -> MockMessageStore {
    let mut store = MockMessageStore::new();
    store.expect_list().returning(move |_, _, _| Ok(Some(messages.clone())));
    store
}

fn system(orders: bool, deps: &Deps) -> CallSystem {
    let introduction = Introduction {
        name: PlainText::read("متجر", 200).unwrap(),
        currency: "IQD".parse().unwrap(),
        capabilities: std::iter::once(Capability::Orders).collect(),
    };
    let base = SystemBase::parse("https://shop.example/api").unwrap();
    let connected = ConnectedSystem {
        connection: SystemConnection::new(Uuid::from_u128(1).into(), base, introduction, a_moment()),
        secret: SystemSecret::parse("s3cret").unwrap(),
    };
    let connected = orders.then_some(connected);
    let mut store = MockSystemStore::new();
    store.expect_open().returning(move |_| Ok(connected.clone()));
    let record = RecordCall { store: Arc::new(store), log: Arc::new(MockCallLog::new()), deps: deps.clone() };
    CallSystem { system: Arc::new(MockCustomSystem::new()), record }
}

fn model(script: Vec<Result<ModelAnswer, ModelError>>, written: &Arc<Mutex<Written>>) -> MockLanguageModel {
    let (mut model, written) = (MockLanguageModel::new(), Arc::clone(written));
    model.expect_answer().returning(move |request, _| {
        let mut written = written.lock().unwrap();
        written.asked += 1;
        for said in &request.said {
            if let ModelMessage::Pictures(pictures) = said {
                written.shown.extend(pictures.iter().map(|picture| picture.bytes.to_vec()));
            }
        }
        script.get(written.asked - 1).or(script.last()).cloned().unwrap()
    });
    model
}

/// Stored files, each of which holds its key's text.
fn objects() -> MockObjectStore {
    let mut objects = MockObjectStore::new();
    objects.expect_open().returning(|key| {
        let bytes = key.as_str().as_bytes().to_vec();
        let size = u64::try_from(bytes.len()).unwrap();
        let bytes = Box::pin(futures_util::stream::iter([Ok(bytes.into())]));
        Ok(Some(StoredObject { size, bytes }))
    });
    objects
}

fn typing(written: &Arc<Mutex<Written>>) -> MockTypingIndicator {
    let (mut typing, written) = (MockTypingIndicator::new(), Arc::clone(written));
    typing.expect_show().returning(move |_, _| written.lock().unwrap().typed += 1);
    typing
}

fn tools(proposed: Option<Sent>) -> MockTools {
    let mut tools = MockTools::new();
    if let Some(sent) = proposed {
        tools.expect_propose().returning(move |_, _| Ok(sent));
    }
    tools
}

/// Moves the assistant's conversation.
fn moves(written: &Arc<Mutex<Written>>, deps: &Deps) -> ChangeConversation {
    let (mut store, written) = (MockConversationStore::new(), Arc::clone(written));
    store.expect_decision_context().returning(|_, _, _| {
        Ok(Some(DecisionContext {
            conversation: a_conversation(),
            customer: Customer::of(&a_contact()),
            holder_is_here: true,
            moved_at: None,
            unanswered: false,
            group: None,
            member: TeamMembership::OnTeam,
        }))
    });
    store.expect_commit().returning(move |_, change| {
        assert_eq!(change.conversation.status, ConversationStatus::Open);
        let mut written = written.lock().unwrap();
        written.moves += 1;
        written.said.extend(change.says.iter().map(|says| says.reply.clone()));
        Ok(())
    });
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    ChangeConversation { store: Arc::new(store), deps: Deps { signals: Arc::new(signals), ..deps.clone() } }
}

/// Sends that come to this where they are begun; the network is asked by none of these tests.
fn sends(
    begun: Option<ReserveOutcome>,
    conversation: Option<Conversation>,
    clock: Arc<ManualClock>,
    written: &Arc<Mutex<Written>>,
) -> SendReply {
    let mut ledger = MockSendLedger::new();
    if let Some(begun) = begun {
        let context = conversation.map(|conversation| ReplyContext {
            plan: Plan::default(),
            author_is_here: true,
            contact: a_contact(),
            conversation,
            connection: Some((&a_number(0, 1)).into()),
            to: a_contact().phone.map(domain::contacts::Identity::Phone),
            customer_wrote_at: Some(a_moment()),
        });
        ledger.expect_reply_context().returning(move |_, _, _| Ok(context.clone()));
        let written = Arc::clone(written);
        ledger.expect_begin().returning(move |_, reservation| {
            if let ConversationEntry::Reply(reply) = &reservation.intent.conversation_entry {
                written.lock().unwrap().begun.push(reply.text.clone());
            }
            Ok(begun.clone())
        });
    }
    let deps = deps_of(clock.clone(), Arc::new(SequentialIds::default()));
    let (ledger, links) = (Arc::new(ledger), Arc::new(some_links()));
    let recorder = Arc::new(Recorder { ledger: ledger.clone(), deps: deps.clone(), links: links.clone() });
    let once = SendOnce::new(ledger.clone(), Arc::new(MockMessagingNetwork::new()), recorder, clock);
    SendReply {
        ledger,
        once: Arc::new(once),
        uploads: Arc::new(MockUploadStore::new()),
        links,
        vault: Arc::new(a_vault()),
        deps,
    }
}

/// That an answer of the assistant's was sent, or is on its way.
fn answer_of(state: SendingState) -> KeptMessage {
    let sending = Sending {
        state,
        asked_at: a_moment(),
        settled_at: Some(a_moment()),
        progress: Progress::SENT,
        error: None,
        error_code: None,
    };
    KeptMessage { sending: Some(sending), ..said(Role::Assistant, "هلا") }
}

/// The result that the only record tells of.
fn recorded(written: &Written) -> Option<TurnResult> {
    assert_eq!(written.finished.len(), 1);
    written.finished.first().cloned().flatten().map(|record| record.result)
}
