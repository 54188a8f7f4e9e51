//! Messages that wait for their files, from their recording to their event.

use std::{sync::Arc, time::Duration};

use domain::{
    attachments::{AttachmentKind, ContentType, MediaSource, ObjectKey, StoredAttachment},
    channels::ChannelKind,
    errors::StoreError,
    events::{Event, EventData, EventType},
    ids::{MessageId, WorkspaceId},
    inbound::{
        InboundMedia,
        files::ports::{
            AfterFiles, AttachmentQueue, AwaitedMessage, FileOutcome, FileState, FilesChange, FilesQueue,
        },
    },
    messages::ports::{KeptMessage, MessageStore},
    paging::{PageLimit, PageRequest},
    testing::{SequentialIds, a_vault},
    vault::MockVault,
};
use secrecy::ExposeSecret;
use time::{OffsetDateTime, macros::datetime};
use tokio_postgres::Client;
use uuid::Uuid as Id;

use super::attach_files;
use crate::{
    Stores,
    explained::client,
    schema::messages,
    sql::{RunQueryDsl, insert},
    testing::TestDatabase,
};

const NOW: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);
const WORKSPACE: Id = Id::from_u128(1);
const CONVERSATION: Id = Id::from_u128(6);

const SEED: &str = "
    CREATE FUNCTION id(number int) RETURNS uuid LANGUAGE sql AS $$
        SELECT lpad(to_hex(number), 32, '0')::uuid $$;
    INSERT INTO workspaces SELECT id(1), 'w', 'ar', 'IQ', NULL, false, now();
    INSERT INTO accounts SELECT id(1), id(2), 'page', '\\x746f6b656e', now(), NULL, now();
    INSERT INTO channels
        SELECT id(1), id(3), 'messenger', id(2), 'page', NULL, false, now(), 0, NULL;
    INSERT INTO contacts (workspace_id, id, name, source, created_at)
        SELECT id(1), id(5), 'سارة', 'messaged', now();
    INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
        SELECT id(1), id(6), id(5), id(3), 'messenger', 'bot', now(), now();
    INSERT INTO webhook_addresses
        SELECT id(1), id(4), 'https://n.example', '{message.received}', '', 'enabled', 0, NULL, now();";

/// Seals by leaving as it is.
fn open_vault() -> MockVault {
    let mut vault = MockVault::new();
    vault.expect_seal().returning(|plain, _| Ok(plain.to_vec()));
    vault.expect_open().returning(|sealed, _| Ok(sealed.to_vec()));
    vault
}

struct World {
    stores: Stores,
    client: Client,
    _database: TestDatabase,
}

impl World {
    async fn new() -> Self {
        let database = TestDatabase::fresh().await;
        let stores = database.stores(Arc::new(open_vault()), Arc::new(SequentialIds::default()));
        let client = client(&database).await;
        client.batch_execute(SEED).await.unwrap();
        Self { stores, client, _database: database }
    }

    async fn record(&self, with_files: &[(u128, &[InboundMedia])]) {
        let recorded: Vec<MessageId> = with_files.iter().map(|(number, _)| message(*number)).collect();
        let transaction = self.stores.database.transaction().await.unwrap();
        let recorded = insert(messages::table, workspace(), &recorded)
            .column(messages::id, |id| id.uuid())
            .column(messages::conversation_id, |_| CONVERSATION)
            .column(messages::role, |_| "customer")
            .column(messages::content, |_| "see")
            .column(messages::created_at, |_| NOW)
            .on_conflict_do_nothing()
            .returning(messages::id)
            .load::<Id>(&mut &*transaction);
        let recorded = transaction.begin_with(recorded).await.unwrap();
        let new = with_files.iter().filter(|(number, _)| recorded.contains(&Id::from_u128(*number)));
        let file = |(number, files): &(u128, &[InboundMedia])| {
            self.stores.database.files_to_fetch(workspace(), message(*number), NOW, files).unwrap()
        };
        let files: Vec<_> = new.flat_map(file).collect();
        let mut flight = transaction.flight();
        attach_files(&mut flight, workspace(), &files);
        transaction.commit_with(flight.counts()).await.unwrap();
    }

    async fn claim(&self, now: OffsetDateTime, limit: u32) -> Vec<AwaitedMessage> {
        self.claim_from(FilesQueue::ToBeTold, now, limit).await
    }

    async fn claim_from(&self, queue: FilesQueue, now: OffsetDateTime, limit: u32) -> Vec<AwaitedMessage> {
        self.stores
            .attachments
            .claim(workspace(), queue, now, now + Duration::from_mins(1), limit)
            .await
            .unwrap()
    }

    /// The message's files as they are shown.
    async fn shown(&self) -> KeptMessage {
        let page = PageRequest { after: None, limit: PageLimit::default() };
        self.stores.messages.list(workspace(), CONVERSATION.into(), page).await.unwrap().unwrap().remove(0)
    }

    async fn count(&self, table: &str) -> i64 {
        self.client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
    }
}

fn workspace() -> WorkspaceId {
    WORKSPACE.into()
}

fn message(number: u128) -> MessageId {
    Id::from_u128(number).into()
}

fn file(url: &str) -> InboundMedia {
    InboundMedia {
        kind: AttachmentKind::Image,
        source: MediaSource::Url(url.to_owned()),
        content_type: Some("image/jpeg".to_owned()),
        title: Some("a\0b".to_owned()),
        sha256: Some(vec![1, 2]),
        voice: false,
    }
}

fn stored(number: u128, position: u16) -> FileOutcome {
    let jpeg = ContentType::read("image/jpeg");
    let stored = StoredAttachment {
        kind: AttachmentKind::Image,
        key: ObjectKey::of(&a_vault(), workspace(), message(number), position, jpeg),
        content_type: jpeg,
        bytes: 3,
        title: Some("ab".to_owned()),
    };
    FileOutcome { position, stored: Some(stored) }
}

fn given_up(position: u16) -> FileOutcome {
    FileOutcome { position, stored: None }
}

fn change(awaited: &AwaitedMessage, outcomes: Vec<FileOutcome>, next: AfterFiles) -> FilesChange {
    FilesChange { message: awaited.message.id, outcomes, next }
}

fn announce(awaited: &AwaitedMessage) -> AfterFiles {
    let message = Box::new(awaited.message.clone());
    let data = EventData::Message { message, customer: awaited.customer.clone() };
    let event = Event { kind: EventType::MessageReceived, created_at: NOW, data };
    AfterFiles::Announce { transcription: Some("words".to_owned()), event: Box::new(event), late_try: None }
}

#[tokio::test]
async fn a_recorded_message_waits_with_all_that_fetching_its_files_needs() {
    let world = World::new().await;
    world.record(&[(10, &[file("https://one"), file("https://two")]), (11, &[])]).await;
    assert_eq!(
        world.stores.attachments.workspaces_with_files(FilesQueue::ToBeTold, NOW).await.unwrap(),
        [workspace()]
    );
    let claimed = world.claim(NOW, 10).await;
    let [awaited] = claimed.as_slice() else { panic!("{claimed:?}") };
    assert_eq!(awaited.message.id, message(10));
    assert_eq!(awaited.message.conversation, CONVERSATION.into());
    assert_eq!(awaited.customer.name.as_deref(), Some("سارة"));
    assert_eq!(awaited.origin.channel, ChannelKind::Messenger);
    assert_eq!(awaited.origin.channel_network_id, "page");
    assert_eq!(awaited.origin.token.expose_secret(), "token");
    assert_eq!((awaited.attempt, awaited.recorded_at), (1, NOW));
    let urls = awaited.files.iter().map(|file| (file.position, file.title.clone(), file.state.clone()));
    let pending = |url: &str| FileState::Pending {
        source: MediaSource::Url(url.to_owned()),
        content_type: Some("image/jpeg".to_owned()),
        sha256: Some(vec![1, 2]),
    };
    let title = Some("ab".to_owned());
    assert_eq!(
        urls.collect::<Vec<_>>(),
        [(0, title.clone(), pending("https://one")), (1, title, pending("https://two"))]
    );
}

#[tokio::test]
async fn a_message_that_is_recorded_again_waits_once() {
    let world = World::new().await;
    for _ in 0..2 {
        world.record(&[(10, &[file("https://one")])]).await;
    }
    assert_eq!((world.count("attachments").await, world.count("attachment_queue").await), (1, 1));
}

#[tokio::test]
async fn a_message_in_hand_is_nobody_else_s_until_its_lease_runs_out() {
    let world = World::new().await;
    world.record(&[(10, &[file("https://one")]), (11, &[file("https://one")])]).await;
    assert_eq!(world.claim(NOW, 1).await.len(), 1);
    assert_eq!(world.claim(NOW, 10).await.len(), 1);
    assert!(world.claim(NOW, 10).await.is_empty());
    assert!(
        world.stores.attachments.workspaces_with_files(FilesQueue::ToBeTold, NOW).await.unwrap().is_empty()
    );
    let later = world.claim(NOW + Duration::from_mins(1), 10).await;
    assert_eq!(later.iter().map(|awaited| awaited.attempt).collect::<Vec<_>>(), [2, 2]);
}

#[tokio::test]
async fn what_is_kept_in_one_turn_stays_kept_while_the_rest_is_tried_again() {
    let world = World::new().await;
    world.record(&[(10, &[file("https://one"), file("https://two")])]).await;
    let awaited = world.claim(NOW, 1).await.remove(0);
    let later = NOW + Duration::from_secs(1);
    world
        .stores
        .attachments
        .commit(workspace(), &change(&awaited, vec![stored(10, 1)], AfterFiles::TryAt(later)))
        .await
        .unwrap();
    assert_eq!(world.count("deliveries").await, 0);
    assert!(world.claim(NOW, 1).await.is_empty());
    let awaited = world.claim(later, 1).await.remove(0);
    assert!(matches!(awaited.files[0].state, FileState::Pending { .. }));
    assert_eq!(awaited.files[1].state, FileState::Stored(stored(10, 1).stored.unwrap()));
}

#[tokio::test]
async fn the_last_outcome_ends_the_waiting_and_owes_the_event_once() {
    let world = World::new().await;
    world.record(&[(10, &[file("https://one"), file("https://two")])]).await;
    let awaited = world.claim(NOW, 1).await.remove(0);
    let last = change(&awaited, vec![stored(10, 0), given_up(1)], announce(&awaited));
    world.stores.attachments.commit(workspace(), &last).await.unwrap();
    assert_eq!((world.count("deliveries").await, world.count("attachment_queue").await), (1, 0));
    let row = "SELECT string_agg(state, ' ' ORDER BY position), count(source_sealed) FROM attachments";
    let row = world.client.query_one(row, &[]).await.unwrap();
    assert_eq!((row.get::<_, &str>(0), row.get::<_, i64>(1)), ("stored given_up", 0));
    let row = world.client.query_one("SELECT transcription FROM messages", &[]).await.unwrap();
    assert_eq!(row.get::<_, Option<&str>>(0), Some("words"));

    assert!(matches!(world.stores.attachments.commit(workspace(), &last).await, Err(StoreError::Stale)));
    let late = change(&awaited, vec![stored(10, 1)], AfterFiles::TryAt(NOW));
    assert!(matches!(world.stores.attachments.commit(workspace(), &late).await, Err(StoreError::Stale)));
    assert_eq!(world.count("deliveries").await, 1);
    assert_eq!(world.count("attachments WHERE state = 'stored'").await, 1);
}

#[tokio::test]
async fn a_file_that_comes_late_is_shown_then_and_missed_until_then() {
    let world = World::new().await;
    world.record(&[(10, &[file("https://one"), file("https://two")])]).await;
    let awaited = world.claim(NOW, 1).await.remove(0);
    let shown = world.shown().await;
    assert_eq!(
        (shown.missing, shown.awaited),
        (vec![], vec![AttachmentKind::Image; 2]),
        "they are waited for"
    );

    let late_try = Some(NOW + Duration::from_mins(1));
    let AfterFiles::Announce { transcription, event, .. } = announce(&awaited) else {
        panic!("the event is told")
    };
    let told = AfterFiles::Announce { transcription, event, late_try };
    world.stores.attachments.commit(workspace(), &change(&awaited, vec![given_up(1)], told)).await.unwrap();
    assert_eq!((world.count("deliveries").await, world.count("attachment_queue").await), (1, 0));
    let shown = world.shown().await;
    assert_eq!((shown.missing, shown.awaited), (vec![AttachmentKind::Image; 2], vec![]));

    assert!(world.claim_from(FilesQueue::Late, NOW, 10).await.is_empty());
    let due = NOW + Duration::from_mins(1);
    let waiting = world.stores.attachments.workspaces_with_files(FilesQueue::Late, due).await.unwrap();
    assert_eq!(waiting, [workspace()]);
    let late = world.claim_from(FilesQueue::Late, due, 10).await.remove(0);
    assert_eq!((late.queue, late.attempt, late.recorded_at), (FilesQueue::Late, 1, NOW));
    assert!(matches!(late.files[0].state, FileState::Pending { .. }), "{:?}", late.files);
    assert_eq!(late.files[1].state, FileState::GivenUp);
    let again = AfterFiles::Late { transcription: None, next_try: Some(due) };
    world.stores.attachments.commit(workspace(), &change(&late, Vec::new(), again)).await.unwrap();
    assert_eq!(world.count("live_changes WHERE kind = 'message.changed'").await, 1, "nothing has come");

    let come = AfterFiles::Late { transcription: Some("more".to_owned()), next_try: None };
    let come = change(&late, vec![stored(10, 0)], come);
    world.stores.attachments.commit(workspace(), &come).await.unwrap();
    let shown = world.shown().await;
    assert_eq!((shown.files.len(), shown.missing.as_slice()), (1, [AttachmentKind::Image].as_slice()));
    assert_eq!(shown.message.transcription.as_deref(), Some("words\nmore"));
    assert_eq!(world.count("live_changes WHERE kind = 'message.changed'").await, 2, "browsers are told");
    assert_eq!((world.count("late_files").await, world.count("deliveries").await), (0, 1));
    assert!(matches!(world.stores.attachments.commit(workspace(), &come).await, Err(StoreError::Stale)));
}
