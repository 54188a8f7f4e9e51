//! A database with one workspace that has one account and one number, and operations that tests repeat.

use std::sync::{Arc, atomic::AtomicUsize, atomic::Ordering};

use adapter_postgres::{Stores, testing::TestDatabase};
use domain::{
    audit::{Acting, Action, AuditEntry},
    channels::ChannelKind,
    clock::stamp_after,
    contacts::{Contact, ContactSource},
    conversation::Conversation,
    deps::Deps,
    errors::StoreError,
    events::{Customer, Event, EventType},
    ids::{
        AccountId, ChannelId, ContactId, ConversationId, IdSource, MessageId, WebhookAddressId, WorkspaceId,
    },
    messages::{Context, Marks, Message, MessageMeta, NetworkMessageId, Role, TemplateRef},
    phone::PhoneNumber,
    sending::{
        AcceptedSend, ConversationEffect, ConversationEntry, ConversationParts, Intent, KeyClaim, Recorder,
        SendResult, TemplateSend,
        ports::{ReserveOutcome, SendLedger, SendReservation},
    },
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, some_links},
    vault::{SealContext, Vault},
    webhooks::{
        WebhookSecret,
        ports::{AddressStore, ClaimLimits, DeliveryQueue, DueDelivery, NewAddress},
    },
    workspaces::Month,
};
use time::{OffsetDateTime, macros::datetime};
use tokio_postgres::{Client, NoTls, types::ToSql};

use crate::core_tables::vault::TestVault;

pub(crate) const NOW: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);
pub(crate) const TOKEN: &str = "the account's token";

pub(crate) struct World {
    pub(crate) workspace: WorkspaceId,
    pub(crate) account: AccountId,
    pub(crate) channel: ChannelId,
    pub(crate) stores: Stores,
    pub(crate) ids: Arc<SequentialIds>,
    sql: Client,
    database: TestDatabase,
    people: AtomicUsize,
}

impl World {
    pub(crate) async fn new() -> Self {
        let database = TestDatabase::fresh().await;
        let ids = Arc::new(SequentialIds::default());
        let stores = database.stores(Arc::new(TestVault), Arc::<SequentialIds>::clone(&ids));
        let (sql, connection) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        let mut world = Self {
            workspace: ids.next().into(),
            account: ids.next().into(),
            channel: ids.next().into(),
            stores,
            ids,
            sql,
            database,
            people: AtomicUsize::new(0),
        };
        world.workspace = world.add_workspace().await;
        world.account = world.add_account(world.workspace, "waba-1").await;
        world.channel = world.add_number(world.account, "101", &phone("+9647700000001"), 0).await;
        world
    }

    /// Returns stores as of another process over the same database.
    pub(crate) fn other_node(&self) -> Stores {
        self.database.stores(Arc::new(TestVault), Arc::<SequentialIds>::clone(&self.ids))
    }

    pub(crate) async fn add_workspace(&self) -> WorkspaceId {
        let id = WorkspaceId::new(&*self.ids);
        let insert = "INSERT INTO workspaces (workspace_id, name, locale, region, created_at)
                      VALUES ($1, 'Palm Store', 'ar', 'IQ', $2)";
        self.execute(insert, &[&id.uuid(), &NOW]).await;
        id
    }

    pub(crate) async fn add_account(&self, workspace: WorkspaceId, network_id: &str) -> AccountId {
        let id = AccountId::new(&*self.ids);
        let token = TestVault
            .seal(TOKEN.as_bytes(), &SealContext::new("accounts.token_sealed", workspace, id, ""))
            .unwrap();
        let insert = "INSERT INTO accounts
                          (workspace_id, id, network_id, token_sealed, connected_at, templates_due_at)
                      VALUES ($1, $2, $3, $4, $5, $5)";
        self.execute(insert, &[&workspace.uuid(), &id.uuid(), &network_id, &token, &NOW]).await;
        id
    }

    pub(crate) async fn add_number(
        &self,
        account: AccountId,
        network_id: &str,
        phone: &PhoneNumber,
        position: i32,
    ) -> ChannelId {
        let id = ChannelId::new(&*self.ids);
        let insert = "INSERT INTO channels
                          (workspace_id, id, kind, account_id, network_id, phone, connected_at, position)
                      VALUES ($1, $2, 'whatsapp', $3, $4, $5, $6, $7)";
        let ids = (self.workspace.uuid(), id.uuid(), account.uuid());
        self.execute(insert, &[&ids.0, &ids.1, &ids.2, &network_id, &phone.as_str(), &NOW, &position]).await;
        id
    }

    /// Registers an address for these events, ten being the most.
    pub(crate) async fn subscribe(&self, events: &[EventType]) -> WebhookAddressId {
        let address = self.address(events);
        let entry = self.entry(Action::WebhookAdded, NOW);
        self.stores.webhooks.add(self.workspace, &address, 10, &entry).await.unwrap();
        address.id
    }

    pub(crate) fn address(&self, events: &[EventType]) -> NewAddress {
        let id = WebhookAddressId::new(&*self.ids);
        NewAddress {
            id,
            url: format!("https://hooks.example/{id}"),
            events: events.to_vec(),
            secret: WebhookSecret::from(format!("whsec_{id}")),
            is_once: false,
            creator: None,
        }
    }

    pub(crate) fn entry(&self, action: Action, at: OffsetDateTime) -> AuditEntry {
        Acting::operator(self.workspace).does(action, at, &*self.ids)
    }

    pub(crate) async fn logged(&self, action: Action) -> i64 {
        self.count(&format!("audit_log WHERE action = '{}'", action.as_str())).await
    }

    /// Somebody whose number nobody else has.
    pub(crate) fn somebody(&self) -> PhoneNumber {
        phone(&format!("+96477100{:05}", self.people.fetch_add(1, Ordering::Relaxed)))
    }

    /// A notice to `to` that is about to leave.
    pub(crate) fn notice(&self, to: &PhoneNumber) -> Intent {
        let template_send = TemplateSend {
            to: to.clone(),
            name: Some("Layla".to_owned()),
            content: "طلبك جاهز".to_owned(),
            author: None,
        };
        Intent { conversation_entry: ConversationEntry::TemplateSend(template_send), ..self.code() }
    }

    /// A one-time code that is about to leave.
    pub(crate) fn code(&self) -> Intent {
        Intent {
            id: MessageId::new(&*self.ids),
            workspace: self.workspace,
            channel: self.channel,
            from: Some(phone("+9647700000001")),
            template: Some(TemplateRef { name: "order_ready".to_owned(), language: "ar".to_owned() }),
            reference: Some("order-7".to_owned()),
            conversation_entry: ConversationEntry::Nothing,
            created_at: NOW,
        }
    }

    pub(crate) async fn begin(&self, intent: &Intent) {
        let begun = self.try_begin(intent, None, None).await;
        assert!(matches!(begun, ReserveOutcome::Started), "{begun:?}");
    }

    pub(crate) async fn try_begin(
        &self,
        intent: &Intent,
        key: Option<KeyClaim>,
        limit: Option<u32>,
    ) -> ReserveOutcome {
        let limit = limit.map(|limit| (Month::of(NOW), limit));
        self.stores
            .sends
            .begin(
                self.workspace,
                &SendReservation {
                    intent: intent.clone(),
                    key,
                    limit,
                    turn: domain::fence::TurnEffect::None,
                },
            )
            .await
            .unwrap()
    }

    /// Returns the acceptance of the intent, with its effect on these parts or on new ones.
    pub(crate) fn accepted(&self, intent: &Intent, parts: ConversationParts) -> AcceptedSend {
        let effect = intent.conversation_entry.template_send().map(|send| self.kept(intent, send, parts));
        let sent = |kept: &ConversationEffect| {
            Event::message_sent(kept.message.clone(), Customer::of(&kept.contact))
        };
        AcceptedSend {
            network_id: network_id(intent),
            accepted_at: NOW,
            result: SendResult {
                id: intent.id,
                from: intent.from.clone(),
                contact: effect.as_ref().map(|kept| kept.contact.id),
                conversation: effect.as_ref().map(|kept| kept.conversation.id),
                reference: intent.reference.clone(),
                message: effect.as_ref().map(|kept| kept.message.clone()),
            },
            events: effect.iter().map(sent).collect(),
            effect,
        }
    }

    fn kept(&self, intent: &Intent, send: &TemplateSend, parts: ConversationParts) -> ConversationEffect {
        let (contact_is_new, conversation_is_new) = (parts.contact.is_none(), parts.conversation.is_none());
        let contact = parts.contact.unwrap_or_else(|| Contact {
            id: ContactId::new(&*self.ids),
            name: send.name.clone(),
            phone: Some(send.to.clone()),
            source: ContactSource::Import,
            created_at: NOW,
        });
        let conversation = parts.conversation.unwrap_or_else(|| {
            let id = ConversationId::new(&*self.ids);
            Conversation::new(id, contact.id, intent.channel, ChannelKind::Whatsapp, NOW)
        });
        let message = Message {
            id: intent.id,
            conversation: conversation.id,
            role: Role::Team,
            sender_id: None,
            content: send.content.clone(),
            attachments: Vec::new(),
            transcription: None,
            created_at: stamp_after(conversation.stamped_at, NOW),
            sent_at: None,
            meta: Some(MessageMeta {
                template: intent.template.clone().unwrap(),
                reference: intent.reference.clone(),
            }),
            context: Context::default(),
            marks: Marks::default(),
            system_message: None,
        };
        ConversationEffect { contact, contact_is_new, conversation, conversation_is_new, message }
    }

    /// Begins a notice or a code and records that the network took it.
    pub(crate) async fn send(&self, intent: &Intent) -> SendResult {
        self.begin(intent).await;
        self.settle(intent).await.unwrap().unwrap()
    }

    /// Records the acceptance like the use case, which decides again after a lost race.
    pub(crate) async fn settle(&self, intent: &Intent) -> Result<Option<SendResult>, StoreError> {
        let mut signals = MockSignals::new();
        signals.expect_deliveries_due().return_const(());
        let recorder = Recorder {
            ledger: self.stores.sends.clone(),
            deps: Deps {
                clock: Arc::new(ManualClock::at(NOW)),
                ids: Arc::<SequentialIds>::clone(&self.ids),
                signals: Arc::new(signals),
            },
            links: Arc::new(some_links()),
        };
        recorder.run(intent, &network_id(intent)).await
    }

    /// Takes what is due, all of it readable.
    pub(crate) async fn claim(
        &self,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limits: &ClaimLimits,
    ) -> Vec<DueDelivery> {
        let taken = self.stores.webhooks.claim(self.workspace, now, lease_until, limits).await.unwrap();
        assert!(taken.unreadable.is_empty(), "{taken:?}");
        taken.due
    }

    pub(crate) async fn execute(&self, statement: &str, parameters: &[&(dyn ToSql + Sync)]) {
        self.sql.execute(statement, parameters).await.unwrap();
    }

    /// Counts the rows of a table or of a part of it (`deliveries WHERE state = 'held'`).
    pub(crate) async fn count(&self, rows: &str) -> i64 {
        self.sql.query_one(&format!("SELECT count(*) FROM {rows}"), &[]).await.unwrap().get(0)
    }

    pub(crate) async fn texts(&self, query: &str) -> Vec<String> {
        self.sql.query(query, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    }
}

pub(crate) fn phone(e164: &str) -> PhoneNumber {
    PhoneNumber::from_e164(e164).unwrap()
}

pub(crate) fn network_id(intent: &Intent) -> NetworkMessageId {
    NetworkMessageId::from(format!("wamid.{}", intent.id))
}

pub(crate) fn key(name: &str) -> KeyClaim {
    let hash = |purpose| TestVault.keyed_hash(purpose, name.as_bytes());
    KeyClaim { key_hash: hash("key"), request_hash: hash("request") }
}
