//! How PostgreSQL runs the statements about files when a workspace is large and others lie beside it.

use std::time::Duration;

use domain::{
    attachments::{
        AttachmentKind, ContentType, ObjectKey, StoredAttachment,
        ports::{NewUpload, UnusedUpload, UploadError, UploadLimit, UploadStore},
    },
    errors::StoreError,
    events::{Event, EventData, EventType},
    ids::{MessageId, UploadId, WorkspaceId},
    inbound::files::ports::{
        AfterFiles, AttachmentQueue, AwaitedMessage, FileOutcome, FilesChange, FilesQueue,
    },
    testing::a_vault,
};

use super::queue::{CLAIM, CLAIM_LATE};
use crate::{
    Stores,
    explained::ExplainedStore,
    seeded::{
        EVENING, Explained, assert_cheap, assert_cheap_planned_over_none, assert_ran_cheaply, id, put_back,
        seeded, seeded_with, set_aside,
    },
    sql::positional,
};

/// Every message of the seed has a file, and waits for it.
const FILES: &str = "
    INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed)
        SELECT workspace, id(7, n), 0, 'image', '' FROM row WHERE n > 1;
    INSERT INTO attachment_queue SELECT workspace, id(7, n), 0, at, at FROM row WHERE n > 1;
    INSERT INTO late_files SELECT workspace, id(7, n), 0, at, at FROM row WHERE n > 1";

const AT: &str = "'2026-11-21 20:00Z'";

fn large() -> WorkspaceId {
    id(1, 0).into()
}

fn change(message: MessageId, next: AfterFiles) -> FilesChange {
    let stored = StoredAttachment {
        kind: AttachmentKind::Image,
        key: ObjectKey::of(&a_vault(), large(), message, 0, ContentType::read("image/png")),
        content_type: ContentType::read("image/png"),
        bytes: 7,
        title: None,
    };
    let outcomes = vec![FileOutcome { position: 0, stored: Some(stored) }];
    FilesChange { message, outcomes, next }
}

#[tokio::test]
async fn waiting_messages_are_claimed_and_settled_without_reading_those_behind() {
    let (database, client) = seeded_with(FILES).await;
    let claim = positional(CLAIM);
    let claimed = format!("'{}', {AT}, 50, '2026-11-21 20:01Z'", id(1, 0));
    let statements: &[Explained<'_>] = &[(&claim, "uuid, timestamptz, bigint, timestamptz", &claimed)];
    assert_cheap(&client, 50, statements).await;
    assert_cheap_planned_over_none(&client, "attachment_queue", 50, statements).await;

    let explained = ExplainedStore::over(&database);
    // The tokens of the seed cannot be read.
    assert!(claim_from(&explained.stores, FilesQueue::ToBeTold).await.is_empty());
    settle(&explained.stores, 12_345).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;

    let explained = ExplainedStore::over(&database);
    set_aside(&client, "attachment_queue").await;
    assert!(matches!(settle(&explained.stores, 12_346).await, Err(StoreError::Stale)));
    put_back(&client, "attachment_queue").await;
    settle(&explained.stores, 12_346).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;
}

async fn claim_from(stores: &Stores, queue: FilesQueue) -> Vec<AwaitedMessage> {
    let lease_until = EVENING + Duration::from_mins(1);
    stores.attachments.claim(large(), queue, EVENING, lease_until, 50).await.unwrap()
}

/// Commits a turn that leaves a message in its queue, then the last one.
async fn settle(stores: &Stores, number: u128) -> Result<(), StoreError> {
    let message = MessageId::from(id(7, number));
    let later = stores.attachments.commit(large(), &change(message, AfterFiles::TryAt(EVENING))).await;
    let event = Event {
        kind: EventType::MessageReceived,
        created_at: EVENING,
        data: EventData::Ping { message: String::new() },
    };
    let transcription = Some("words".to_owned());
    let last = AfterFiles::Announce { transcription, event: Box::new(event), late_try: None };
    stores.attachments.commit(large(), &change(message, last)).await.and(later)
}

#[tokio::test]
async fn files_that_come_late_are_claimed_and_settled_without_reading_those_behind() {
    let (database, client) = seeded_with(FILES).await;
    let claim = positional(CLAIM_LATE);
    let claimed = format!("'{}', {AT}, 50, '2026-11-21 20:10Z'", id(1, 0));
    let statements: &[Explained<'_>] = &[(&claim, "uuid, timestamptz, bigint, timestamptz", &claimed)];
    assert_cheap(&client, 50, statements).await;
    assert_cheap_planned_over_none(&client, "late_files", 50, statements).await;

    let explained = ExplainedStore::over(&database);
    assert!(claim_from(&explained.stores, FilesQueue::Late).await.is_empty());
    settle_late(&explained.stores, 12_345).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;

    let explained = ExplainedStore::over(&database);
    set_aside(&client, "late_files").await;
    assert!(matches!(settle_late(&explained.stores, 12_346).await, Err(StoreError::Stale)));
    put_back(&client, "late_files").await;
    settle_late(&explained.stores, 12_346).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;
}

async fn settle_late(stores: &Stores, number: u128) -> Result<(), StoreError> {
    let message = MessageId::from(id(7, number));
    let next = |next_try| AfterFiles::Late { transcription: Some("words".to_owned()), next_try };
    let later = stores.attachments.commit(large(), &change(message, next(Some(EVENING)))).await;
    stores.attachments.commit(large(), &change(message, next(None))).await.and(later)
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_which_wait_for_files() {
    let (database, _client) = seeded_with(FILES).await;
    let explained = ExplainedStore::over(&database);
    for queue in [FilesQueue::ToBeTold, FilesQueue::Late] {
        assert_eq!(
            explained.stores.attachments.workspaces_with_files(queue, EVENING).await.unwrap().len(),
            401
        );
    }
    assert_ran_cheaply(&explained, 401).await;
}

#[tokio::test]
async fn a_file_that_was_brought_is_found_by_its_key_and_the_oldest_that_wait_first() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let (stores, workspace, member) = (&explained.stores, large(), id(10, 0).into());
    let png = ContentType::read("image/png");
    let new = NewUpload {
        id: id(22, 1).into(),
        member,
        kind: AttachmentKind::Image,
        content_type: png,
        title: None,
        key: ObjectKey::of_upload(&a_vault(), workspace, id(22, 1).into(), png),
        reserved: 7,
    };
    let most = |files| UploadLimit { files, bytes: 1 << 40 };
    assert_eq!(
        UploadStore::begin(&*stores.attachments, workspace, &new, EVENING, most(200)).await,
        Err(UploadError::TooMany)
    );
    assert_ran_cheaply(&explained, 200).await;
    let own = UploadId::from(id(21, 12_345));
    stores.attachments.finish(workspace, own, 7).await.unwrap();
    let found =
        UploadStore::find(&*stores.attachments, workspace, member, own, EVENING - Duration::from_hours(24))
            .await;
    // The seeded key is not valid.
    assert!(found.is_err());
    let first = stores.attachments.unused(workspace, EVENING, None, 9).await.unwrap();
    let behind = first.last().map(UnusedUpload::place);
    let next = stores.attachments.unused(workspace, EVENING, behind, 9).await.unwrap();
    assert_eq!((first.len(), next.len()), (9, 9));
    assert!(first.iter().chain(&next).all(|upload| upload.key.is_none()));
    UploadStore::remove(&*stores.attachments, workspace, own).await.unwrap();
    assert_ran_cheaply(&explained, 10).await;
    assert_eq!(stores.attachments.workspaces_with_unused(EVENING).await.unwrap().len(), 401);
    assert_ran_cheaply(&explained, 401).await;
}
