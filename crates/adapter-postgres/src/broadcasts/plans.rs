//! How PostgreSQL runs the statements about broadcasts when others have many, and what they write.

use domain::{
    audit::{Action, Actor, AuditEntry},
    broadcasts::{
        Audience, AudienceFilter, Bar, Broadcast, BroadcastList, BroadcastPerson, BroadcastState,
        ColumnValues, LeftOutReason, ListedNumber, MarketingStop, PeopleFilter, PeopleState, PersonResult,
        PersonState, Prices, StopSource,
        ports::{BegunSend, BroadcastListStore, BroadcastStore, MarketingStopStore, StateChange},
    },
    contacts::ContactName,
    groups::ports::GroupStore,
    ids::WorkspaceId,
    inbound::{MessageNames, StatusChange, ports::SentMessages},
    lease::LEASE,
    messages::{DeliveryStatus, NetworkMessageId},
    paging::{PageLimit, PageRequest, Position},
    pause_reason::PauseReason,
    phone::PhoneNumber,
    testing::a_broadcast,
};
use time::{Duration, OffsetDateTime, macros::datetime};

use super::{
    lists,
    marks::{ANSWERED, OF_BROADCASTS},
    people::SETTLED,
    progress::{CODES, CONFIRMED},
};
use crate::{
    explained::ExplainedStore,
    seeded::{assert_cheap, assert_ran_cheaply, id, seeded_with},
    sql::positional,
};

pub(super) const NOW: OffsetDateTime = datetime!(2026-11-22 10:00 UTC);

/// 200 finished broadcasts of the large workspace, the first with 20,000 people who got theirs, and as many
/// people of other broadcasts.
pub(super) const MORE: &str = r#"
    INSERT INTO broadcasts SELECT workspace, id(32, n), 'b', 'finished',
        '{"template": "t", "variables": {}, "buttonVariables": []}', '{"filter": {}}', id(10, number), NULL, at, at, at,
        true, NULL, NULL, NULL FROM row WHERE n <= 200 OR n > 20000;
    INSERT INTO broadcast_people SELECT id(1, 0), id(32, 1), '+96477' || lpad(n::text, 8, '0'), id(5, n), NULL, id(7, n),
        'sent', NULL, now() FROM generate_series(1, 19000) n;
    INSERT INTO broadcast_counts SELECT id(1, 0), id(32, n), part, 0, 0, 0, 0, 0
        FROM generate_series(1, 200) n, generate_series(0, 7) part;
    INSERT INTO broadcast_people_counts SELECT id(1, 0), id(32, n), 'sent', '', 1 FROM generate_series(1, 200) n;
    INSERT INTO broadcast_marks SELECT id(1, 0), id(32, 1), 'answered', id(7, n), now() FROM generate_series(1, 9000) n;
    INSERT INTO broadcast_lists SELECT id(1, 0), id(33, 1), 'l', '{}', 19000, true, now();
    INSERT INTO broadcast_list_people SELECT id(1, 0), id(33, 1), '+96477' || lpad(n::text, 8, '0'), id(34, n), '{}'
        FROM generate_series(1, 19000) n;
    INSERT INTO broadcast_written_to SELECT id(1, 0), id(32, n % 200 + 1), id(3, n / 200),
        '2026-11-20 12:00Z'::timestamptz + n % 90 * interval '10 minutes', 1 FROM generate_series(1, 4000) n;
    INSERT INTO broadcast_left_out SELECT id(1, 0), id(32, n % 200 + 1), id(3, n / 200), 'network_refused', 131048, now()
        FROM generate_series(1, 4000) n;
    INSERT INTO number_healths SELECT id(1, n), id(2, n), 'n', '+9647', 'connected', 'green', NULL, NULL, 'TIER_1K', now()
        FROM workspace;
    INSERT INTO marketing_stops SELECT workspace, '+96478' || lpad(n::text, 8, '0'), 'customer', at FROM row"#;

pub(super) fn large() -> WorkspaceId {
    id(1, 0).into()
}

fn phone(number: u32) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+96479{:08}", 10_000_000 + number)).unwrap()
}

pub(super) fn draft(number: u128) -> Broadcast {
    Broadcast {
        id: id(32, number).into(),
        state: BroadcastState::Draft,
        author: id(10, 0).into(),
        created_at: NOW,
        ..a_broadcast()
    }
}

pub(super) fn person(number: u32) -> BroadcastPerson {
    BroadcastPerson {
        contact: Some(id(5, u128::from(number)).into()),
        phone: phone(number),
        name: ContactName::read("سارة").ok(),
        message: id(7, 50_000 + u128::from(number)).into(),
    }
}

pub(super) fn moved(from: BroadcastState, to: BroadcastState, reason: Option<PauseReason>) -> StateChange {
    StateChange { broadcast: draft(30_000).id, from, to, reason, starts_at: Some(NOW), at: NOW }
}

fn first_page() -> PageRequest {
    PageRequest { limit: PageLimit::new(2).unwrap(), after: None }
}

#[tokio::test]
async fn a_broadcast_is_written_moved_and_taken_up_by_one() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let entry = |action| explained.entry(large(), action, NOW);
    let (one, id) = (draft(30_000), draft(30_000).id);
    assert!(store.add(large(), &one, 100, &entry(Action::BroadcastAdded)).await.unwrap());
    assert!(
        !store.add(large(), &draft(30_001), 1, &entry(Action::BroadcastAdded)).await.unwrap(),
        "one is open"
    );
    assert_eq!(store.find(large(), id).await.unwrap(), Some(one.clone()));
    assert_eq!(store.find(crate::seeded::id(1, 1).into(), id).await.unwrap(), None, "another workspace's");
    let listed = store.list(large(), first_page()).await.unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[0], one);
    let edited = Audience::Chosen(vec![crate::seeded::id(5, 1).into()]);
    assert!(
        store.edit(large(), id, "new", &one.content, &edited, &entry(Action::BroadcastEdited)).await.unwrap()
    );
    let found = store.find(large(), id).await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.audience), ("new", edited.clone()));

    assert_eq!(store.workspaces_with_broadcasts(NOW).await.unwrap(), []);
    assert_ran_cheaply(&explained, 450).await;
    let start = moved(BroadcastState::Draft, BroadcastState::Running, None);
    let moves = entry(Action::BroadcastMoved);
    assert!(!store.start(large(), &start, &one, &moves).await.unwrap(), "it was edited meanwhile");
    let checked = store.find(large(), id).await.unwrap().unwrap();
    assert_eq!(checked.state, BroadcastState::Draft);
    assert!(store.start(large(), &start, &checked, &moves).await.unwrap());
    assert!(!store.start(large(), &start, &checked, &moves).await.unwrap(), "two began it at once");
    assert!(!store.change(large(), &start, &moves).await.unwrap(), "it began");
    let begun = store.find(large(), id).await.unwrap().unwrap();
    assert_eq!((begun.state, begun.starts_at), (BroadcastState::Running, Some(NOW)));
    assert!(
        !store
            .edit(large(), id, "late", &one.content, &edited, &entry(Action::BroadcastEdited))
            .await
            .unwrap()
    );
    assert!(!store.remove(large(), id, &entry(Action::BroadcastRemoved)).await.unwrap());
    assert_eq!(store.workspaces_with_broadcasts(NOW).await.unwrap(), [large()]);
    let lease = NOW + Duration::seconds(15);
    assert_eq!(store.claim(large(), NOW, lease).await.unwrap().unwrap().state, BroadcastState::Running);
    assert_eq!(store.claim(large(), NOW, lease).await.unwrap(), None, "somebody has it");
    assert!(store.postpone(large(), id, NOW).await.unwrap());
    assert!(store.claim(large(), NOW, lease).await.unwrap().is_some());
    let paused = moved(BroadcastState::Running, BroadcastState::Paused, Some(PauseReason::PlanLimit));
    assert!(store.change(large(), &paused, &entry(Action::BroadcastMoved)).await.unwrap());
    assert!(!store.postpone(large(), id, NOW).await.unwrap(), "it was stopped");
    let found = store.find(large(), id).await.unwrap().unwrap();
    assert_eq!((found.state, found.reason), (BroadcastState::Paused, Some(PauseReason::PlanLimit)));
    assert_eq!(store.claim(large(), lease, lease).await.unwrap(), None);
    let over = moved(BroadcastState::Paused, BroadcastState::Cancelled, None);
    assert!(store.change(large(), &over, &entry(Action::BroadcastMoved)).await.unwrap());
    assert_eq!(store.find(large(), id).await.unwrap().unwrap().ended_at, Some(NOW));
    let draft = draft(30_002);
    assert!(store.add(large(), &draft, 100, &entry(Action::BroadcastAdded)).await.unwrap());
    assert!(store.remove(large(), draft.id, &entry(Action::BroadcastRemoved)).await.unwrap());
    assert_ran_cheaply(&explained, 450).await;
}

#[tokio::test]
async fn one_that_the_service_sets_running_is_in_its_hands_and_nobody_elses() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let by_operator = |action| explained.entry(large(), action, NOW);
    let (draft, lease) = (draft(30_000), NOW + LEASE);
    store.add(large(), &draft, 100, &by_operator(Action::BroadcastAdded)).await.unwrap();
    let scheduled = moved(BroadcastState::Draft, BroadcastState::Scheduled, None);
    assert!(store.change(large(), &scheduled, &by_operator(Action::BroadcastMoved)).await.unwrap());
    assert!(store.claim(large(), NOW, lease).await.unwrap().is_some());
    let by_service = AuditEntry { actor: Actor::Service, ..by_operator(Action::BroadcastMoved) };
    let running = moved(BroadcastState::Scheduled, BroadcastState::Running, None);
    assert!(store.change(large(), &running, &by_service).await.unwrap());
    assert_eq!(store.claim(large(), NOW, lease).await.unwrap(), None, "whoever set it running has it");
    assert!(store.claim(large(), lease, lease + LEASE).await.unwrap().is_some(), "the lease has ended");
    // A member who resumes it waits for no lease.
    for (from, to) in
        [(BroadcastState::Running, BroadcastState::Paused), (BroadcastState::Paused, BroadcastState::Running)]
    {
        let entry = by_operator(Action::BroadcastMoved);
        assert!(store.change(large(), &moved(from, to, None), &entry).await.unwrap());
    }
    assert!(store.claim(large(), NOW, lease).await.unwrap().is_some());
}

#[tokio::test]
async fn a_group_is_needed_as_long_as_a_broadcast_that_was_started_goes_to_it() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let (store, groups) = (&*explained.stores.broadcasts, &*explained.stores.groups);
    let group = id(11, 1).into();
    let to_it = AudienceFilter { group: Some(group), ..AudienceFilter::default() };
    let one = Broadcast { audience: Audience::Filter(to_it), ..draft(30_000) };
    let entry = |action| explained.entry(large(), action, NOW);
    assert!(store.add(large(), &one, 100, &entry(Action::BroadcastAdded)).await.unwrap());
    assert!(!groups.is_needed(large(), group).await.unwrap(), "a draft");
    for (from, to, needed) in [
        (BroadcastState::Draft, BroadcastState::Scheduled, true),
        (BroadcastState::Scheduled, BroadcastState::Paused, true),
        (BroadcastState::Paused, BroadcastState::Cancelled, false),
    ] {
        let change = moved(from, to, None);
        assert!(store.change(large(), &change, &entry(Action::BroadcastMoved)).await.unwrap());
        assert_eq!(groups.is_needed(large(), group).await.unwrap(), needed, "{to:?}");
        assert!(!groups.is_needed(large(), id(11, 2).into()).await.unwrap(), "another group");
    }
}

#[tokio::test]
async fn people_are_collected_once_and_settled_once() {
    let (database, client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let (one, id) = (draft(30_000), draft(30_000).id);
    let entry = |action| explained.entry(large(), action, NOW);
    store.add(large(), &one, 100, &entry(Action::BroadcastAdded)).await.unwrap();
    let people: Vec<BroadcastPerson> = (1..=4).map(person).collect();
    let reached = Some(Position { at: NOW, id: crate::seeded::id(5, 4) });
    assert!(!store.collect(large(), id, &people, None, reached, NOW).await.unwrap());
    assert_eq!(store.queued(large(), id, None, 10).await.unwrap(), [], "it is not running");
    let start = moved(BroadcastState::Draft, BroadcastState::Running, None);
    store.change(large(), &start, &entry(Action::BroadcastMoved)).await.unwrap();
    assert!(store.collect(large(), id, &people[..3], None, reached, NOW).await.unwrap());
    assert!(
        !store.collect(large(), id, &people, None, None, NOW).await.unwrap(),
        "somebody else has collected"
    );
    let found = store.find(large(), id).await.unwrap().unwrap();
    assert_eq!((found.collected, found.collected_to), (false, reached));
    // After a crash some are collected again, under other messages.
    let again = BroadcastPerson { message: crate::seeded::id(7, 90_000).into(), ..people[2].clone() };
    assert!(store.collect(large(), id, &[again, people[3].clone()], reached, None, NOW).await.unwrap());
    assert!(!store.collect(large(), id, &people, reached, None, NOW).await.unwrap(), "all are collected");
    assert!(store.find(large(), id).await.unwrap().unwrap().collected);
    assert_eq!(store.queued(large(), id, None, 10).await.unwrap(), people);
    assert_eq!(store.queued(large(), id, None, 2).await.unwrap(), people[..2]);
    let behind = Some(people[1].message);
    assert_eq!(store.queued(large(), id, behind, 10).await.unwrap(), people[2..]);

    let result = |number: usize, state, reason: Option<&str>| PersonResult {
        message: people[number].message,
        state,
        reason: reason.map(str::to_owned),
        written_by: (state == PersonState::Sent).then_some(crate::seeded::id(3, 0).into()),
        at: NOW,
    };
    let results = [result(1, PersonState::Failed, Some("131026")), result(0, PersonState::Sent, None)];
    assert!(store.settle(large(), id, &results).await.unwrap(), "it is running");
    assert!(store.settle(large(), id, &[result(1, PersonState::Sent, None)]).await.unwrap());
    assert_eq!(store.queued(large(), id, None, 10).await.unwrap(), people[2..], "what was settled stays so");
    let all = PeopleFilter::default();
    let page = store.people(large(), id, &all, 2, None).await.unwrap().rows;
    assert_eq!(page.iter().map(|row| &row.person).collect::<Vec<_>>(), [&people[3], &people[2], &people[1]]);
    let before = Some(page[1].person.message);
    let next = store.people(large(), id, &all, 2, before).await.unwrap().rows;
    assert_eq!(
        next.iter().map(|row| row.state).collect::<Vec<_>>(),
        [PersonState::Failed, PersonState::Sent]
    );
    for state in PeopleState::ALL {
        let filter = PeopleFilter { state: Some(state), reason: None };
        let found = store.people(large(), id, &filter, 2, None).await.unwrap();
        let wanted = match state {
            PeopleState::Is(PersonState::Queued) => 2,
            PeopleState::Is(PersonState::Failed | PersonState::Sent) => 1,
            _ => 0,
        };
        assert_eq!((found.rows.len(), found.reached), (wanted, None), "{state:?}");
    }
    let pause = moved(BroadcastState::Running, BroadcastState::Paused, None);
    assert!(store.change(large(), &pause, &entry(Action::BroadcastMoved)).await.unwrap());
    assert!(!store.settle(large(), id, &results).await.unwrap(), "somebody has stopped it");
    let refused = PeopleFilter { state: None, reason: Some("131026".to_owned()) };
    let failed = store.people(large(), id, &refused, 2, None).await.unwrap().rows;
    assert_eq!(failed[0].reason.as_deref(), Some("131026"));
    let progress = store.progress(large(), id).await.unwrap();
    assert_eq!(
        progress.people,
        [
            (PersonState::Failed, Some("131026".to_owned()), 1),
            (PersonState::Queued, None, 2),
            (PersonState::Sent, None, 1),
        ]
    );
    let real = "UPDATE contacts SET phone = '+9647701234567' WHERE workspace_id = id(1, 0) AND id = id(5, 1)";
    client.execute(real, &[]).await.unwrap();
    let chosen = store.contacts(large(), &[crate::seeded::id(5, 1).into()]).await.unwrap();
    assert_eq!(chosen.len(), 1);
    let ids =
        [crate::seeded::id(5, 1).into(), crate::seeded::id(13, 1).into(), crate::seeded::id(9, 9).into()];
    assert_eq!(store.count_contacts(large(), &ids).await.unwrap(), 2, "a contact, and what was one");
    assert_ran_cheaply(&explained, 250).await;
    // The other broadcast's 19,000 people are not read.
    let values = format!("'{}', '{}'", crate::seeded::id(1, 0), id.uuid());
    for counted in [CONFIRMED, CODES] {
        assert_cheap(&client, 250, &[(&positional(counted), "uuid, uuid", &values)]).await;
    }

    // A send that was begun is found by its id, whatever its outcome.
    client
        .batch_execute(
            "INSERT INTO sends (workspace_id, id, channel_id, state, status, created_at)
             SELECT workspace_id, id(7, 50003), channel_id, 'in_flight', status, '2026-11-22 10:00Z'
             FROM sends WHERE workspace_id = id(1, 0) AND channel_id = id(3, 0) LIMIT 1",
        )
        .await
        .unwrap();
    let ids: Vec<_> = people.iter().map(|person| person.message).collect();
    let begun = store.begun(large(), &ids).await.unwrap();
    let by = crate::seeded::id(3, 0).into();
    assert_eq!(begun, [(people[2].message, BegunSend::InFlight(by, NOW))].into());
    explained.ran().await;
}

#[tokio::test]
async fn who_wants_no_marketing_is_found_by_their_number() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let stop = |source| MarketingStop { source, at: NOW };
    assert_eq!(store.stop_of(large(), &phone(1)).await.unwrap(), None);
    store.stop(large(), &phone(1), stop(StopSource::Customer), None).await.unwrap();
    let entry = explained.entry(large(), Action::MarketingStopSet, NOW);
    store.stop(large(), &phone(1), stop(StopSource::Team), Some(entry.clone())).await.unwrap();
    assert_eq!(store.stop_of(large(), &phone(1)).await.unwrap(), Some(stop(StopSource::Customer)));
    assert_eq!(store.stopped(large(), &[phone(1), phone(2)]).await.unwrap(), [phone(1)]);
    assert_eq!(store.stopped(id(1, 1).into(), &[phone(1)]).await.unwrap(), [], "another workspace's");
    let entry = explained.entry(large(), Action::MarketingStopSet, NOW + Duration::SECOND);
    store.resume(large(), &phone(1), NOW + Duration::SECOND, Some(entry)).await.unwrap();
    assert_eq!(store.stopped(large(), &[phone(1)]).await.unwrap(), []);
    assert_eq!(store.stop_of(large(), &phone(1)).await.unwrap(), None);
    // Late news of an earlier opt-out has no effect; a later opt-out has.
    store.stop(large(), &phone(1), stop(StopSource::Network), None).await.unwrap();
    assert_eq!(store.stopped(large(), &[phone(1)]).await.unwrap(), []);
    let later = MarketingStop { source: StopSource::Network, at: NOW + Duration::MINUTE };
    store.stop(large(), &phone(1), later, None).await.unwrap();
    assert_eq!(store.stop_of(large(), &phone(1)).await.unwrap(), Some(later));
    // A person whom a broadcast reached opts out, which counts once.
    let reached = PhoneNumber::from_e164("+9647700000005").unwrap();
    for _ in 0..2 {
        store.stop(large(), &reached, stop(StopSource::Customer), None).await.unwrap();
    }
    assert_eq!(store.progress(large(), id(32, 1).into()).await.unwrap().stopped, 1);
    // Out of order, the later of the two holds.
    store.resume(large(), &phone(2), NOW + Duration::MINUTE, None).await.unwrap();
    store.stop(large(), &phone(2), stop(StopSource::Network), None).await.unwrap();
    assert_eq!(store.stopped(large(), &[phone(2)]).await.unwrap(), []);
    // A reference that names a broadcast counts only for messages of its own people.
    for (broadcast, message, wanted) in [(1, 5, true), (2, 5, false), (1, 40_000, false)] {
        let is_of = store.is_of(large(), id(32, broadcast).into(), id(7, message).into());
        assert_eq!(is_of.await.unwrap(), wanted, "{message} of {broadcast}");
    }
    // The planner estimates a range of numbers as a two-hundredth of them.
    assert_ran_cheaply(&explained, 150).await;
}

fn numbered(text: &str, names: &[&str]) -> String {
    // Long names first, as a short one may be the beginning of another.
    let mut places: Vec<(usize, &&str)> = names.iter().enumerate().collect();
    places.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
    places
        .into_iter()
        .fold(text.to_owned(), |text, (at, name)| text.replace(&format!(":{name}"), &format!("${}", at + 1)))
}

#[tokio::test]
async fn what_is_told_and_answered_is_looked_up_by_itself_among_many() {
    let (_database, client) = seeded_with(MORE).await;
    let (large, broadcast, message, strange) = (id(1, 0), id(32, 1), id(7, 5), id(7, 40_000));
    let told = numbered(OF_BROADCASTS, &["workspace", "broadcasts", "messages"]);
    let values = format!("'{large}', '{{{broadcast},{broadcast}}}', '{{{message},{strange}}}'");
    assert_cheap(&client, 250, &[(&told, "uuid, uuid[], uuid[]", &values)]).await;
    let answered = numbered(ANSWERED, &["workspace", "contacts", "since"]);
    let values = format!("'{large}', '{{{},{}}}', '2026-10-23 10:00Z'", id(5, 1), id(5, 2));
    assert_cheap(&client, 250, &[(&answered, "uuid, uuid[], timestamptz", &values)]).await;
}

#[tokio::test]
async fn what_arrives_after_it_failed_is_undelivered_no_more() {
    let (database, client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let reference = id(32, 1).to_string();
    client.execute("UPDATE sends SET reference = $2 WHERE id = $1", &[&id(7, 5), &reference]).await.unwrap();
    let real = "UPDATE contacts SET phone = '+9647701234567' WHERE id = $1";
    client.execute(real, &[&id(5, 5)]).await.unwrap();
    let inbound = &explained.stores.inbound;
    let counts = async || {
        let progress = explained.stores.broadcasts.progress(large(), id(32, 1).into()).await.unwrap();
        (progress.undelivered, progress.delivered, progress.undelivered_codes)
    };
    for (status, wanted) in [
        (DeliveryStatus::Failed, (1, 0, vec![(131_026, 1)])),
        (DeliveryStatus::Delivered, (0, 1, Vec::new())),
        (DeliveryStatus::Failed, (0, 1, Vec::new())),
    ] {
        let names =
            MessageNames { tag: Some(id(7, 5).into()), network_id: NetworkMessageId::from("m".to_owned()) };
        let found = SentMessages::find(&**inbound, large(), &[names]).await.unwrap().remove(0).unwrap();
        let before = found.entry.progress;
        let change = StatusChange {
            id: id(7, 5).into(),
            before,
            after: before.advance(status, NOW).0,
            kept_error: None,
            error_code: (status == DeliveryStatus::Failed).then_some(131_026),
            events: Vec::new(),
        };
        SentMessages::commit(&**inbound, large(), &[change], &[]).await.unwrap();
        assert_eq!(counts().await, wanted, "{status:?}");
    }
    assert_ran_cheaply(&explained, 450).await;
}

#[tokio::test]
async fn a_number_is_left_out_until_the_broadcast_is_set_going_again() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let one = draft(30_000);
    let entry = |action| explained.entry(large(), action, NOW);
    store.add(large(), &one, 100, &entry(Action::BroadcastAdded)).await.unwrap();
    let moves = async |from, to| {
        store.change(large(), &moved(from, to, None), &entry(Action::BroadcastMoved)).await.unwrap()
    };
    assert!(moves(BroadcastState::Draft, BroadcastState::Running).await);
    let number = id(3, 0).into();
    let (quality, token) = (Bar::of_code(131_048).unwrap(), Bar::of_code(190).unwrap());
    store.leave_out(large(), one.id, &[number], quality, NOW).await.unwrap();
    // Later reports, also from another node, change nothing.
    store.leave_out(large(), one.id, &[number], token, NOW + Duration::HOUR).await.unwrap();
    let out = store.left_out(large(), one.id).await.unwrap();
    let told: Vec<_> = out.iter().map(|out| (out.channel, out.reason, out.code, out.at)).collect();
    assert_eq!(told, [(number, LeftOutReason::NetworkRefused, Some(131_048), NOW)]);
    assert_eq!(store.progress(large(), one.id).await.unwrap().left_out, out);
    assert_eq!(store.left_out(id(1, 1).into(), one.id).await.unwrap(), [], "another workspace's");
    assert!(moves(BroadcastState::Running, BroadcastState::Paused).await);
    assert_eq!(store.left_out(large(), one.id).await.unwrap(), out, "it says why");
    assert!(moves(BroadcastState::Paused, BroadcastState::Running).await);
    assert_eq!(store.left_out(large(), one.id).await.unwrap(), []);
    assert_ran_cheaply(&explained, 250).await;
}

#[tokio::test]
async fn lists_and_prices_are_read_by_what_is_asked_for_alone() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let list = BroadcastList {
        id: id(33, 2).into(),
        name: "Weekend".to_owned(),
        columns: vec!["City".to_owned()],
        people: 0,
        complete: false,
        created_at: NOW,
    };
    assert!(!store.begin(large(), &list, 1).await.unwrap(), "there is one");
    assert!(store.begin(large(), &list, 2).await.unwrap());
    assert_eq!(store.complete_list(large(), list.id).await.unwrap(), None, "not all of it has arrived");
    let listed = |number: u32| ListedNumber {
        id: id(34, 50_000 + u128::from(number)),
        phone: phone(number),
        values: ColumnValues::from([("City".to_owned(), format!("{number}"))]),
    };
    assert_eq!(store.add_to(large(), list.id, &[listed(2), listed(1)]).await.unwrap(), 2);
    assert_eq!(store.add_to(large(), list.id, &[listed(2), listed(3)]).await.unwrap(), 1);
    let entry = |action| explained.entry(large(), action, NOW);
    store.complete(large(), list.id, 3, &entry(Action::BroadcastListAdded)).await.unwrap();
    let found = store.complete_list(large(), list.id).await.unwrap().unwrap();
    assert_eq!((found.people, found.columns), (3, list.columns.clone()));
    assert_eq!(store.lists(large()).await.unwrap().len(), 2);
    assert_eq!(store.lists(id(1, 1).into()).await.unwrap(), []);
    let people = store.people_of(large(), list.id, None, 2).await.unwrap();
    assert_eq!(people.iter().map(|(listed, _)| listed.clone()).collect::<Vec<_>>(), [listed(1), listed(2)]);
    let rest = store.people_of(large(), list.id, Some(people[1].0.id), 2).await.unwrap();
    assert_eq!(rest.len(), 1);
    let values = store.values_of(large(), list.id, &[phone(1), phone(9)]).await.unwrap();
    assert_eq!(values, [(phone(1), listed(1).values)].into());
    assert!(!store.is_needed(large(), list.id).await.unwrap());
    let draft = Broadcast { audience: Audience::List(list.id), ..draft(30_005) };
    store.add(large(), &draft, 100, &entry(Action::BroadcastAdded)).await.unwrap();
    assert!(store.is_needed(large(), list.id).await.unwrap());
    let groups = &explained.stores.groups;
    assert!(!groups.is_needed(large(), id(11, 1).into()).await.unwrap(), "no broadcast goes to its people");
    assert!(!store.is_needed(id(1, 1).into(), list.id).await.unwrap(), "another workspace's");
    assert!(store.remove(large(), draft.id, &entry(Action::BroadcastRemoved)).await.unwrap());

    assert_eq!(store.prices(large()).await.unwrap(), None);
    let prices =
        Prices { currency: "USD".to_owned(), by_category: [("marketing".to_owned(), 25_800)].into() };
    for _ in 0..2 {
        store.set_prices(large(), &prices, &entry(Action::BroadcastPricesSet)).await.unwrap();
    }
    assert_eq!(store.prices(large()).await.unwrap(), Some(prices));
    assert_eq!(store.names(large(), &[id(32, 1).into(), id(32, 9_999).into()]).await.unwrap().len(), 1);
    assert!(!store.has_group(large(), id(99, 1).into()).await.unwrap());
    let (first, second) = (id(5, 1).into(), id(5, 2).into());
    assert!(store.in_group(large(), id(99, 1).into(), &[first, second]).await.unwrap().is_empty());
    assert_ran_cheaply(&explained, 450).await;
    assert!(store.remove_list(large(), list.id, &entry(Action::BroadcastListRemoved)).await.unwrap());
    assert!(!store.remove_list(large(), list.id, &entry(Action::BroadcastListRemoved)).await.unwrap());
    explained.ran().await;
}

#[tokio::test]
async fn people_are_settled_by_their_messages_among_many() {
    let (_database, client) = seeded_with(MORE).await;
    let queue = "UPDATE broadcast_people SET state = 'queued' WHERE broadcast_id = id(32, 1)
                 AND message_id BETWEEN id(7, 9001) AND id(7, 9032)";
    assert_eq!(client.execute(queue, &[]).await.unwrap(), 32);
    let list = |of: &dyn Fn(u128) -> String| {
        let all: Vec<String> = (9_001..=9_032).map(of).collect();
        all.join(",")
    };
    let (messages, states) = (list(&|n| id(7, n).to_string()), list(&|_| "sent".to_owned()));
    let (reasons, times) = (list(&|_| "NULL".to_owned()), list(&|_| "2026-11-22 10:00Z".to_owned()));
    let values = format!(
        "'{{{messages}}}', '{{{states}}}', '{{{reasons}}}', '{{{times}}}', '{}', '{}', '{}', '{}'",
        id(1, 0),
        id(32, 1),
        id(7, 9_001),
        id(7, 9_032)
    );
    let types = "uuid[], text[], text[], timestamptz[], uuid, uuid, uuid, uuid";
    let settled = positional(SETTLED);
    assert_cheap(&client, 250, &[(&settled, types, &values)]).await;
}

#[tokio::test]
async fn a_page_of_people_is_read_by_keys_among_many() {
    let (database, client) = seeded_with(MORE).await;
    let refused = "UPDATE broadcast_people SET state = 'failed' WHERE broadcast_id = id(32, 1)
                   AND message_id BETWEEN id(7, 8001) AND id(7, 8999)";
    assert_eq!(client.execute(refused, &[]).await.unwrap(), 999);
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.broadcasts;
    let page = |state| async move {
        let filter = PeopleFilter { state, reason: None };
        let found =
            store.people(large(), id(32, 1).into(), &filter, 20, Some(id(7, 9_000).into())).await.unwrap();
        assert_eq!(found.reached, None);
        let messages = found.rows.iter().map(|row| row.person.message.uuid());
        let wanted = (0..21).map(|behind| id(7, 8_999 - behind));
        assert!(messages.eq(wanted), "{state:?}");
        found.rows
    };
    for state in [None, Some(PeopleState::Is(PersonState::Failed)), Some(PeopleState::Answered)] {
        let rows = page(state).await;
        assert!(rows.iter().all(|row| row.followed.answered_at.is_some()), "{state:?}");
        assert!(rows.iter().all(|row| row.followed.stopped_at.is_none()), "{state:?}");
        assert_ran_cheaply(&explained, 120).await;
    }
    // Nobody is queued: the index skips all others.
    let queued = PeopleFilter { state: Some(PeopleState::Is(PersonState::Queued)), reason: None };
    assert_eq!(store.people(large(), id(32, 1).into(), &queued, 20, None).await.unwrap().rows.len(), 0);
    assert_ran_cheaply(&explained, 20).await;
    let listed = format!("'{}', '{}', '{}', 20", id(1, 0), id(33, 1), id(34, 9_000));
    assert_cheap(&client, 120, &[(&positional(lists::PEOPLE), "uuid, uuid, uuid, bigint", &listed)]).await;
}
