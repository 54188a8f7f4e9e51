//! Workspaces with channels, groups and contacts, and conversations and messages put in past the store.

use std::sync::{Arc, LazyLock};

use adapter_postgres::{Stores, testing::TestDatabase};
use domain::{
    audit::{Acting, Action, AuditEntry},
    channels::ChannelKind,
    conversation::{Conversation, ConversationStatus, Group},
    conversations::{ChangeConversation, ports::ConversationStore},
    deps::Deps,
    ids::{ContactId, ConversationId, WorkspaceId},
    messages::{Context, Marks, Message, Role},
    paging::Cursors,
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_vault},
};
use serde_json::Value;
use time::{Duration, OffsetDateTime, macros::datetime};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

/// Time of the first conversation.
pub(crate) const START: OffsetDateTime = datetime!(2026-11-21 10:00:00.000001 UTC);

/// A store with two workspaces, 1 and 2, which have the same ids inside: two members, both of whom are in the
/// first of two groups, a channel of each network and 100 contacts.
pub(crate) struct World {
    pub(crate) stores: Stores,
    pub(crate) client: Client,
    ids: Arc<SequentialIds>,
    _database: TestDatabase,
}

pub(crate) fn workspace(number: u128) -> WorkspaceId {
    Uuid::from_u128(number).into()
}

pub(crate) fn id<T: From<Uuid>>(number: u32) -> T {
    Uuid::from_u128(number.into()).into()
}

/// An operator's entry in the log.
pub(crate) fn entry(at: OffsetDateTime) -> AuditEntry {
    static IDS: LazyLock<SequentialIds> = LazyLock::new(SequentialIds::default);
    Acting::operator(workspace(1)).does(Action::AutomationChanged, at, &*IDS)
}

pub(crate) fn cursors() -> Cursors {
    Cursors { vault: Arc::new(a_vault()) }
}

pub(crate) fn contact(number: u32) -> ContactId {
    conversation(number).contact
}

pub(crate) fn group(number: u32) -> Group {
    Group { id: id(number), name: format!("group {number}") }
}

/// Conversation `number`, two of which are of one moment. With each contact there is one over each network.
pub(crate) fn conversation(number: u32) -> Conversation {
    let at = START + Duration::seconds((number / 2).into());
    let pick = |salt: u32, count: u32| (number * 7 + number / salt) % count;
    let status = match pick(5, 3) {
        0 => ConversationStatus::Bot,
        1 => ConversationStatus::Open,
        _ => ConversationStatus::Closed,
    };
    let held = status == ConversationStatus::Open && number.is_multiple_of(2);
    let networks = u32::try_from(ChannelKind::ALL.len()).unwrap();
    let channel_kind = ChannelKind::ALL.into_iter().cycle().nth(usize::try_from(number).unwrap()).unwrap();
    Conversation {
        status,
        assigned_to: held.then(|| id(1)),
        group: Some(pick(4, 3)).filter(|group| *group > 0).map(group),
        announced: number.is_multiple_of(5),
        version: i64::from(number) + 1,
        last_message_at: at + Duration::hours(1),
        ..Conversation::new(id(number), id(number / networks), id(number % networks), channel_kind, at)
    }
}

/// Message `number` of the conversation, two of which are of one moment.
pub(crate) fn message(conversation: u32, number: u32) -> Message {
    Message {
        id: id(conversation * 1_000 + number),
        conversation: id(conversation),
        role: Role::Customer,
        sender_id: None,
        content: format!("مرحبا {number}"),
        attachments: Vec::new(),
        transcription: None,
        created_at: START + Duration::seconds((number / 2).into()),
        sent_at: None,
        meta: None,
        context: Context::default(),
        marks: Marks::default(),
        system_message: None,
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        let database = TestDatabase::fresh().await;
        let ids = Arc::new(SequentialIds::default());
        let mut vault = a_vault();
        vault.expect_seal().returning(|plain, _| Ok(plain.to_vec()));
        let stores = database.stores(Arc::new(vault), ids.clone());
        let (client, connection) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(&setting()).await.unwrap();
        Self { stores, client, ids, _database: database }
    }

    /// A workspace that has these conversations.
    pub(crate) async fn with(workspace: WorkspaceId, conversations: &[Conversation]) -> Self {
        let world = Self::new().await;
        for conversation in conversations {
            world.add(workspace, conversation).await;
        }
        world
    }

    pub(crate) async fn add(&self, workspace: WorkspaceId, conversation: &Conversation) {
        let insert = "
            INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, assigned_to,
                                       group_id, announced, version, last_message_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        self.client
            .execute(
                insert,
                &[
                    &workspace.uuid(),
                    &conversation.id.uuid(),
                    &conversation.contact.uuid(),
                    &conversation.channel.uuid(),
                    &conversation.channel_kind.as_str(),
                    &conversation.status.as_str(),
                    &conversation.assigned_to.map(domain::ids::MemberId::uuid),
                    &conversation.group.as_ref().map(|group| group.id.uuid()),
                    &conversation.announced,
                    &conversation.version,
                    &conversation.last_message_at,
                    &conversation.created_at,
                ],
            )
            .await
            .unwrap();
    }

    /// Returns a node's use case for moving conversations.
    pub(crate) fn moving(&self) -> ChangeConversation {
        self.moving_by(Arc::new(ManualClock::at(START + Duration::hours(2))))
    }

    pub(crate) fn moving_by(&self, clock: Arc<ManualClock>) -> ChangeConversation {
        let mut signals = MockSignals::new();
        signals.expect_deliveries_due().return_const(());
        ChangeConversation {
            store: self.stores.conversations.clone(),
            deps: Deps { clock, ids: self.ids.clone(), signals: Arc::new(signals) },
        }
    }

    pub(crate) async fn found(&self, id: ConversationId) -> Conversation {
        ConversationStore::find(&*self.stores.conversations, workspace(1), id).await.unwrap().unwrap()
    }

    /// Registers an address of workspace 1 for an event.
    pub(crate) async fn listen(&self, event: &str) {
        self.run(&format!(
            "INSERT INTO webhook_addresses (workspace_id, id, url, events, secret_sealed, created_at)
             SELECT id(1), id(100 + count(*)::int), 'https://shop.example', '{{{event}}}', '', now()
             FROM webhook_addresses"
        ))
        .await;
    }

    /// Returns the deliveries owed to all addresses, in the order of their times.
    pub(crate) async fn owed(&self) -> Vec<Value> {
        let query = "SELECT body_sealed FROM deliveries ORDER BY created_at, id";
        let rows = self.client.query(query, &[]).await.unwrap();
        rows.iter().map(|row| serde_json::from_slice(row.get(0)).unwrap()).collect()
    }

    pub(crate) async fn run(&self, statements: &str) {
        self.client.batch_execute(statements).await.unwrap();
    }

    pub(crate) async fn write(&self, workspace: WorkspaceId, message: &Message) {
        let insert = "
            INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, template_name,
                                  template_language, reference, created_at, context)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text::jsonb)";
        let meta = message.meta.as_ref();
        self.client
            .execute(
                insert,
                &[
                    &workspace.uuid(),
                    &message.id.uuid(),
                    &message.conversation.uuid(),
                    &message.role.as_str(),
                    &message.sender_id,
                    &message.content,
                    &meta.map(|meta| &meta.template.name),
                    &meta.map(|meta| &meta.template.language),
                    &meta.and_then(|meta| meta.reference.as_ref()),
                    &message.created_at,
                    &(!message.context.is_empty()).then(|| serde_json::to_string(&message.context).unwrap()),
                ],
            )
            .await
            .unwrap();
    }
}

fn setting() -> String {
    let networks: Vec<_> = ChannelKind::ALL.iter().map(|network| format!("'{}'", network.as_str())).collect();
    SETTING.replace("NETWORKS", &format!("(ARRAY[{}])", networks.join(", ")))
}

const SETTING: &str = "
    CREATE FUNCTION id(number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT lpad(to_hex(number), 32, '0')::uuid $$;
    INSERT INTO workspaces SELECT id(w), 'w', 'ar', 'IQ', NULL, false, now() FROM generate_series(1, 2) w;
    INSERT INTO members
        SELECT id(w), id(m), m || '@example.com', 'owner', now()
        FROM generate_series(1, 2) w, generate_series(1, 2) m;
    INSERT INTO groups
        SELECT id(w), id(g), 'group ' || g, now() FROM generate_series(1, 2) w, generate_series(1, 2) g;
    INSERT INTO group_members SELECT id(w), id(1), id(m) FROM generate_series(1, 2) w, generate_series(1, 2) m;
    INSERT INTO accounts SELECT id(w), id(1), 'account', '', now(), NULL, now() FROM generate_series(1, 2) w;
    INSERT INTO channels
        SELECT id(w), id(c), NETWORKS[c + 1], id(1), 'channel ' || c, NULL, false, now(), c, NULL
        FROM generate_series(1, 2) w, generate_series(0, cardinality(NETWORKS) - 1) c;
    INSERT INTO contacts (workspace_id, id, source, created_at)
        SELECT id(w), id(c), 'messaged', now() FROM generate_series(1, 2) w, generate_series(0, 99) c;
    UPDATE contacts SET name = 'سارة', phone = '+9647701234567' WHERE id = id(0)";
