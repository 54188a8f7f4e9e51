//! Lists of people that are taken over in the background.

use std::{convert::Infallible, sync::Arc};

use domain::{
    access::members::ports::MemberStore,
    audit::{Acting, Action, Actor},
    contacts::{
        ImportJob, ImportJobError, ImportJobs, ImportReport, ImportState, ImportStep, RowError, RunImports,
        WrittenPerson, WrittenRow, ports::ImportJobStore,
    },
    ids::{MemberId, WorkspaceId},
    testing::a_region,
};
use futures_util::future::join_all;
use time::Duration;

use crate::contacts::world::World;

fn jobs(world: &World) -> ImportJobs {
    ImportJobs { store: world.stores.contacts.clone(), import: world.importing() }
}

fn run(world: &World) -> RunImports {
    RunImports { store: world.stores.contacts.clone(), import: world.importing() }
}

async fn owner(world: &World, workspace: WorkspaceId) -> Acting {
    let id = world.new_id();
    let insert = "INSERT INTO members (workspace_id, id, email, role, created_at)
                  VALUES ($1, $2, $3, 'owner', now())";
    world.execute(insert, &[&workspace.uuid(), &id, &format!("{id}@palm.example")]).await;
    Acting { workspace, actor: Actor::Member(MemberId::from(id)), address: None }
}

/// Returns rows for this many people, each twice, and two rows without a valid number.
fn rows(people: u64) -> impl Iterator<Item = Result<WrittenRow, Infallible>> {
    let row = move |line| {
        let person = if line > 2 * people {
            Err(RowError::NotText)
        } else {
            Ok(WrittenPerson { phone: format!("0770{:07}", line % people), name: "زينب Ali".to_owned() })
        };
        Ok(WrittenRow { line, person })
    };
    (1..=2 * people + 2).map(row)
}

async fn take(world: &World, acting: Acting, people: u64) -> Result<ImportJob, ImportJobError<Infallible>> {
    let not_read = ["المدينة", "No\0tes"].map(str::to_owned);
    jobs(world).take(acting, a_region(), "people.csv", rows(people), |_| not_read.to_vec()).await
}

async fn to_the_end(world: &World, workspace: WorkspaceId) {
    let run = run(world);
    while run.step(workspace).await.unwrap() != ImportStep::Nothing {}
}

#[tokio::test]
async fn nodes_that_take_parts_at_once_count_everybody_once() {
    let world = Arc::new(World::new().await);
    let acting = owner(&world, world.workspace).await;
    let nameless = world.add("07700000007", None).await.contact.id;
    let taken = take(&world, acting, 1_200).await.unwrap();
    assert_eq!((taken.state, taken.people, taken.report.refused), (ImportState::Running, 2_400, 2));
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 1, "nobody is written before it runs");
    assert_eq!(run(&world).workspaces().await.unwrap(), [world.workspace]);
    let nodes = (0..3).map(|_| {
        let world = Arc::clone(&world);
        tokio::spawn(async move { to_the_end(&world, world.workspace).await })
    });
    for node in join_all(nodes).await {
        node.unwrap();
    }
    let (done, refusals) = jobs(&world).get(world.workspace, taken.id).await.unwrap().unwrap();
    assert_eq!(done.report, ImportReport { created: 1_199, known: 1_201, refused: 2 });
    assert_eq!(done.state, ImportState::Finished);
    assert_eq!(done.not_read, ["المدينة", "Notes"]);
    assert_eq!(refusals.iter().map(|row| row.line).collect::<Vec<_>>(), [2_401, 2_402]);
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 1_200);
    assert_eq!(world.number("SELECT count(*) FROM import_job_parts").await, 0);
    let ended = "SELECT count(*) FROM audit_log WHERE action = 'contacts.imported'";
    assert_eq!(world.number(ended).await, 1, "its end is told once");
    assert_eq!(world.miscounts().await, 0);
    assert_eq!(run(&world).workspaces().await.unwrap(), []);
    let named = world.get(world.workspace, nameless).await.unwrap();
    assert_eq!(named.contact.name.as_deref(), Some("زينب Ali"));
}

#[tokio::test]
async fn what_a_process_left_in_the_middle_the_next_goes_on_with() {
    let world = World::new().await;
    let acting = owner(&world, world.workspace).await;
    let taken = take(&world, acting, 700).await.unwrap();
    let first = run(&world);
    assert_eq!(first.step(world.workspace).await.unwrap(), ImportStep::WentOn);
    let half = jobs(&world).get(world.workspace, taken.id).await.unwrap().unwrap().0;
    assert_eq!(half.report, ImportReport { created: 500, known: 0, refused: 2 });
    drop(first);
    // A part that was read but not written is available to the next process.
    let store = &*world.stores.contacts;
    let part = store.next_part(world.workspace, taken.id).await.unwrap().unwrap();
    assert_eq!((part.number, part.rows), (2, 500));
    assert!(store.write_part(world.workspace, taken.id, 2, &[], half.changed_at).await.unwrap());
    let again = store.write_part(world.workspace, taken.id, 2, &[], half.changed_at).await.unwrap();
    assert!(!again, "a part is counted once");
    to_the_end(&world, world.workspace).await;
    let done = jobs(&world).get(world.workspace, taken.id).await.unwrap().unwrap().0;
    assert_eq!((done.state, done.report.created + done.report.known), (ImportState::Finished, 1_400));
}

#[tokio::test]
async fn one_list_at_a_time_and_another_workspace_has_its_own() {
    let world = World::new().await;
    let (ours, theirs) = (owner(&world, world.workspace).await, owner(&world, world.other_workspace).await);
    let taken = take(&world, ours, 3).await.unwrap();
    assert!(matches!(take(&world, ours, 3).await, Err(ImportJobError::Running)));
    let other = take(&world, theirs, 2).await.unwrap();
    let jobs = jobs(&world);
    assert_eq!(jobs.get(world.other_workspace, taken.id).await.unwrap(), None);
    assert_eq!(jobs.list(world.other_workspace).await.unwrap(), [other]);
    to_the_end(&world, world.other_workspace).await;
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 2);
    assert_eq!(jobs.list(world.workspace).await.unwrap(), [taken]);
    to_the_end(&world, world.workspace).await;
    assert_eq!(jobs.list(world.workspace).await.unwrap()[0].state, ImportState::Finished);
    let second = take(&world, ours, 3).await.unwrap();
    let ids: Vec<_> = jobs.list(world.workspace).await.unwrap().into_iter().map(|job| job.id).collect();
    assert_eq!((ids.len(), ids[0]), (2, second.id), "the newest comes first");
}

#[tokio::test]
async fn what_broke_off_is_swept_when_the_next_begins_and_takes_no_more_rows() {
    let world = World::new().await;
    let acting = owner(&world, world.workspace).await;
    let store = &*world.stores.contacts;
    let running = take(&world, acting, 3).await.unwrap();
    to_the_end(&world, world.workspace).await;
    let now = running.changed_at;
    let entry = acting.does(Action::ContactsImportBegan, now, &*world.importing().deps.ids);
    let arriving = ImportJob {
        id: world.new_id().into(),
        state: ImportState::Arriving,
        people: 0,
        report: ImportReport::default(),
        ..running
    };
    let stale = now - Duration::minutes(5);
    assert!(store.begin(world.workspace, &arriving, stale, &entry).await.unwrap());
    let staged = domain::contacts::StagedRows { refused: 4, ..Default::default() };
    assert!(store.stage(world.workspace, arriving.id, &staged, now).await.unwrap());
    assert!(matches!(take(&world, acting, 3).await, Err(ImportJobError::Running)), "it may go on");
    world.clock.advance(std::time::Duration::from_secs(301));
    assert_eq!(jobs(&world).get(world.workspace, arriving.id).await.unwrap(), None);
    let next = take(&world, acting, 3).await.unwrap();
    assert!(!store.stage(world.workspace, arriving.id, &staged, now).await.unwrap());
    assert!(!store.start(world.workspace, arriving.id, &[], now).await.unwrap());
    store.forget(world.workspace, next.id).await.unwrap();
    assert_eq!(jobs(&world).list(world.workspace).await.unwrap()[0], next, "what runs is not forgotten");
    assert_eq!(world.number("SELECT count(*) FROM import_jobs").await, 2);
}

#[tokio::test]
async fn who_left_the_team_has_the_rest_left() {
    let world = World::new().await;
    let acting = owner(&world, world.workspace).await;
    let taken = take(&world, acting, 900).await.unwrap();
    assert_eq!(run(&world).step(world.workspace).await.unwrap(), ImportStep::WentOn);
    assert_eq!(world.stores.access.team(world.workspace).await.unwrap().len(), 1);
    world.execute("UPDATE members SET left_at = now()", &[]).await;
    assert_eq!(run(&world).step(world.workspace).await.unwrap(), ImportStep::Stopped(taken.id));
    assert_eq!(run(&world).step(world.workspace).await.unwrap(), ImportStep::Nothing);
    let left = jobs(&world).get(world.workspace, taken.id).await.unwrap().unwrap().0;
    assert_eq!((left.state, left.report.created), (ImportState::Stopped, 500));
    assert_eq!(world.number("SELECT count(*) FROM import_job_parts").await, 0);
}
