//! Stores behind the dashboard, which are hardly called.

use std::sync::Arc;

use adapter_http::{
    Assistant, Broadcasts, Channels, Consent, Dashboard, Directory, LiveHub, Resets, Systems, Webhooks,
};
use domain::{
    access::{
        IssueKey, ListKeys, RevokeKey,
        members::{
            AcceptInvitation, Invitations, Members,
            ports::{MockInvitationStore, MockMemberStore},
        },
        ports::MockKeyStore,
        resets::{
            AskReset, CompleteReset, ResetPolicy,
            ports::{MockResetStore, ResetStore},
        },
        sessions::{
            Attempts, ChangePassword, Refusals, SecondFactor, Sessions, SignIn,
            ports::{MockOneTimePasswords, MockPasswordHasher, MockSessionStore, SessionStore},
        },
    },
    appointments::{RequestBooking, ports::MockBookingRequestStore},
    assistant::{
        ManageAssistant, ManageModelKey, ReadTurns, TryAssistant,
        ports::{MockAssistantStore, MockModelKeyStore, MockTokenBudget, MockTools, MockTurnLog},
        rehearsal::{
            ManageQuestions, ManageRehearsals, ReadHandOvers,
            ports::{MockHandOverLog, MockRehearsalStore, MockTestQuestionStore},
        },
    },
    attachments::{
        TakeUpload,
        ports::{MockObjectStore, MockUploadStore},
    },
    audit::{ListAudit, MockAuditStore},
    automations::{ManageAutomations, ports::MockAutomationStore},
    broadcasts::{
        Audiences, BroadcastLists, ExportPeople, ManageBroadcasts, MarketingStops, PreviewBroadcast,
        TryBroadcast,
        ports::{
            MockBroadcastListStore, MockBroadcastStore, MockMarketingStopStore, MockMessagingLimitStore,
        },
    },
    canned_replies::{CannedReplies, ports::MockCannedReplyStore},
    catalogue::{BrowseCatalogue, ManageSynonyms, ShowProduct, ports::MockSynonymStore, search::Synonyms},
    channels::{
        ConnectAccount, ConnectChosen, ConnectPage, ManageAccounts, OpenToken, RegisterNumber, SetSendOnly,
        SignUp, SyncNumbers,
        ports::{
            MockAccountStore, MockChannelHealth, MockNetworkAccounts, MockNetworkPages, MockNetworkSignUp,
            MockNetworkTokens, MockNumberRegistration, MockPageStore, MockSignUpStates, MockUnreadUpdates,
        },
    },
    consent::{
        ManageDrafts, ProposeDraft, SendPrepared,
        ports::{MockDraftStore, MockPreparedReplies},
    },
    contacts::{
        ImportContacts, ImportJobs,
        directory::{ExportContacts, ListDirectory},
        ports::{MockContactDirectory, MockContactStore, MockImportJobStore},
    },
    conversations::{
        TellRead,
        inbox::{CountInbox, ListInbox, MarkSeen},
        ports::{InboxLists, MockInboxLists, MockNetworkReceipts, MockReceiptStore},
    },
    customer_records::{
        CaptureLead, LookUpCustomer,
        ports::{MockCustomerStore, MockLeadStore},
    },
    deps::Deps,
    groups::{Groups, ports::MockGroupStore},
    knowledge::{
        ManageKnowledge,
        ports::{MockKnowledgeStore, MockPdfReader},
    },
    live::{FollowFeed, ports::MockLiveStore},
    messages::{SearchMessages, ports::MockMessageSearchStore},
    notes::{Notes, ports::MockNoteStore},
    paging::Cursors,
    presence::{WatchConversation, ports::MockPresenceStore},
    removal::RemoveMember,
    sending::{
        ListContactTemplates, ListConversationTemplates, SendInConversation, SendReply, SendTemplate,
        SendToContact, ports::MockSendLedger,
    },
    signals::MockSignals,
    systems::{
        CallSystem, ConnectSystem, ManageSystem, RecordCall,
        ports::{MockCallLog, MockCustomSystem, MockSystemAddresses, MockSystemStore},
    },
    templates::{
        LabelVariables, SyncAccount, WriteTemplates,
        ports::{MockNetworkTemplates, MockTemplateStore},
    },
    testing::{ManualClock, SequentialIds, deps_of},
    vault::MockVault,
    webhooks::{
        ExplainMessage, ManageAddresses, ReadDeliveries, RegisterAddress, ResendDeliveries,
        ports::{MockAddressGuard, MockAddressStore, MockDeliveryLog, MockMessageLives},
    },
    workspaces::{
        ChangeWorkspace, CountUsage, ShowUsage,
        ports::{MockUsageDays, MockWorkspaceStore},
    },
};

fn take_upload(vault: &Arc<MockVault>, clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> TakeUpload {
    TakeUpload {
        store: Arc::new(MockUploadStore::new()),
        objects: Arc::new(MockObjectStore::new()),
        vault: vault.clone(),
        deps: deps_of(clock.clone(), ids.clone()),
    }
}

fn list_audit(vault: &Arc<MockVault>) -> ListAudit {
    ListAudit { store: Arc::new(MockAuditStore::new()), cursors: Cursors { vault: vault.clone() } }
}

fn tell_read(clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> TellRead {
    TellRead {
        store: Arc::new(MockReceiptStore::new()),
        network: Arc::new(MockNetworkReceipts::new()),
        deps: deps_of(clock.clone(), ids.clone()),
    }
}

fn import_jobs(clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> ImportJobs {
    ImportJobs { store: Arc::new(MockImportJobStore::new()), import: import_contacts(clock, ids) }
}

/// Makes the dashboard's use cases over sessions and workspaces; nothing else is called.
#[expect(clippy::too_many_lines, reason = "it names each use case once")]
pub(super) fn dashboard(
    sessions: MockSessionStore,
    ((send_in_conversation, list_conversation_templates), reply): (
        (SendInConversation, ListConversationTemplates),
        Arc<SendReply>,
    ),
    workspaces: &Arc<MockWorkspaceStore>,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Dashboard {
    let store: Arc<dyn SessionStore> = Arc::new(sessions);
    let keys = Arc::new(MockKeyStore::new());
    let lists: Arc<dyn InboxLists> = Arc::new(MockInboxLists::new());
    let (passwords, codes) = (Arc::new(MockPasswordHasher::new()), Arc::new(MockOneTimePasswords::new()));
    let attempts = Attempts { store: store.clone(), vault: vault.clone(), clock: clock.clone() };
    let systems = systems(vault, clock, ids);
    Dashboard {
        resets: resets(&attempts, &passwords, vault, clock, ids),
        sign_in: SignIn {
            store: store.clone(),
            workspaces: workspaces.clone(),
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            codes: codes.clone(),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        refusals: Refusals {
            store: store.clone(),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        sessions: Sessions {
            store: store.clone(),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        change_password: ChangePassword {
            store: store.clone(),
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        second_factor: SecondFactor {
            store,
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            codes,
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        members: Members {
            store: Arc::new(MockMemberStore::new()),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        remove_member: RemoveMember {
            members: Arc::new(MockMemberStore::new()),
            keys: Arc::new(MockKeyStore::new()),
            addresses: Arc::new(MockAddressStore::new()),
            systems: Arc::new(MockSystemStore::new()),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        invitations: invitations(&attempts, vault, clock, ids),
        accept_invitation: AcceptInvitation {
            store: Arc::new(MockInvitationStore::new()),
            passwords,
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        change_workspace: ChangeWorkspace {
            store: workspaces.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        count_usage: CountUsage { store: Arc::new(MockUsageDays::new()), clock: clock.clone() },
        show_usage: ShowUsage { store: workspaces.clone(), clock: clock.clone() },
        list_keys: ListKeys { keys: keys.clone() },
        issue_key: IssueKey {
            keys: keys.clone(),
            workspaces: workspaces.clone(),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        revoke_key: RevokeKey { keys, deps: deps_of(clock.clone(), ids.clone()) },
        groups: Groups { store: Arc::new(MockGroupStore::new()), deps: deps_of(clock.clone(), ids.clone()) },
        notes: notes(vault, clock, ids),
        presence: WatchConversation { store: Arc::new(MockPresenceStore::new()), clock: clock.clone() },
        broadcasts: broadcasts(&send_in_conversation.send, vault, clock, ids),
        canned_replies: canned_replies(clock, ids),
        directory: directory(&send_in_conversation, vault, clock, ids),
        automations: automations(clock, ids),
        list_inbox: ListInbox { store: lists.clone(), cursors: Cursors { vault: vault.clone() } },
        send_in_conversation,
        list_conversation_templates,
        take_upload: take_upload(vault, clock, ids),
        live: live(clock, ids),
        explain_message: ExplainMessage { store: Arc::new(MockMessageLives::new()) },
        search_messages: SearchMessages {
            store: Arc::new(MockMessageSearchStore::new()),
            cursors: Cursors { vault: vault.clone() },
        },
        mark_seen: MarkSeen { store: lists.clone() },
        tell_read: tell_read(clock, ids),
        count_inbox: CountInbox { store: lists },
        channels: channels(workspaces, clock, ids),
        show_product: ShowProduct { browse: systems.browse.clone(), reply: reply.clone() },
        systems,
        assistant: assistant(vault, clock, ids),
        consent: consent(reply, vault, clock, ids),
        webhooks: webhooks(vault, clock, ids),
        import_contacts: import_contacts(clock, ids),
        import_jobs: import_jobs(clock, ids),
        import_limit: 1024,
        list_audit: list_audit(vault),
        workspaces: workspaces.clone(),
    }
}

fn invitations(
    attempts: &Attempts,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Invitations {
    Invitations {
        store: Arc::new(MockInvitationStore::new()),
        attempts: attempts.clone(),
        vault: vault.clone(),
        mailer: None,
        public_url: "http://127.0.0.1".parse().unwrap(),
        deps: deps_of(clock.clone(), ids.clone()),
    }
}

fn directory(
    conversations: &SendInConversation,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Directory {
    let contacts = Arc::new(MockContactStore::new());
    let store = Arc::new(MockContactDirectory::new());
    let deps = deps_of(clock.clone(), ids.clone());
    Directory {
        list: ListDirectory { store: store.clone(), cursors: Cursors { vault: vault.clone() } },
        export: ExportContacts {
            store,
            audit: Arc::new(MockAuditStore::new()),
            members: Arc::new(MockMemberStore::new()),
            deps: deps.clone(),
        },
        send: SendToContact {
            contacts: contacts.clone(),
            ledger: conversations.ledger.clone(),
            once: conversations.once.clone(),
            send: conversations.send.clone(),
            vault: conversations.vault.clone(),
            log: conversations.log.clone(),
            deps,
        },
        templates: ListContactTemplates { contacts, templates: Arc::new(MockTemplateStore::new()) },
    }
}

fn import_contacts(clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> ImportContacts {
    let (store, audit) = (Arc::new(MockContactStore::new()), Arc::new(MockAuditStore::new()));
    let members = Arc::new(MockMemberStore::new());
    ImportContacts { store, audit, members, deps: deps_of(clock.clone(), ids.clone()) }
}

fn automations(clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> ManageAutomations {
    let store = Arc::new(MockAutomationStore::new());
    let (groups, members) = (Arc::new(MockGroupStore::new()), Arc::new(MockMemberStore::new()));
    ManageAutomations { store, groups, members, deps: deps_of(clock.clone(), ids.clone()) }
}

/// Makes the use cases of accounts over stores and networks that are not called.
fn channels(
    workspaces: &Arc<MockWorkspaceStore>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Channels {
    let (store, network) = (Arc::new(MockAccountStore::new()), Arc::new(MockNetworkAccounts::new()));
    let sync = Arc::new(SyncAccount {
        accounts: store.clone(),
        templates: Arc::new(MockTemplateStore::new()),
        network: Arc::new(MockNetworkTemplates::new()),
        health: Arc::new(MockChannelHealth::new()),
        numbers: SyncNumbers { store: store.clone(), network: network.clone(), clock: clock.clone() },
        deps: deps_of(clock.clone(), ids.clone()),
    });
    let connect_account = ConnectAccount {
        store: store.clone(),
        workspaces: workspaces.clone(),
        network: network.clone(),
        deps: deps_of(clock.clone(), ids.clone()),
    };
    let connect_page = ConnectPage {
        store: Arc::new(MockPageStore::new()),
        workspaces: workspaces.clone(),
        network: Arc::new(MockNetworkPages::new()),
        deps: deps_of(clock.clone(), ids.clone()),
    };
    Channels {
        sign_up: SignUp {
            dialog: None,
            states: Arc::new(MockSignUpStates::new()),
            network: Arc::new(MockNetworkSignUp::new()),
            vault: Arc::new(MockVault::new()),
            clock: clock.clone(),
        },
        open_token: OpenToken {
            tokens: Arc::new(MockNetworkTokens::new()),
            accounts: network.clone(),
            pages: Arc::new(MockNetworkPages::new()),
            store: store.clone(),
            vault: Arc::new(MockVault::new()),
            clock: clock.clone(),
        },
        connect_chosen: ConnectChosen {
            accounts: connect_account.clone(),
            pages: connect_page.clone(),
            network: Arc::new(MockNetworkPages::new()),
            tokens: Arc::new(MockNetworkTokens::new()),
            vault: Arc::new(MockVault::new()),
            clock: clock.clone(),
        },
        connect_account,
        connect_page,
        manage: ManageAccounts {
            store: store.clone(),
            health: Arc::new(MockChannelHealth::new()),
            unread: Arc::new(MockUnreadUpdates::new()),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        register_number: RegisterNumber {
            accounts: store.clone(),
            health: Arc::new(MockChannelHealth::new()),
            network: Arc::new(MockNumberRegistration::new()),
            log: Arc::new(MockAuditStore::new()),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        set_send_only: SetSendOnly {
            accounts: store.clone(),
            workspaces: workspaces.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        label_variables: LabelVariables {
            store: Arc::new(MockTemplateStore::new()),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        write_templates: WriteTemplates {
            accounts: store.clone(),
            templates: Arc::new(MockTemplateStore::new()),
            network: Arc::new(MockNetworkTemplates::new()),
            uploads: Arc::new(MockUploadStore::new()),
            sync: sync.clone(),
            label: LabelVariables {
                store: Arc::new(MockTemplateStore::new()),
                deps: deps_of(clock.clone(), ids.clone()),
            },
            log: Arc::new(MockAuditStore::new()),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        sync,
    }
}

/// Makes the use cases of systems over stores that are not called.
fn systems(vault: &Arc<MockVault>, clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> Systems {
    let record = RecordCall {
        store: Arc::new(MockSystemStore::new()),
        log: Arc::new(MockCallLog::new()),
        deps: deps_of(clock.clone(), ids.clone()),
    };
    let (system, addresses) = (Arc::new(MockCustomSystem::new()), Arc::new(MockSystemAddresses::new()));
    let cursors = Cursors { vault: vault.clone() };
    let call = CallSystem { system: system.clone(), record: record.clone() };
    let synonyms = Arc::new(ManageSynonyms {
        store: Arc::new(MockSynonymStore::new()),
        shipped: Synonyms::default(),
        deps: deps_of(clock.clone(), ids.clone()),
    });
    Systems {
        browse: BrowseCatalogue { systems: call.clone(), synonyms: synonyms.clone() },
        synonyms,
        look_up: LookUpCustomer { systems: call, customers: Arc::new(MockCustomerStore::new()) },
        capture_lead: CaptureLead {
            leads: Arc::new(MockLeadStore::new()),
            customers: Arc::new(MockCustomerStore::new()),
            systems: Arc::new(MockSystemStore::new()),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        connect: ConnectSystem { system: system.clone(), addresses, record: record.clone() },
        manage: Arc::new(ManageSystem { system, record, cursors }),
    }
}

/// Makes the use cases of notes over stores that are not called.
fn notes(vault: &Arc<MockVault>, clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> Notes {
    Notes {
        store: Arc::new(MockNoteStore::new()),
        cursors: Cursors { vault: vault.clone() },
        deps: deps_of(clock.clone(), ids.clone()),
    }
}

fn broadcasts(
    send: &Arc<SendTemplate>,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Broadcasts {
    let deps = deps_of(clock.clone(), ids.clone());
    let (store, stops) = (Arc::new(MockBroadcastStore::new()), Arc::new(MockMarketingStopStore::new()));
    let lists = Arc::new(MockBroadcastListStore::new());
    let members = Arc::new(MockMemberStore::new());
    let directory = Arc::new(MockContactDirectory::new());
    let usage = ShowUsage { store: Arc::new(MockWorkspaceStore::new()), clock: clock.clone() };
    let audiences = Audiences { store: store.clone(), lists: lists.clone(), directory };
    Broadcasts {
        trial: TryBroadcast {
            store: store.clone(),
            audiences: audiences.clone(),
            ledger: Arc::new(MockSendLedger::new()),
            send: Arc::clone(send),
            ids: ids.clone(),
        },
        manage: ManageBroadcasts {
            store: store.clone(),
            preview: PreviewBroadcast {
                audiences,
                stops: stops.clone(),
                ledger: Arc::new(MockSendLedger::new()),
                limits: Arc::new(MockMessagingLimitStore::new()),
                usage,
                ids: ids.clone(),
            },
            cursors: Cursors { vault: vault.clone() },
            deps: deps.clone(),
        },
        lists: BroadcastLists {
            store: lists,
            contacts: Arc::new(MockContactStore::new()),
            members: members.clone(),
            deps: deps.clone(),
        },
        export: ExportPeople { store, audit: Arc::new(MockAuditStore::new()), members, deps: deps.clone() },
        stops: MarketingStops { store: stops, contacts: Arc::new(MockContactStore::new()), deps },
    }
}

fn canned_replies(clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> CannedReplies {
    let deps = deps_of(clock.clone(), ids.clone());
    CannedReplies { store: Arc::new(MockCannedReplyStore::new()), deps }
}

fn assistant(vault: &Arc<MockVault>, clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> Assistant {
    let deps = deps_of(clock.clone(), ids.clone());
    let record = RecordCall {
        store: Arc::new(MockSystemStore::new()),
        log: Arc::new(MockCallLog::new()),
        deps: deps.clone(),
    };
    let settings = Arc::new(MockAssistantStore::new());
    let knowledge = Arc::new(MockKnowledgeStore::new());
    Assistant {
        manage: ManageAssistant {
            store: settings.clone(),
            contacts: Arc::new(MockContactStore::new()),
            model: None,
            rehearsals: rehearsals(&deps),
            price: None,
            deps: deps.clone(),
        },
        knowledge: ManageKnowledge {
            store: knowledge.clone(),
            pdfs: Arc::new(MockPdfReader::new()),
            deps: deps.clone(),
        },
        questions: ManageQuestions { store: Arc::new(MockTestQuestionStore::new()), deps: deps.clone() },
        rehearsals: rehearsals(&deps),
        hand_overs: ReadHandOvers { log: Arc::new(MockHandOverLog::new()), clock: clock.clone() },
        key: ManageModelKey { keys: Arc::new(MockModelKeyStore::new()), allowed: false, deps },
        try_out: TryAssistant {
            settings,
            budget: Arc::new(MockTokenBudget::new()),
            systems: CallSystem { system: Arc::new(MockCustomSystem::new()), record },
            knowledge,
            workspaces: Arc::new(MockWorkspaceStore::new()),
            model: None,
            tools: Arc::new(MockTools::new()),
            clock: clock.clone(),
            ids: ids.clone(),
        },
        read: ReadTurns {
            log: Arc::new(MockTurnLog::new()),
            cursors: Cursors { vault: vault.clone() },
            clock: clock.clone(),
        },
    }
}

fn rehearsals(deps: &Deps) -> ManageRehearsals {
    ManageRehearsals {
        store: Arc::new(MockRehearsalStore::new()),
        questions: Arc::new(MockTestQuestionStore::new()),
        settings: Arc::new(MockAssistantStore::new()),
        knowledge: Arc::new(MockKnowledgeStore::new()),
        turns: Arc::new(MockTurnLog::new()),
        workspaces: Arc::new(MockWorkspaceStore::new()),
        model: None,
        deps: deps.clone(),
    }
}

fn consent(
    reply: Arc<SendReply>,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Consent {
    let deps = deps_of(clock.clone(), ids.clone());
    let record = RecordCall {
        store: Arc::new(MockSystemStore::new()),
        log: Arc::new(MockCallLog::new()),
        deps: deps.clone(),
    };
    let (drafts, customers) = (Arc::new(MockDraftStore::new()), Arc::new(MockCustomerStore::new()));
    Consent {
        propose: ProposeDraft {
            systems: CallSystem { system: Arc::new(MockCustomSystem::new()), record },
            customers: customers.clone(),
            contacts: Arc::new(MockContactStore::new()),
            drafts: drafts.clone(),
            prepared: SendPrepared {
                replies: Arc::new(MockPreparedReplies::new()),
                reply,
                clock: clock.clone(),
            },
            vault: vault.clone(),
            deps: deps.clone(),
        },
        manage: ManageDrafts { drafts, customers: customers.clone(), deps: deps.clone() },
        request_booking: RequestBooking {
            requests: Arc::new(MockBookingRequestStore::new()),
            customers,
            systems: Arc::new(MockSystemStore::new()),
            vault: vault.clone(),
            deps,
        },
    }
}

/// Makes the use cases of webhooks over stores that are not called.
fn webhooks(vault: &Arc<MockVault>, clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> Webhooks {
    let (store, log) = (Arc::new(MockAddressStore::new()), Arc::new(MockDeliveryLog::new()));
    let signals = Arc::new(MockSignals::new());
    Webhooks {
        register: RegisterAddress {
            store: store.clone(),
            guard: Arc::new(MockAddressGuard::new()),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        manage: ManageAddresses {
            store,
            attempts: Arc::new(MockSessionStore::new()),
            vault: vault.clone(),
            deps: Deps { clock: clock.clone(), ids: ids.clone(), signals: signals.clone() },
        },
        read: ReadDeliveries { log: log.clone(), cursors: Cursors { vault: vault.clone() } },
        resend: ResendDeliveries { log, deps: Deps { clock: clock.clone(), ids: ids.clone(), signals } },
    }
}

/// Makes a hub that nobody listens to.
fn live(clock: &Arc<ManualClock>, ids: &Arc<SequentialIds>) -> Arc<LiveHub> {
    let mut store = MockLiveStore::new();
    store.expect_position().returning(|_, _| Ok(None));
    let store = Arc::new(store);
    Arc::new(LiveHub::new(FollowFeed { store, deps: deps_of(clock.clone(), ids.clone()) }, clock.clone()))
}

fn resets(
    attempts: &Attempts,
    passwords: &Arc<MockPasswordHasher>,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Resets {
    let store: Arc<dyn ResetStore> = Arc::new(MockResetStore::new());
    Resets {
        ask: AskReset {
            store: store.clone(),
            attempts: attempts.clone(),
            mailer: None,
            vault: vault.clone(),
            public_url: "http://127.0.0.1".parse().unwrap(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        complete: CompleteReset {
            store: store.clone(),
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        },
        policy: ResetPolicy { store, deps: deps_of(clock.clone(), ids.clone()) },
    }
}
