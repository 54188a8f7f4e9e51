//! Updates between their arrival and their handling.

use domain::{
    ids::{JournalId, WorkspaceId},
    inbound::{
        JournalEntry, JournalItem, Settlement, StatusUpdate,
        ports::{Journal, NumberRoute},
    },
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};
use futures_util::future::join_all;
use time::{OffsetDateTime, ext::NumericalDuration};

use crate::inbox::{SARA, number, wrote};
use crate::world::{NOW, World};

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

fn ids(entries: &[JournalEntry]) -> Vec<JournalId> {
    entries.iter().map(|entry| entry.id).collect()
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
    let routes = world.store.number_routes(&asked).await.unwrap();
    assert_eq!(routes, [ours(true), None, ours(false), ours(true)]);
    let asked = ["waba-9", "waba-1"].map(str::to_owned);
    assert_eq!(world.store.account_routes(&asked).await.unwrap(), [None, Some(world.workspace)]);
    assert!(world.store.number_routes(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_journaled_is_claimed_as_it_came_oldest_first() {
    let world = World::new().await;
    let other = world.add_workspace().await;
    let changed = JournalItem::TemplatesChanged { account_network_id: "waba-1".to_owned() };
    let mut entries = vec![
        entry(&world, world.workspace, status("wamid.1")),
        entry(&world, other, status("wamid.2")),
        entry(&world, world.workspace, changed),
    ];
    world.store.append(&entries, None).await.unwrap();
    let taken = world.store.claim(other, NOW, LEASE, 10).await.unwrap().entries;
    for entry in &mut entries {
        entry.attempts = 1;
    }
    assert_eq!(taken, entries[1..2]);
    let taken = world.store.claim(world.workspace, NOW, LEASE, 10).await.unwrap().entries;
    entries.remove(1);
    assert_eq!(taken, entries);
}

#[tokio::test]
async fn a_claim_lasts_until_its_lease_runs_out_and_counts_the_attempts() {
    let world = World::new().await;
    let entries = [entry(&world, world.workspace, status("wamid.1"))];
    world.store.append(&entries, None).await.unwrap();
    for attempt in 1..=3 {
        let now = NOW + 1.minutes() * (attempt - 1);
        let lease_until = now + 1.minutes();
        let taken = world.store.claim(world.workspace, now, lease_until, 10).await.unwrap().entries;
        assert_eq!((taken.len(), taken[0].attempts), (1, attempt));
        let early = lease_until - 1.milliseconds();
        assert!(claim(&world, early, lease_until).await.is_empty());
        assert!(world.store.workspaces_with_work(early).await.unwrap().is_empty());
        assert_eq!(world.store.workspaces_with_work(lease_until).await.unwrap(), [world.workspace]);
    }
}

async fn claim(world: &World, now: OffsetDateTime, lease_until: OffsetDateTime) -> Vec<JournalEntry> {
    world.store.claim(world.workspace, now, lease_until, 10).await.unwrap().entries
}

#[tokio::test]
async fn what_is_postponed_waits_and_what_is_handled_is_gone() {
    let world = World::new().await;
    let entries = [1, 2, 3].map(|_| entry(&world, world.workspace, status("wamid.1")));
    world.store.append(&entries, None).await.unwrap();
    claim(&world, NOW, LEASE).await;
    let (soon, later) = (NOW + 5.seconds(), NOW + 9.seconds());
    let settlement = Settlement {
        handled: vec![entries[0].id],
        postponed: vec![(entries[1].id, later), (entries[2].id, soon)],
        set_aside: Vec::new(),
    };
    world.store.settle(world.workspace, &settlement).await.unwrap();
    assert!(claim(&world, NOW, LEASE).await.is_empty());
    assert_eq!(ids(&claim(&world, soon, LEASE).await), [entries[2].id]);
    assert_eq!(ids(&claim(&world, later, LEASE).await), [entries[1].id]);
    assert_eq!(world.count("journal").await, 2);
}

#[tokio::test]
async fn what_is_set_aside_goes_to_the_quarantine_with_the_rest_of_the_round() {
    let world = World::new().await;
    let other = world.add_workspace().await;
    let mut entries = [1, 2, 3].map(|_| entry(&world, world.workspace, status("wamid.1"))).to_vec();
    entries.push(entry(&world, other, status("wamid.2")));
    world.store.append(&entries, None).await.unwrap();
    let settlement = Settlement {
        handled: vec![entries[0].id],
        postponed: Vec::new(),
        set_aside: [1, 3].map(|index| (entries[index].id, "spoiled\0".to_owned())).to_vec(),
    };
    world.store.settle(world.workspace, &settlement).await.unwrap();
    assert_eq!(ids(&claim(&world, NOW, LEASE).await), [entries[2].id]);
    let kept = "SELECT reason || ' ' || workspace_id || ' ' || update_id FROM quarantine";
    assert_eq!(world.texts(kept).await, [format!("spoiled {} {}", world.workspace, entries[1].id)]);
    let taken = world.store.claim(other, NOW, LEASE, 10).await.unwrap();
    assert_eq!(ids(&taken.entries), [entries[3].id], "another workspace's stays");
}

#[tokio::test]
async fn two_nodes_never_claim_the_same_update() {
    let world = World::new().await;
    let entries: Vec<_> = (0..200).map(|_| entry(&world, world.workspace, status("wamid.1"))).collect();
    world.store.append(&entries, None).await.unwrap();
    let nodes = [world.store.clone(), world.other_node()];
    let claims = (0..20).map(|round: usize| nodes[round % 2].claim(world.workspace, NOW, LEASE, 10));
    let mut taken: Vec<_> =
        join_all(claims).await.into_iter().flat_map(|claimed| ids(&claimed.unwrap().entries)).collect();
    let all = taken.len();
    taken.sort_unstable();
    taken.dedup();
    assert_eq!((all, taken), (200, ids(&entries)));
}

#[tokio::test]
async fn an_update_that_cannot_be_read_blocks_no_other() {
    let world = World::new().await;
    let entries = [1, 2, 3].map(|_| entry(&world, world.workspace, status("wamid.1")));
    world.store.append(&entries, None).await.unwrap();
    let spoil = "UPDATE journal SET item_sealed = '\\x00ff' WHERE id = $1";
    world.execute(spoil, &[&entries[0].id.uuid()]).await;
    let swap =
        "UPDATE journal SET item_sealed = (SELECT item_sealed FROM journal WHERE id = $2) WHERE id = $1";
    world.execute(swap, &[&entries[1].id.uuid(), &entries[2].id.uuid()]).await;
    let taken = world.store.claim(world.workspace, NOW, LEASE, 10).await.unwrap();
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
    let written =
        JournalItem::Thread { channel: world.channel, update: Box::new(wrote(&[number(SARA)], "wamid.1")) };
    let mut entries = [entry(&world, world.workspace, written)];
    world.store.append(&entries, None).await.unwrap();
    assert_eq!(world.count("journal WHERE kind = 'message'").await, 1);
    assert_eq!(world.store.workspaces_with_work(NOW).await.unwrap(), [world.workspace]);
    entries[0].attempts = 1;
    assert_eq!(claim(&world, NOW, LEASE).await, entries);
}

#[tokio::test]
async fn what_nobody_could_read_is_kept_sealed() {
    let world = World::new().await;
    world.store.quarantine(b"not json \xff", "no JSON", NOW).await.unwrap();
    assert_eq!(world.count("quarantine WHERE reason = 'no JSON'").await, 1);
    let clear = "quarantine WHERE position('not json'::bytea IN payload_sealed) > 0";
    assert_eq!(world.count(clear).await, 0);
}
