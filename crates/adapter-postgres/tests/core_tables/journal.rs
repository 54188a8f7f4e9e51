//! Updates between their arrival and their handling.

use adapter_postgres::{Holding, Stores};
use domain::{
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::{
        HeldUpdate, JournalEntry, JournalItem, Settlement, StatusUpdate,
        ports::{Journal, NumberRoute, SentMessages},
    },
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};
use futures_util::future::join_all;
use time::{OffsetDateTime, ext::NumericalDuration};

use crate::core_tables::inbox::{SARA, number, wrote};
use crate::core_tables::quarantine::set_aside;
use crate::core_tables::world::{NOW, World};

const LEASE: OffsetDateTime = time::macros::datetime!(2026-11-21 10:01 UTC);

fn entry(world: &World, workspace: WorkspaceId, item: JournalItem) -> JournalEntry {
    JournalEntry { id: JournalId::new(&*world.ids), workspace, received_at: NOW, attempts: 0, item }
}

fn status(network_id: &str) -> JournalItem {
    JournalItem::Status(StatusUpdate {
        network_id: NetworkMessageId::from(network_id.to_owned()),
        tag: Some("a-tag".to_owned()),
        status: DeliveryStatus::Failed,
        at: NOW - 3.seconds(),
        error: Some(NetworkError { code: Some(131_026), message: "a reason\0".to_owned() }),
    })
}

fn ids(entries: &[HeldUpdate]) -> Vec<JournalId> {
    entries.iter().map(|held| held.entry.id).collect()
}

/// Ends the session in this test's database.
fn end_of(holding: &Holding) -> String {
    let number = holding.number();
    format!(
        "SELECT pg_terminate_backend(pid)::text FROM pg_locks JOIN pg_database ON oid = database
         WHERE datname = current_database() AND locktype = 'advisory' AND objid = {number}"
    )
}

fn names(entries: &[JournalEntry]) -> Vec<JournalId> {
    entries.iter().map(|entry| entry.id).collect()
}

/// Updates of the world's workspace, journaled by this node for whoever works them off.
async fn posted(world: &World, stores: &Stores, count: usize) -> Vec<JournalEntry> {
    let entries: Vec<_> = (0..count).map(|_| entry(world, world.workspace, status("wamid.1"))).collect();
    let kept = stores.inbound.append(world.workspace, &entries, false).await.unwrap();
    assert_eq!(kept.updates, []);
    entries
}

#[tokio::test]
async fn routes_answer_in_the_order_asked_and_none_for_what_is_not_ours() {
    let world = World::new().await;
    let (workspace, channel) = (world.workspace.uuid(), world.channel.uuid());
    let route = "INSERT INTO channel_routes VALUES ($1, $2, $3, $4)";
    world.execute(route, &[&"101", &workspace, &channel, &false]).await;
    world.execute(route, &[&"102", &workspace, &channel, &true]).await;
    let route = "INSERT INTO account_routes VALUES ('waba-1', $1, $2)";
    world.execute(route, &[&workspace, &world.account.uuid()]).await;

    let asked = ["102", "999", "101", "102"].map(str::to_owned);
    let ours = |send_only| {
        Some(NumberRoute {
            workspace: world.workspace,
            channel: world.channel,
            send_only,
            disconnected: false,
        })
    };
    let routes = world.stores.inbound.number_routes(&asked).await.unwrap();
    assert_eq!(routes, [ours(true), None, ours(false), ours(true)]);
    let asked = ["waba-9", "waba-1"].map(str::to_owned);
    assert_eq!(world.stores.inbound.account_routes(&asked).await.unwrap(), [None, Some(world.workspace)]);
    assert!(world.stores.inbound.number_routes(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_journaled_is_claimed_as_it_came_oldest_first() {
    let world = World::new().await;
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    let other = world.add_workspace().await;
    let changed = JournalItem::TemplatesChanged { account_network_id: "waba-1".to_owned() };
    let mut entries =
        vec![entry(&world, world.workspace, status("wamid.1")), entry(&world, world.workspace, changed)];
    // Ids are made by nodes whose clocks differ.
    entries.reverse();
    world.stores.inbound.append(world.workspace, &entries, false).await.unwrap();
    world.stores.inbound.append(other, &[entry(&world, other, status("wamid.2"))], false).await.unwrap();
    assert_eq!(world.stores.inbound.claim(other, NOW, LEASE, 10).await.unwrap().entries.len(), 1);
    for entry in &mut entries {
        entry.attempts = 1;
    }
    let taken = world.stores.inbound.claim(world.workspace, NOW, LEASE, 10).await.unwrap().entries;
    assert!(taken.iter().all(|held| !held.late) && taken[0].place < taken[1].place);
    assert_eq!(taken.into_iter().map(|held| held.entry).collect::<Vec<_>>(), entries);
    assert!(claim(&world, NOW + 1.hours(), LEASE).await.is_empty(), "it is in hand for as long as it takes");
}

#[tokio::test]
async fn what_has_lost_its_place_is_taken_when_it_is_due_and_again_when_its_lease_runs_out() {
    let world = World::new().await;
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    let entries = posted(&world, &world.stores, 1).await;
    claim(&world, NOW, LEASE).await;
    let settlement =
        Settlement { postponed: vec![(entries[0].id, NOW + 1.minutes())], ..Settlement::default() };
    world.stores.inbound.settle(world.workspace, &settlement).await.unwrap();
    for attempt in 2..=4 {
        let now = NOW + 1.minutes() * (attempt - 1);
        let lease_until = now + 1.minutes();
        let early = now - 1.milliseconds();
        assert!(claim(&world, early, lease_until).await.is_empty());
        assert!(world.stores.inbound.workspaces_with_work(early).await.unwrap().is_empty());
        assert_eq!(world.stores.inbound.workspaces_with_work(now).await.unwrap(), [world.workspace]);
        let taken = claim(&world, now, lease_until).await;
        assert_eq!((taken.len(), taken[0].entry.attempts, taken[0].late), (1, attempt, true));
    }
}

async fn claim(world: &World, now: OffsetDateTime, lease_until: OffsetDateTime) -> Vec<HeldUpdate> {
    world.stores.inbound.claim(world.workspace, now, lease_until, 10).await.unwrap().entries
}

#[tokio::test]
async fn what_is_postponed_waits_and_what_is_handled_is_gone() {
    let world = World::new().await;
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    let entries = posted(&world, &world.stores, 3).await;
    claim(&world, NOW, LEASE).await;
    let (soon, later) = (NOW + 5.seconds(), NOW + 9.seconds());
    let settlement = Settlement {
        handled: vec![entries[0].id],
        postponed: vec![(entries[1].id, later), (entries[2].id, soon)],
        set_aside: Vec::new(),
    };
    world.stores.inbound.settle(world.workspace, &settlement).await.unwrap();
    assert!(claim(&world, NOW, LEASE).await.is_empty());
    assert_eq!(ids(&claim(&world, soon, LEASE).await), [entries[2].id]);
    assert_eq!(ids(&claim(&world, later, LEASE).await), [entries[1].id]);
    assert_eq!(world.count("journal").await, 2);
}

#[tokio::test]
async fn what_is_set_aside_goes_to_the_quarantine_with_the_rest_of_the_round() {
    let world = World::new().await;
    let other = world.add_workspace().await;
    let mut entries = posted(&world, &world.stores, 3).await;
    entries.push(entry(&world, other, status("wamid.2")));
    world.stores.inbound.append(other, &entries[3..], false).await.unwrap();
    let settlement = Settlement {
        handled: vec![entries[0].id],
        postponed: Vec::new(),
        set_aside: [1, 3].map(|index| set_aside(&entries[index], "spoiled\0")).to_vec(),
    };
    world.stores.inbound.settle(world.workspace, &settlement).await.unwrap();
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    assert_eq!(ids(&claim(&world, NOW, LEASE).await), [entries[2].id]);
    let kept = "SELECT reason || ' ' || workspace_id || ' ' || update_id FROM quarantine";
    assert_eq!(world.texts(kept).await, [format!("spoiled {} {}", world.workspace, entries[1].id)]);
    let taken = world.stores.inbound.claim(other, NOW, LEASE, 10).await.unwrap();
    assert_eq!(ids(&taken.entries), [entries[3].id], "another workspace's stays");
}

#[tokio::test]
async fn of_two_nodes_one_works_a_workspace_off_until_it_lets_go() {
    let world = World::new().await;
    let nodes = [world.stores.clone(), world.other_node()];
    let _holding =
        [nodes[0].inbound.hold_updates().await.unwrap(), nodes[1].inbound.hold_updates().await.unwrap()];
    let entries = posted(&world, &nodes[0], 200).await;
    // Both ask at once; of one node, one asks at a time.
    let (mut taken, mut by) = (Vec::new(), Vec::new());
    let mut claims = Vec::new();
    for _ in 0..10 {
        claims.extend(
            join_all(nodes.iter().map(|node| node.inbound.claim(world.workspace, NOW, LEASE, 10))).await,
        );
    }
    for (round, claimed) in claims.into_iter().enumerate() {
        let claimed = claimed.unwrap();
        assert_eq!(claimed.elsewhere, claimed.entries.is_empty());
        if !claimed.elsewhere {
            by.push(round % 2);
        }
        taken.extend(claimed.entries);
    }
    by.dedup();
    let [own] = by[..] else { panic!("one at a time: {by:?}") };
    taken.sort_unstable_by_key(|held| held.place);
    assert_eq!(ids(&taken), names(&entries[..100]));

    nodes[own].inbound.let_go(world.workspace).await.unwrap();
    let again = nodes[1 - own].inbound.claim(world.workspace, NOW, LEASE, 1_000).await.unwrap();
    assert_eq!(ids(&again.entries), names(&entries), "what was left in hand, too, and in its place");
    assert!(nodes[own].inbound.claim(world.workspace, NOW, LEASE, 10).await.unwrap().elsewhere);
}

#[tokio::test]
async fn what_a_node_held_is_another_s_the_moment_it_is_gone() {
    let world = World::new().await;
    let (dying, other) = (world.stores.clone(), world.other_node());
    let (held, _holding) =
        (dying.inbound.hold_updates().await.unwrap(), other.inbound.hold_updates().await.unwrap());
    let mut entries = posted(&world, &dying, 3).await;
    assert_eq!(dying.inbound.claim(world.workspace, NOW, LEASE, 2).await.unwrap().entries.len(), 2);
    entries.push(entry(&world, world.workspace, status("wamid.1")));
    let own = dying.inbound.append(world.workspace, &entries[3..], true).await.unwrap();
    assert_eq!((ids(&own.updates), own.behind, own.holder), (vec![entries[3].id], true, held.number()));
    assert!(other.inbound.claim(world.workspace, NOW, LEASE, 10).await.unwrap().elsewhere);
    assert_eq!(other.inbound.workspaces_with_work(NOW).await.unwrap(), [world.workspace]);

    let gone = end_of(&held);
    assert_eq!(world.texts(&gone).await, ["true"]);
    let taken = loop {
        let claimed = other.inbound.claim(world.workspace, NOW, LEASE, 10).await.unwrap();
        if !claimed.elsewhere {
            break claimed.entries;
        }
    };
    assert_eq!(ids(&taken), names(&entries), "all of it, in order");

    // The former holder lives on without knowing: nothing that it held is its own any more.
    let settlement = Settlement { handled: vec![entries[0].id], ..Settlement::default() };
    dying.inbound.settle(world.workspace, &settlement).await.unwrap();
    assert_eq!(world.count("journal").await, 4);
    assert!(dying.inbound.in_hand(world.workspace, &names(&entries)).await.unwrap().is_empty());
    let statuses: &dyn SentMessages = &*dying.inbound;
    let late = statuses.commit(world.workspace, &[], &[entries[0].id]).await;
    assert!(matches!(late, Err(StoreError::Stale)), "{late:?}");
    let kept = dying
        .inbound
        .append(world.workspace, &[entry(&world, world.workspace, status("wamid.1"))], true)
        .await;
    assert_eq!(kept.unwrap().updates, [], "nor is what it journals from now on");
    assert_eq!(other.inbound.in_hand(world.workspace, &names(&entries)).await.unwrap().len(), 4);
    other.inbound.settle(world.workspace, &settlement).await.unwrap();
    assert_eq!(world.count("journal").await, 4);
}

#[tokio::test]
async fn a_session_that_breaks_is_noticed() {
    let world = World::new().await;
    let mut holding = world.stores.inbound.hold_updates().await.unwrap();
    let gone = end_of(&holding);
    assert_eq!(world.texts(&gone).await, ["true"]);
    holding.lost().await;
    drop(holding);
    assert!(
        world.stores.inbound.claim(world.workspace, NOW, LEASE, 10).await.is_err(),
        "nobody holds anything now"
    );
}

#[tokio::test]
async fn an_update_that_cannot_be_read_blocks_no_other() {
    let world = World::new().await;
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    let entries = posted(&world, &world.stores, 3).await;
    let spoil = "UPDATE journal SET item_sealed = '\\x00ff' WHERE id = $1";
    world.execute(spoil, &[&entries[0].id.uuid()]).await;
    let swap = "UPDATE journal SET item_sealed = other.item_sealed FROM journal other
        WHERE journal.id = $1 AND other.id = $2 AND other.workspace_id = journal.workspace_id";
    world.execute(swap, &[&entries[1].id.uuid(), &entries[2].id.uuid()]).await;
    let taken = world.stores.inbound.claim(world.workspace, NOW, LEASE, 10).await.unwrap();
    assert_eq!(ids(&taken.entries), [entries[2].id]);
    let mut unreadable: Vec<_> =
        taken.unreadable.iter().map(|unreadable| (unreadable.id, unreadable.attempts)).collect();
    unreadable.sort_unstable();
    assert_eq!(unreadable, [(entries[0].id, 1), (entries[1].id, 1)]);
    assert_eq!(world.count("journal").await, 3, "they stay, to be tried again");
}

#[tokio::test]
async fn what_customers_wrote_is_claimed_like_the_rest() {
    let world = World::new().await;
    let written = JournalItem::Conversation {
        channel: world.channel,
        update: Box::new(wrote(&[number(SARA)], "wamid.1")),
    };
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    let mut entries = [entry(&world, world.workspace, written)];
    world.stores.inbound.append(world.workspace, &entries, false).await.unwrap();
    assert_eq!(world.count("journal WHERE kind = 'message'").await, 1);
    assert_eq!(world.stores.inbound.workspaces_with_work(NOW).await.unwrap(), [world.workspace]);
    entries[0].attempts = 1;
    let taken: Vec<_> = claim(&world, NOW, LEASE).await.into_iter().map(|held| held.entry).collect();
    assert_eq!(taken, entries);
}

#[tokio::test]
async fn what_nobody_could_read_is_kept_sealed() {
    let world = World::new().await;
    world.stores.inbound.quarantine("meta", b"not json \xff", None, "no JSON", NOW).await.unwrap();
    assert_eq!(world.count("quarantine WHERE reason = 'no JSON'").await, 1);
    let clear = "quarantine WHERE position('not json'::bytea IN payload_sealed) > 0";
    assert_eq!(world.count(clear).await, 0);
}
