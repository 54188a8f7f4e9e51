//! Working off the journal: what is done with, what waits, and for how long.

use std::sync::{Arc, Mutex};

use domain::{
    channels::{
        ChannelKind, StandingState, SyncNumbers,
        ports::{
            MockAccountStandings, MockAccountStore, MockChannelHealth, MockNetworkAccounts,
            MockUnreadUpdates, NetworkError,
        },
    },
    contacts::Identity,
    errors::StoreError,
    ids::JournalId,
    inbound::{
        ApplyStatuses, Claimed, ConversationUpdate, HandleUpdates, HeldUpdate, JournalEntry, JournalItem,
        OpenNamed, Person, Round, SetAside, Settlement, StatusUpdate, TakenUp, UnreadableEntry, UpdateKind,
        UpdateOutcome, Written,
        ports::{Inbox, MockInbox, MockJournal, MockMessageOrigins, MockNetworkMessages},
    },
    messages::{DeliveryStatus, NetworkMessageId},
    templates::{
        SyncAccount,
        ports::{MockNetworkTemplates, MockTemplateStore},
    },
    testing::{
        ManualClock, SequentialIds, a_moment, a_number, a_sent_message, a_status, a_workspace, an_account,
        deps_of,
    },
};
use time::{Duration, OffsetDateTime, ext::NumericalDuration};
use uuid::Uuid;

use crate::inbound::Statuses;

/// What became of the entries of a round.
#[derive(Clone, Default)]
pub(crate) struct Fate {
    /// In the transaction of what they changed, or at the end.
    pub(crate) finished: Vec<JournalId>,
    pub(crate) postponed: Vec<(JournalId, OffsetDateTime)>,
    set_aside: Vec<SetAside>,
}

/// Handles `entries` at [`a_moment`]. Without a mock for it, a round calls neither store nor network.
pub(crate) async fn handle(
    entries: Vec<JournalEntry>,
    statuses: impl FnOnce(&mut Statuses),
    sync: impl FnOnce(&mut Sync),
) -> (Round, Fate) {
    let run = async |worker: &HandleUpdates| worker.run(a_workspace().id, held(entries)).await;
    over(MockJournal::new(), run, statuses, sync, None).await
}

/// As if they had been taken up just now.
fn held(entries: Vec<JournalEntry>) -> Vec<HeldUpdate> {
    let held = |(place, entry)| HeldUpdate { entry, place, late: false, failures: 0 };
    (1..).zip(entries).map(held).collect()
}

/// As if they had lost their places before.
fn late(entries: Vec<JournalEntry>) -> Vec<HeldUpdate> {
    held(entries).into_iter().map(|held| HeldUpdate { late: true, ..held }).collect()
}

/// Handles what has lost its place.
async fn handle_late(entries: Vec<JournalEntry>, statuses: impl FnOnce(&mut Statuses)) -> (Round, Fate) {
    let run = async |worker: &HandleUpdates| worker.run(a_workspace().id, late(entries)).await;
    over(MockJournal::new(), run, statuses, nothing, None).await
}

fn set_aside(number: u128, network: ChannelKind, reason: &str) -> SetAside {
    SetAside { id: id(number), network: Some(network), reason: reason.to_owned() }
}

fn ids(held: &[HeldUpdate]) -> Vec<JournalId> {
    held.iter().map(|held| held.entry.id).collect()
}

/// Takes `claimed` up at [`a_moment`].
async fn take_up(claimed: Claimed) -> (TakenUp, Fate) {
    let mut journal = MockJournal::new();
    journal
        .expect_claim()
        .withf(|workspace, now, lease_until, limit| {
            *workspace == a_workspace().id
                && (*now, *lease_until) == (a_moment(), a_moment() + 1.minutes())
                && *limit == 1_000
        })
        .once()
        .returning(move |_, _, _, _| Ok(claimed.clone()));
    let run = async |worker: &HandleUpdates| worker.take_up(a_workspace().id).await.unwrap();
    over(journal, run, nothing, nothing, None).await
}

/// What is done over this journal, and what it writes down there.
async fn over<T>(
    mut journal: MockJournal,
    run: impl AsyncFnOnce(&HandleUpdates) -> T,
    statuses: impl FnOnce(&mut Statuses),
    sync: impl FnOnce(&mut Sync),
    inbox: Option<Arc<dyn Inbox>>,
) -> (T, Fate) {
    let clock = Arc::new(ManualClock::at(a_moment()));
    let settled: Arc<Mutex<Settlement>> = Arc::default();
    let settling = settled.clone();
    journal.expect_settle().returning(move |_, settlement| {
        *settling.lock().unwrap() = settlement.clone();
        Ok(())
    });
    let mut around_statuses = Statuses::at(clock.clone());
    statuses(&mut around_statuses);
    let around_statuses = around_statuses.writing();
    let taken_in = around_statuses.taken_in.clone();
    let statuses: ApplyStatuses = around_statuses.use_case();
    let mut around_sync = Sync::default();
    sync(&mut around_sync);
    let sync = Arc::new(around_sync.use_case(clock.clone()));
    let mut standings = MockAccountStandings::new();
    standings.expect_set_standing().returning(|_, account, standing| match account {
        "broken" => Err(StoreError::Internal("no room".to_owned())),
        _ => Ok(standing.state == StandingState::Disabled),
    });
    let standings = Arc::new(standings);
    let named = OpenNamed {
        origins: Arc::new(MockMessageOrigins::new()),
        network: Arc::new(MockNetworkMessages::new()),
        unread: Arc::new(MockUnreadUpdates::new()),
        clock: clock.clone(),
    };
    let use_case =
        HandleUpdates { journal: Arc::new(journal), statuses, inbox, named, sync, standings, clock };
    let done = run(&use_case).await;
    let Settlement { handled, postponed, set_aside } = settled.lock().unwrap().clone();
    let finished = taken_in.lock().unwrap().iter().copied().chain(handled).collect();
    (done, Fate { finished, postponed, set_aside })
}

/// The ports around the reading of an account.
#[derive(Default)]
pub(crate) struct Sync {
    pub(crate) accounts: MockAccountStore,
    pub(crate) numbers: MockNetworkAccounts,
    pub(crate) templates: MockTemplateStore,
    pub(crate) network: MockNetworkTemplates,
    pub(crate) health: MockChannelHealth,
}

impl Sync {
    pub(crate) fn use_case(self, clock: Arc<ManualClock>) -> SyncAccount {
        let accounts = Arc::new(self.accounts);
        SyncAccount {
            numbers: SyncNumbers {
                store: accounts.clone(),
                network: Arc::new(self.numbers),
                clock: clock.clone(),
            },
            accounts,
            templates: Arc::new(self.templates),
            network: Arc::new(self.network),
            health: Arc::new(self.health),
            deps: deps_of(clock, Arc::new(SequentialIds::default())),
        }
    }
}

fn id(number: u128) -> JournalId {
    Uuid::from_u128(number).into()
}

pub(crate) fn an_entry(number: u128, item: JournalItem) -> JournalEntry {
    JournalEntry { id: id(number), workspace: a_workspace().id, received_at: a_moment(), attempts: 0, item }
}

/// A status about message `network_id`, without a tag.
fn untagged(network_id: &str) -> JournalItem {
    JournalItem::Status(StatusUpdate {
        network_id: NetworkMessageId::from(network_id.to_owned()),
        tag: None,
        ..a_status(DeliveryStatus::Sent)
    })
}

fn templates_changed() -> JournalItem {
    JournalItem::TemplatesChanged { account_network_id: an_account().network_id }
}

fn knowing_nothing(statuses: &mut Statuses) {
    statuses.messages.expect_find().returning(|_, names| Ok(vec![None; names.len()]));
}

pub(crate) fn nothing<T>(_: &mut T) {}

#[pollster::test]
async fn a_status_that_is_applied_is_done_with() {
    let entries = vec![an_entry(1, untagged("one")), an_entry(2, untagged("two"))];
    let known = |statuses: &mut Statuses| {
        statuses.messages.expect_find().returning(|_, names| Ok(vec![Some(a_sent_message()); names.len()]));
    };
    let (round, fate) = handle(entries, known, nothing).await;
    assert_eq!(fate.finished, [id(1), id(2)]);
    assert!(round.unhandled.is_empty());
}

#[pollster::test]
async fn an_early_status_waits_a_quarter_of_an_hour_and_no_longer() {
    for (age, in_its_place, waits) in [
        (Duration::ZERO, true, true),
        (3.minutes() - 1.seconds(), true, true),
        (3.minutes(), false, true),
        (15.minutes() - 1.seconds(), false, true),
        (15.minutes(), false, false),
        (2.days(), false, false),
    ] {
        let entry = JournalEntry { received_at: a_moment() - age, ..an_entry(1, untagged("one")) };
        let (round, fate) = handle(vec![entry.clone()], knowing_nothing, nothing).await;
        assert_eq!(round.again.len(), usize::from(in_its_place), "{age}: what follows it waits as well");
        assert_eq!(fate.postponed.len(), usize::from(waits && !in_its_place), "{age}");
        assert_eq!(fate.finished.len(), usize::from(!waits), "{age}");
        assert!(round.unhandled.is_empty(), "waiting is nothing for the log");
        let (_, fate) = handle_late(vec![entry], knowing_nothing).await;
        assert_eq!(fate.postponed.len(), usize::from(waits), "{age}");
    }
}

#[pollster::test]
async fn a_status_with_a_tag_that_is_not_ours_does_not_wait() {
    let entry = an_entry(1, JournalItem::Status(a_status(DeliveryStatus::Delivered)));
    let (_, fate) = handle(vec![entry], knowing_nothing, nothing).await;
    assert_eq!(fate.finished, [id(1)]);
}

#[pollster::test]
async fn one_update_that_fails_does_not_stop_the_others() {
    let entries =
        vec![an_entry(1, untagged("one")), an_entry(2, untagged("bad")), an_entry(3, untagged("three"))];
    let failing_once = |statuses: &mut Statuses| {
        statuses.messages.expect_find().returning(|_, names| {
            if names.iter().any(|names| names.network_id.reveal() == "bad") {
                return Err(StoreError::Internal("a row that cannot be read".to_owned()));
            }
            Ok(vec![Some(a_sent_message()); names.len()])
        });
    };
    let (round, fate) = handle(entries, failing_once, nothing).await;
    assert_eq!(fate.finished, [id(1), id(3)]);
    assert_eq!(ids(&round.again), [id(2)]);
    assert_eq!(round.again[0].pause(), std::time::Duration::from_secs(1));
    let [unhandled] = round.unhandled.as_slice() else { panic!("one stays") };
    assert_eq!(unhandled.id, id(2));
    assert!(unhandled.to_string().contains("a row that cannot be read"));
}

#[pollster::test]
async fn what_follows_one_that_fails_is_not_tried_before_it() {
    let entries =
        vec![an_entry(1, untagged("bad")), an_entry(2, untagged("two")), an_entry(3, untagged("bad"))];
    let failing = |statuses: &mut Statuses| {
        statuses.messages.expect_find().times(3).returning(|_, names| {
            if names.iter().any(|names| names.network_id.reveal() == "bad") {
                return Err(StoreError::Internal("a row that cannot be read".to_owned()));
            }
            Ok(vec![Some(a_sent_message()); names.len()])
        });
    };
    let (round, fate) = handle(entries, failing, nothing).await;
    assert_eq!((fate.finished, ids(&round.again)), (vec![id(2)], vec![id(1), id(3)]));
    assert_eq!(round.again.iter().map(|held| held.failures).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(round.unhandled.len(), 1);
}

#[pollster::test]
async fn what_keeps_failing_by_itself_loses_its_place_after_half_a_minute() {
    let broken = |statuses: &mut Statuses| {
        let broken = || StoreError::Internal("a row that cannot be read".to_owned());
        statuses.messages.expect_find().returning(move |_, _| Err(broken()));
    };
    let mut held = held(vec![an_entry(1, untagged("one"))]);
    let mut waited = std::time::Duration::ZERO;
    let postponed = loop {
        let mut journal = MockJournal::new();
        journal.expect_in_hand().returning(|_, ids| Ok(ids.iter().copied().collect()));
        let run = async |worker: &HandleUpdates| worker.run(a_workspace().id, held).await;
        let (round, fate) = over(journal, run, broken, nothing, None).await;
        if round.again.is_empty() {
            break fate.postponed;
        }
        waited += round.again[0].pause();
        held = round.again;
    };
    assert_eq!(postponed, [(id(1), a_moment() + 1.seconds())]);
    assert_eq!(waited, std::time::Duration::from_secs(30));
}

#[pollster::test]
async fn while_the_store_is_away_everything_keeps_its_place_for_as_long_as_it_takes() {
    let away = |statuses: &mut Statuses| {
        let gone = || StoreError::Unavailable("gone".to_owned());
        statuses.messages.expect_find().returning(move |_, _| Err(gone()));
    };
    let mut held = held(vec![an_entry(1, untagged("one")), an_entry(2, untagged("one"))]);
    for _ in 0..100 {
        let mut journal = MockJournal::new();
        journal.expect_in_hand().returning(|_, ids| Ok(ids.iter().copied().collect()));
        let run = async |worker: &HandleUpdates| worker.run(a_workspace().id, held).await;
        let (round, fate) = over(journal, run, away, nothing, None).await;
        assert_eq!(ids(&round.again), [id(1), id(2)]);
        assert!(fate.postponed.is_empty() && fate.finished.is_empty());
        held = round.again;
    }
}

#[pollster::test]
async fn what_was_in_doubt_and_is_no_longer_held_is_left_alone() {
    let mut journal = MockJournal::new();
    journal.expect_in_hand().once().returning(|_, _| Ok([id(2)].into()));
    let mut held = held(vec![an_entry(1, untagged("one")), an_entry(2, untagged("two"))]);
    held[0].failures = 1;
    let known = |statuses: &mut Statuses| {
        statuses.messages.expect_find().returning(|_, names| Ok(vec![Some(a_sent_message()); names.len()]));
    };
    let run = async |worker: &HandleUpdates| worker.run(a_workspace().id, held).await;
    let (round, fate) = over(journal, run, known, nothing, None).await;
    assert_eq!(fate.finished, [id(2)]);
    assert!(round.again.is_empty());
}

#[pollster::test]
async fn each_attempt_doubles_the_wait_up_to_five_minutes() {
    for (attempts, seconds) in [(0, 1), (1, 2), (5, 32), (8, 256), (9, 300), (16, 300), (u32::MAX, 300)] {
        let entry = JournalEntry { attempts, ..an_entry(1, untagged("one")) };
        let (_, fate) = handle_late(vec![entry], knowing_nothing).await;
        assert_eq!(fate.postponed, [(id(1), a_moment() + Duration::seconds(seconds))], "{attempts}");
    }
}

#[pollster::test]
async fn changed_templates_are_read_again() {
    let working = |sync: &mut Sync| {
        sync.accounts.expect_find_by_network_id().returning(|_, _| Ok(Some(an_account())));
        sync.numbers.expect_numbers().returning(|_, _| Ok(vec![]));
        sync.accounts.expect_replace_numbers().returning(|_, _, _, _| Ok(()));
        sync.network.expect_templates().returning(|_| Ok(vec![]));
        sync.templates.expect_replace().once().returning(|_, _, _, _, _| Ok(()));
    };
    let (_, fate) = handle(vec![an_entry(1, templates_changed())], nothing, working).await;
    assert_eq!(fate.finished, [id(1)]);
}

#[pollster::test]
async fn templates_of_an_account_that_is_gone_are_done_with() {
    let gone = |sync: &mut Sync| {
        sync.accounts.expect_find_by_network_id().returning(|_, _| Ok(None));
    };
    let (_, fate) = handle(vec![an_entry(1, templates_changed())], nothing, gone).await;
    assert_eq!(fate.finished, [id(1)]);
}

#[pollster::test]
async fn templates_that_the_network_does_not_tell_now_are_asked_for_later() {
    let silent = |sync: &mut Sync| {
        sync.accounts.expect_find_by_network_id().returning(|_, _| Ok(Some(an_account())));
        sync.numbers
            .expect_numbers()
            .returning(|_, _| Err(NetworkError::Unavailable("status 503".to_owned())));
    };
    let (round, fate) = handle(vec![an_entry(1, templates_changed())], nothing, silent).await;
    assert_eq!(fate.postponed.len(), 1);
    assert!(round.unhandled.first().is_some_and(|unhandled| unhandled.reason.contains("status 503")));
}

/// What a customer wrote, in the journal.
fn a_message(number: u128) -> JournalEntry {
    an_entry(number, JournalItem::Conversation { channel: a_number(0, 1).id, update: Box::new(written()) })
}

#[pollster::test]
async fn what_a_customer_wrote_stays_in_the_journal_while_nobody_records_it() {
    let entry = JournalEntry { attempts: 1_000, ..a_message(1) };
    let (round, fate) = handle(vec![entry], nothing, nothing).await;
    assert_eq!(fate.postponed, [(id(1), a_moment() + 5.minutes())]);
    assert!(fate.finished.is_empty() && fate.set_aside.is_empty() && round.unhandled.is_empty());
}

#[pollster::test]
async fn what_customers_wrote_is_recorded_together_and_each_has_its_own_verdict() {
    let mut inbox = MockInbox::new();
    inbox
        .expect_record()
        .withf(|workspace, entries| {
            let ids: Vec<_> = entries.iter().map(|entry| entry.id).collect();
            *workspace == a_workspace().id && ids == [id(1), id(3), id(4), id(5)]
        })
        .once()
        .returning(|_, _| {
            let failed = UpdateOutcome::Failed("no such conversation".to_owned());
            vec![UpdateOutcome::Finished, UpdateOutcome::Handled, UpdateOutcome::Waits, failed]
        });
    let entries = vec![
        a_message(1),
        an_entry(2, untagged("two")),
        a_message(3),
        a_message(4),
        JournalEntry { attempts: 300, ..a_message(5) },
    ];
    let run = async |worker: &HandleUpdates| worker.run(a_workspace().id, held(entries)).await;
    let inbox: Arc<dyn Inbox> = Arc::new(inbox);
    let (round, fate) = over(MockJournal::new(), run, knowing_nothing, nothing, Some(inbox)).await;
    assert_eq!(fate.finished, [id(3)]);
    assert_eq!(fate.postponed.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [id(4)]);
    assert_eq!(ids(&round.again), [id(2)]);
    assert_eq!(fate.set_aside, [set_aside(5, ChannelKind::Messenger, "no such conversation")]);
    assert_eq!(round.unhandled.len(), 1);
}

#[pollster::test]
async fn what_cannot_be_read_or_handled_is_set_aside_after_three_hundred_attempts() {
    let broken = |statuses: &mut Statuses| {
        let broken = || StoreError::Internal("a row that cannot be read".to_owned());
        statuses.messages.expect_find().returning(move |_, _| Err(broken()));
    };
    for (attempts, given_up) in [(1, false), (299, false), (300, true), (301, true)] {
        let entries = vec![JournalEntry { attempts, ..an_entry(1, untagged("one")) }];
        let (round, handled) = handle_late(entries, broken).await;
        let unreadable = vec![UnreadableEntry { id: id(2), attempts, reason: "spoiled".to_owned() }];
        let (taken, opened) = take_up(Claimed { unreadable, ..Claimed::default() }).await;
        assert!(taken.held.is_empty());
        for (fate, unhandled) in [(handled, round.unhandled), (opened, taken.unhandled)] {
            let expected = if given_up { (0, 1) } else { (1, 0) };
            assert_eq!((fate.postponed.len(), fate.set_aside.len()), expected, "{attempts}");
            assert!(fate.finished.is_empty());
            assert!(unhandled.iter().all(|unhandled| unhandled.set_aside == given_up), "{attempts}");
            assert_eq!(unhandled.len(), 1);
        }
    }
}

#[pollster::test]
async fn what_is_set_aside_names_its_network_unless_it_cannot_be_opened() {
    let message = |number, identity: Identity| {
        let update = ConversationUpdate {
            person: Person { identities: vec![identity], name: None, avatar_url: None },
            at: a_moment(),
            what: UpdateKind::Renumbered { now: Vec::new() },
        };
        let item = JournalItem::Conversation { channel: a_number(0, 1).id, update: Box::new(update) };
        JournalEntry { attempts: 301, item, ..an_entry(number, untagged("one")) }
    };
    let mut entries = vec![JournalEntry { attempts: 301, ..an_entry(1, untagged("one")) }];
    entries.push(message(2, Identity::MessengerUser("24".to_owned())));
    entries.push(message(3, Identity::InstagramUser("17".to_owned())));
    let unreadable = vec![UnreadableEntry { id: id(4), attempts: 301, reason: "spoiled".to_owned() }];
    let (_, fate) = take_up(Claimed { entries: held(entries), unreadable, elsewhere: false }).await;
    let mut networks: Vec<_> = fate.set_aside.into_iter().map(|aside| (aside.id, aside.network)).collect();
    networks.sort_unstable_by_key(|(id, _)| *id);
    let [whatsapp, messenger, instagram] = ChannelKind::ALL.map(Some);
    assert_eq!(networks, [(id(1), whatsapp), (id(2), messenger), (id(3), instagram), (id(4), None)]);
}

#[pollster::test]
async fn what_was_taken_up_too_often_without_an_end_is_set_aside_unhandled() {
    let entry = |number, attempts| JournalEntry { attempts, ..an_entry(number, untagged("one")) };
    let entries = vec![entry(1, 300), entry(2, 301)];
    let (taken, fate) = take_up(Claimed { entries: held(entries), ..Claimed::default() }).await;
    assert_eq!(taken.held, held(vec![entry(1, 300)]));
    assert_eq!(fate.set_aside, [set_aside(2, ChannelKind::Whatsapp, "its handling never came to an end")]);
    assert!(taken.unhandled.iter().all(|unhandled| unhandled.set_aside) && taken.failed.is_none());
}

#[pollster::test]
async fn what_can_be_read_is_taken_up_although_the_rest_could_not_be_put_back() {
    let mut journal = MockJournal::new();
    let unreadable = vec![UnreadableEntry { id: id(2), attempts: 1, reason: "spoiled".to_owned() }];
    let entries = held(vec![an_entry(1, untagged("one"))]);
    let claimed = Claimed { entries, unreadable, elsewhere: false };
    journal.expect_claim().returning(move |_, _, _, _| Ok(claimed.clone()));
    journal.expect_settle().once().returning(|_, _| Err(StoreError::Unavailable("gone".to_owned())));
    let run = async |worker: &HandleUpdates| worker.take_up(a_workspace().id).await.unwrap();
    let (taken, _) = over(journal, run, nothing, nothing, None).await;
    assert_eq!(taken.held, held(vec![an_entry(1, untagged("one"))]));
    assert!(matches!(taken.failed, Some(StoreError::Unavailable(_))));
}

#[pollster::test]
async fn what_broke_off_is_put_back_until_it_has_been_tried_often_enough() {
    for (attempts, given_up) in [(1, false), (300, true)] {
        let entry = JournalEntry { attempts, ..an_entry(1, untagged("one")) };
        let [held] = held(vec![entry]).try_into().unwrap();
        let run = async |worker: &HandleUpdates| {
            worker.put_back(a_workspace().id, &held, "it broke off").await.unwrap()
        };
        let (unhandled, fate) = over(MockJournal::new(), run, nothing, nothing, None).await;
        assert_eq!((fate.postponed.len(), fate.set_aside.len()), if given_up { (0, 1) } else { (1, 0) });
        assert_eq!(unhandled.iter().map(|of| of.set_aside).collect::<Vec<_>>(), [given_up]);
    }
}

#[pollster::test]
async fn while_the_store_is_away_statuses_are_not_tried_one_by_one() {
    let away = |statuses: &mut Statuses| {
        let gone = || StoreError::Unavailable("gone".to_owned());
        statuses.messages.expect_find().once().returning(move |_, _| Err(gone()));
    };
    let entries = (1..=3).map(|number| an_entry(number, untagged("one"))).collect();
    let (round, fate) = handle(entries, away, nothing).await;
    assert_eq!((fate.postponed.len(), round.again.len(), round.unhandled.len()), (0, 3, 0));
    assert!(round.failed.is_some_and(|reason| reason.contains("gone")));
}

#[pollster::test]
async fn an_account_that_changed_several_times_is_read_once() {
    let gone = |sync: &mut Sync| {
        sync.accounts.expect_find_by_network_id().once().returning(|_, _| Ok(None));
    };
    let entries = vec![an_entry(1, templates_changed()), an_entry(2, templates_changed())];
    let (_, fate) = handle(entries, nothing, gone).await;
    assert_eq!(fate.finished, [id(1), id(2)]);
}

#[pollster::test]
async fn what_was_taken_up_may_have_more_behind_it() {
    for (count, more) in [(0, false), (999, false), (1_000, true)] {
        let entries: Vec<_> = (0..count).map(|number| an_entry(number, untagged("one"))).collect();
        let claimed = Claimed { entries: held(entries.clone()), ..Claimed::default() };
        let (taken, fate) = take_up(claimed).await;
        assert_eq!(taken.more, more, "{count}");
        assert_eq!(taken.held, held(entries));
        assert!(fate.finished.is_empty() && fate.postponed.is_empty());
    }
}

fn written() -> ConversationUpdate {
    ConversationUpdate {
        person: Person {
            identities: vec![Identity::MessengerUser("2481".to_owned())],
            name: None,
            avatar_url: None,
        },
        at: a_moment(),
        what: UpdateKind::Wrote(Written {
            network_id: NetworkMessageId::from("m_1".to_owned()),
            content: "مرحبا".to_owned(),
            media: Vec::new(),
            context: domain::messages::Context::default(),
        }),
    }
}
