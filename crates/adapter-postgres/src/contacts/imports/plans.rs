//! How PostgreSQL runs the statements about imports when a workspace has had many.

use std::collections::BTreeMap;

use domain::{
    audit::Action,
    contacts::{
        Contact, ContactSource, ImportJob, ImportPart, ImportReport, ImportState, RefusedRow, RowError,
        StagedRows, ports::ImportJobStore,
    },
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use time::{Duration, OffsetDateTime, macros::datetime};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded_with},
};

const NOW: OffsetDateTime = datetime!(2026-11-22 10:00 UTC);

const MORE: &str = "
    INSERT INTO import_jobs
        SELECT workspace, id(40, n), id(10, number), 'people.csv', 'finished', 1, 1, 0, 0, '[]', at, at FROM row;
    INSERT INTO import_jobs
        SELECT id(1, n), id(41, n), id(10, n), '', 'running', 9, 0, 0, 0, '[]', now(), now()
        FROM workspace WHERE n > 0;
    INSERT INTO import_job_parts
        SELECT id(1, n), id(41, n), part, 3, '[]' FROM workspace, generate_series(1, 3) part WHERE n > 0;
    ANALYZE import_jobs, import_job_parts";

fn workspace(number: u128) -> WorkspaceId {
    id(1, number).into()
}

fn job(number: u128) -> ImportJob {
    ImportJob {
        id: id(42, number).into(),
        member: id(10, 0).into(),
        name: "people.csv".to_owned(),
        state: ImportState::Arriving,
        people: 0,
        report: ImportReport::default(),
        not_read: Vec::new(),
        created_at: NOW,
        changed_at: NOW,
    }
}

fn phone() -> PhoneNumber {
    PhoneNumber::from_e164("+9647801234567").unwrap()
}

fn staged() -> StagedRows {
    let people = BTreeMap::from([(phone(), None)]);
    StagedRows {
        part: Some(ImportPart { number: 1, rows: 2, people }),
        refused: 1,
        refusals: vec![RefusedRow { line: 7, why: RowError::NotText }],
    }
}

#[tokio::test]
async fn an_import_arrives_and_is_written_by_its_keys() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.contacts;
    let (large, one) = (workspace(0), job(1));
    let entry = |action| explained.entry(large, action, NOW);
    let began = entry(Action::ContactsImportBegan);
    let stale = NOW - Duration::minutes(5);
    assert!(store.begin(large, &one, stale, &began).await.unwrap());
    assert_ran_cheaply(&explained, 1).await;
    assert!(!store.begin(large, &job(2), stale, &entry(Action::ContactsImportBegan)).await.unwrap());
    let next = job(3);
    assert!(
        store.begin(large, &next, NOW + Duration::SECOND, &entry(Action::ContactsImportBegan)).await.unwrap()
    );
    assert!(store.stage(large, next.id, &staged(), NOW).await.unwrap());
    assert_eq!(store.running(large).await.unwrap(), None);
    assert!(store.start(large, next.id, &["city".to_owned()], NOW).await.unwrap());
    let running = store.running(large).await.unwrap().unwrap();
    assert_eq!((running.people, running.not_read), (2, vec!["city".to_owned()]));
    let part = store.next_part(large, next.id).await.unwrap().unwrap();
    assert_eq!(Some(part), staged().part);
    let (_, refusals) = store.job(large, next.id).await.unwrap().unwrap();
    assert_eq!(refusals, staged().refusals);
    assert_ran_cheaply(&explained, 3).await;
    assert_eq!(store.jobs(large, 50).await.unwrap().len(), 50);
    assert_ran_cheaply(&explained, 50).await;
    let contact = Contact {
        id: id(43, 1).into(),
        name: None,
        phone: Some(phone()),
        source: ContactSource::Import,
        created_at: NOW,
    };
    assert!(store.write_part(large, next.id, 1, &[contact], NOW).await.unwrap());
    assert_eq!(store.next_part(large, next.id).await.unwrap(), None);
    let done = entry(Action::ContactsImported);
    assert!(store.end(large, next.id, ImportState::Finished, NOW, &done).await.unwrap());
    assert!(!store.end(large, next.id, ImportState::Finished, NOW, &done).await.unwrap(), "it ends once");
    assert_ran_cheaply(&explained, 60).await;
    let broken = job(4);
    assert!(store.begin(large, &broken, stale, &entry(Action::ContactsImportBegan)).await.unwrap());
    store.stage(large, broken.id, &staged(), NOW).await.unwrap();
    store.forget(large, broken.id).await.unwrap();
    assert_eq!(store.job(large, broken.id).await.unwrap(), None);
    assert_ran_cheaply(&explained, 3).await;
}

#[tokio::test]
async fn who_has_a_list_to_be_written_is_found_without_those_that_are_over() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let found = explained.stores.contacts.workspaces_with_imports().await.unwrap();
    assert_eq!(found.len(), 400);
    assert_ran_cheaply(&explained, 450).await;
}
