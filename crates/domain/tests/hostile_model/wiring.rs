//! The real use cases over the books, the shop and a network that takes whatever it is given.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use domain::{
    appointments::{RequestBooking, ports::MockBookingRequestStore},
    assistant::{
        AssistantMode, AssistantSettings, Fact, HandOver, Models, ResumeReplies, RunTools, TakeTurn,
        ports::{LanguageModel, MockAssistantStore, MockTokenBudget, MockTypingIndicator},
    },
    attachments::ports::{MockObjectStore, MockUploadStore},
    automations::ports::MockAutomationStore,
    catalogue::{BrowseCatalogue, ManageSynonyms, OwnSynonyms, ports::MockSynonymStore, search::Synonyms},
    channels::{ChannelKind, Connection},
    consent::{ProposeDraft, ReadAnswers, SendPrepared},
    contacts::{Identity, ports::MockContactStore},
    conversations::{ChangeConversation, DecisionContext, TeamMembership, ports::MockConversationStore},
    customer_records::{
        CaptureLead, ConversationCustomer, LookUpCustomer, PushLeads, ports::MockCustomerStore,
    },
    deps::Deps,
    events::Customer,
    fence::TurnEffect,
    fulfilment::CarryOut,
    knowledge::{LookUpKnowledge, ports::MockKnowledgeStore},
    messages::{NetworkMessageId, ports::MockMessageStore},
    phone::Region,
    sending::{
        ConversationParts, Recorder, ReplyContext, SendOnce, SendReply,
        ports::{MockMessagingNetwork, MockSendLedger, Recorded, ReserveOutcome},
    },
    signals::MockSignals,
    systems::{
        CallSystem, Capabilities, ConnectedSystem, Introduction, RecordCall, SystemBase, SystemConnection,
        SystemSecret,
        ports::{MockCallLog, MockSystemStore},
    },
    testing::{SequentialIds, a_contact, a_moment, a_number, a_vault, a_workspace, some_links},
    workspaces::{Plan, ports::MockWorkspaceStore},
};
use uuid::Uuid;

use super::{
    books::{Books, Reached},
    shop::Shop,
    text,
};

/// What the owner has written for the assistant.
pub(crate) const OWNERS_FEE: &str = "5000";

/// All that works on one conversation.
pub(crate) struct Service {
    pub(crate) turns: TakeTurn,
    pub(crate) answers: ReadAnswers,
    pub(crate) carry: CarryOut,
    pub(crate) replies: ResumeReplies,
    pub(crate) leads: PushLeads,
}

pub(crate) fn service(
    books: &Arc<Books>,
    shop: &Arc<Shop>,
    declared: &Capabilities,
    network: ChannelKind,
    model: Arc<dyn LanguageModel>,
) -> Service {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    let deps = Deps {
        clock: books.clock.clone(),
        ids: Arc::new(SequentialIds::default()),
        signals: Arc::new(signals),
    };
    let (store, systems) = connected(shop, declared, &deps);
    let customers = Arc::new(customers(network));
    let (settings, vault) = (Arc::new(settings()), Arc::new(a_vault()));
    let conversations = Arc::new(conversations(books));
    let change = ChangeConversation { store: conversations.clone(), deps: deps.clone() };
    let mut hours = MockAutomationStore::new();
    hours.expect_settings().returning(|_| Ok(domain::automations::Settings::default()));
    let messages = Arc::new(messages(books));
    let hand_over = HandOver {
        settings: settings.clone(),
        hours: Arc::new(hours),
        messages: messages.clone(),
        change: Arc::new(change),
    };
    let reply = Arc::new(sends(books, network, &deps));
    let prepared = SendPrepared { replies: books.clone(), reply: reply.clone(), clock: deps.clock.clone() };
    let mut synonyms = MockSynonymStore::new();
    synonyms.expect_synonyms().returning(|_| Ok(OwnSynonyms::default()));
    let synonyms =
        ManageSynonyms { store: Arc::new(synonyms), shipped: Synonyms::default(), deps: deps.clone() };
    let (mut wishes, written) = (MockBookingRequestStore::new(), books.clone());
    wishes.expect_add().returning(move |_, _| {
        written.pages().wishes += 1;
        Ok(None)
    });
    let synonyms = Arc::new(synonyms);
    let mut knowledge = MockKnowledgeStore::new();
    knowledge.expect_has_documents().returning(|_| Ok(true));
    knowledge.expect_passages().returning(|_| Ok(Vec::new()));
    let knowledge = Arc::new(knowledge);
    let tools = RunTools {
        catalogue: BrowseCatalogue { systems: systems.clone(), synonyms: synonyms.clone() },
        knowledge: LookUpKnowledge { store: knowledge.clone(), synonyms },
        customers: LookUpCustomer { systems: systems.clone(), customers: customers.clone() },
        leads: CaptureLead {
            leads: books.clone(),
            customers: customers.clone(),
            systems: store.clone(),
            vault: vault.clone(),
            deps: deps.clone(),
        },
        bookings: RequestBooking {
            requests: Arc::new(wishes),
            customers: customers.clone(),
            systems: store,
            vault: vault.clone(),
            deps: deps.clone(),
        },
        propose: ProposeDraft {
            systems: systems.clone(),
            customers: customers.clone(),
            contacts: Arc::new(MockContactStore::new()),
            drafts: books.clone(),
            prepared: prepared.clone(),
            vault: vault.clone(),
            deps: deps.clone(),
        },
    };
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
    Service {
        turns: TakeTurn {
            turns: books.clone(),
            settings,
            budget: Arc::new(budget()),
            conversations,
            customers: customers.clone(),
            workspaces: Arc::new(workspaces),
            messages: messages.clone(),
            drafts: books.clone(),
            objects: Arc::new(MockObjectStore::new()),
            systems: systems.clone(),
            knowledge,
            model: Some(Models::only(model).into()),
            tools: Arc::new(tools),
            typing: Arc::new(typing()),
            reply,
            hand_over: hand_over.clone(),
            deps: deps.clone(),
        },
        answers: ReadAnswers { drafts: books.clone(), messages: messages.clone(), vault, deps: deps.clone() },
        carry: CarryOut {
            systems: systems.clone(),
            commitments: books.clone(),
            messages,
            customers,
            hand_over: hand_over.clone(),
            deps: deps.clone(),
        },
        replies: ResumeReplies { prepared, hand_over },
        leads: PushLeads { systems, leads: books.clone(), clock: deps.clock },
    }
}

fn connected(shop: &Arc<Shop>, declared: &Capabilities, deps: &Deps) -> (Arc<MockSystemStore>, CallSystem) {
    let introduction =
        Introduction {
            name: text("متجر"), currency: "IQD".parse().unwrap(), capabilities: declared.clone()
        };
    let base = SystemBase::parse("https://shop.example/api").unwrap();
    let connected = ConnectedSystem {
        connection: SystemConnection::new(Uuid::from_u128(1).into(), base, introduction, a_moment()),
        secret: SystemSecret::parse("s3cret").unwrap(),
    };
    let (mut store, mut log) = (MockSystemStore::new(), MockCallLog::new());
    let found = connected.connection.clone();
    store.expect_open().returning(move |_| Ok(Some(connected.clone())));
    store.expect_find().returning(move |_| Ok(Some(found.clone())));
    store.expect_settle().returning(|_, _| Ok(()));
    log.expect_add().returning(|_, _| Ok(()));
    let store = Arc::new(store);
    let record = RecordCall { store: store.clone(), log: Arc::new(log), deps: deps.clone() };
    (store, CallSystem { system: shop.clone(), record })
}

fn typing() -> MockTypingIndicator {
    let mut typing = MockTypingIndicator::new();
    typing.expect_show().return_const(());
    typing
}

fn customers(network: ChannelKind) -> MockCustomerStore {
    let mut customers = MockCustomerStore::new();
    customers.expect_customer_of().returning(move |_, conversation| {
        let (contact, region) = (a_contact(), Region::default());
        Ok(Some(ConversationCustomer { conversation, network, has_written: true, contact, region }))
    });
    customers
}

fn settings() -> MockAssistantStore {
    let fact =
        Fact {
            title: "التوصيل".to_owned(), text: format!("التوصيل {OWNERS_FEE} دينار"), ..Fact::default()
        };
    let set =
        AssistantSettings { mode: AssistantMode::On, facts: vec![fact], ..AssistantSettings::default() };
    let mut store = MockAssistantStore::new();
    store.expect_settings().returning(move |_| Ok(Some(set.clone())));
    store
}

fn budget() -> MockTokenBudget {
    let mut budget = MockTokenBudget::new();
    budget.expect_reserve().returning(|_, _, _, _| Ok(true));
    budget.expect_settle().returning(|_, _, _, _, _, _| Ok(()));
    budget
}

fn conversations(books: &Arc<Books>) -> MockConversationStore {
    let mut store = MockConversationStore::new();
    let of = books.clone();
    store.expect_find().returning(move |_, _| Ok(Some(of.pages().conversation.clone())));
    let of = books.clone();
    store.expect_decision_context().returning(move |_, _, _| {
        Ok(Some(DecisionContext {
            conversation: of.pages().conversation.clone(),
            customer: Customer::of(&a_contact()),
            holder_is_here: true,
            moved_at: None,
            unanswered: true,
            group: None,
            member: TeamMembership::OnTeam,
        }))
    });
    let of = books.clone();
    store.expect_commit().returning(move |_, change| {
        of.pages().conversation = change.conversation.clone();
        Ok(())
    });
    store
}

fn messages(books: &Arc<Books>) -> MockMessageStore {
    let (mut store, of) = (MockMessageStore::new(), books.clone());
    store
        .expect_list()
        .returning(move |_, _, _| Ok(Some(of.pages().messages.iter().rev().cloned().collect())));
    store
}

fn sends(books: &Arc<Books>, network: ChannelKind, deps: &Deps) -> SendReply {
    let mut ledger = MockSendLedger::new();
    let (to, connection) = match network {
        ChannelKind::Whatsapp => (a_contact().phone.map(Identity::Phone), Connection::from(&a_number(0, 1))),
        kind => {
            let connection = Connection { kind, phone: None, ..Connection::from(&a_number(0, 1)) };
            (Some(Identity::InstagramUser("17841".to_owned())), connection)
        }
    };
    let of = books.clone();
    ledger.expect_reply_context().returning(move |_, _, _| {
        Ok(Some(ReplyContext {
            plan: Plan::default(),
            author_is_here: true,
            contact: a_contact(),
            conversation: of.pages().conversation.clone(),
            connection: Some(connection.clone()),
            to: to.clone(),
            customer_wrote_at: Some(a_moment()),
        }))
    });
    ledger.expect_holder().returning(|_, _| Ok(None));
    let of = books.clone();
    ledger.expect_begin().returning(move |_, reservation| {
        let rests_on = match reservation.turn {
            TurnEffect::Answers(fence) | TurnEffect::Accompanies(fence) => Some(fence),
            TurnEffect::None | TurnEffect::Silences => None,
        };
        let is_passed = rests_on.is_some_and(|fence| !of.pages().holds(fence));
        Ok(if is_passed { ReserveOutcome::Outdated } else { ReserveOutcome::Started })
    });
    ledger.expect_token().returning(|_, _| Ok(Some(secrecy::SecretString::from("a token").into())));
    let of = books.clone();
    ledger.expect_conversation_of().returning(move |_, _, _| {
        let conversation = Some(of.pages().conversation.clone());
        Ok(ConversationParts { contact: Some(a_contact()), conversation, files: Vec::new() })
    });
    let of = books.clone();
    ledger.expect_record().returning(move |_, accepted| {
        let message = accepted.result.message.clone().unwrap();
        of.pages().sent(message, accepted.accepted_at);
        Ok(Recorded::Now)
    });
    let (ledger, links) = (Arc::new(ledger), Arc::new(some_links()));
    let recorder = Arc::new(Recorder { ledger: ledger.clone(), deps: deps.clone(), links: links.clone() });
    let once = SendOnce::new(ledger.clone(), Arc::new(takes_all(books)), recorder, deps.clock.clone());
    SendReply {
        ledger,
        once: Arc::new(once),
        uploads: Arc::new(MockUploadStore::new()),
        links,
        vault: Arc::new(a_vault()),
        deps: deps.clone(),
    }
}

fn takes_all(books: &Arc<Books>) -> MockMessagingNetwork {
    let (mut network, of, sent) = (MockMessagingNetwork::new(), books.clone(), Arc::new(AtomicU64::new(0)));
    let take = move |text: String, photo, buttons| {
        let at = domain::clock::Clock::now(&*of.clock);
        of.pages().reached.push(Reached { text, photo, buttons, at });
        let id = sent.fetch_add(1, Ordering::Relaxed);
        Ok(NetworkMessageId::from(format!("wamid.{id}")))
    };
    let take_text = take.clone();
    network
        .expect_send_text()
        .returning(move |_, _, message| take_text(message.text.clone(), None, message.buttons.clone()));
    network.expect_send_photo().returning(move |_, _, message| {
        let photo = Some(message.photo.as_str().to_owned());
        take(message.caption.clone().unwrap_or_default(), photo, Vec::new())
    });
    network
}
