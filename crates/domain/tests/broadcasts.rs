//! Broadcasts: whom they write to, what stops them, and what of each send is written down.
//!
//! A mock that a test did not set up panics when it is called: what is not named was not asked.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
};

use domain::{
    audit::{Acting, Actor},
    broadcasts::{
        Audience, AudienceFilter, Audiences, Bar, Broadcast, BroadcastContent, BroadcastError, BroadcastList,
        BroadcastPerson, BroadcastState, Change, LeftOutNumber, LeftOutReason, LimitPreview, ListedNumber,
        ManageBroadcasts, MarketingStop, NumberLimit, PersonState, PreviewBroadcast, Prices, RunBroadcasts,
        Step, StopSource, TryBroadcast, TryBroadcastError, VariableSource, WrittenTo, amount,
        ports::{
            BegunSend, MockBroadcastListStore, MockBroadcastStore, MockMarketingStopStore,
            MockMessagingLimitStore,
        },
        span_of,
    },
    channels::Number,
    contacts::{
        Contact, ContactName, ContactProfile,
        directory::DirectoryRow,
        ports::{FoundDirectory, MockContactDirectory, MockContactStore},
    },
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastId, MessageId},
    lease::LEASE,
    messages::NetworkMessageId,
    paging::Cursors,
    pause_reason::PauseReason,
    phone::PhoneNumber,
    sending::{
        Catalogue, ConversationEntry, ConversationParts, IdempotencyKey, Recorder, Refusal, SendOnce,
        SendTemplate,
        ports::{MockMessagingNetwork, MockSendLedger, Recorded, ReserveOutcome, SendFailure},
    },
    signals::MockSignals,
    templates::{Button, Header, Template},
    testing::{
        ManualClock, SequentialIds, a_broadcast, a_broadcast_content, a_contact, a_member, a_moment,
        a_network_message_id, a_number, a_region, a_template, a_vault, a_workspace, catalogue_of, deps_of,
        some_links,
    },
    workspaces::{ShowUsage, ports::MockWorkspaceStore},
};
use futures_util::future::join;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

fn id() -> BroadcastId {
    Uuid::from_u128(70).into()
}

fn content() -> BroadcastContent {
    let variables = [
        ("1", VariableSource::ContactName { otherwise: None }),
        ("2", VariableSource::Text("A-1".to_owned())),
    ];
    BroadcastContent {
        template: "order_ready".to_owned(),
        variables: variables
            .map(|(label, source)| (label.to_owned(), source))
            .into_iter()
            .collect::<BTreeMap<_, _>>(),
        ..a_broadcast_content()
    }
}

fn broadcast(state: BroadcastState) -> Broadcast {
    Broadcast {
        id: id(),
        state,
        content: content(),
        starts_at: Some(a_moment()),
        collected: true,
        ..a_broadcast()
    }
}

fn phone(number: u128) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+964770{:07}", 1_000_000 + number)).unwrap()
}

fn person(number: u128) -> BroadcastPerson {
    BroadcastPerson {
        contact: Some(Uuid::from_u128(number).into()),
        phone: phone(number),
        name: ContactName::read("سارة").ok(),
        message: Uuid::from_u128(1_000 + number).into(),
    }
}

fn catalogue(category: &str) -> Catalogue {
    catalogue_by(category, &[a_number(0, 1)])
}

fn catalogue_by(category: &str, numbers: &[Number]) -> Catalogue {
    let template = |number: &Number| Template {
        account: number.account,
        category: category.to_owned(),
        ..a_template("order_ready")
    };
    catalogue_of(numbers.to_vec(), numbers.iter().map(template).collect())
}

/// The number's limit, and whom its account has written to since.
fn limits(
    number: &Number,
    word: Option<&'static str>,
    written_to: Option<(OffsetDateTime, u64)>,
) -> MockMessagingLimitStore {
    let (account, network_id) = (number.account, number.network_id.clone());
    let mut limits = MockMessagingLimitStore::new();
    limits.expect_limits().returning(move |_| {
        let limit =
            |word: &str| NumberLimit { account, network_id: network_id.clone(), word: word.to_owned() };
        Ok(word.map(limit).into_iter().collect())
    });
    limits.expect_written_to().returning(move |_, accounts, since| {
        assert_eq!((accounts, since), (&[account][..], span_of(a_moment() - Duration::DAY)));
        let written = |(at, people)| WrittenTo { account, since: span_of(at), people };
        Ok(written_to.map(written).into_iter().collect())
    });
    limits
}

/// What was done, in order.
#[derive(Clone, Default)]
struct Done(Arc<Mutex<Vec<String>>>);

impl Done {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// What a turn meets.
struct World {
    broadcast: Broadcast,
    /// What is queued at each look.
    queued: Vec<Vec<BroadcastPerson>>,
    /// The look that fails, counted from 0.
    failing_look: Option<usize>,
    begun: HashMap<MessageId, BegunSend>,
    category: &'static str,
    /// Numbers that send, each with an account that has the template.
    numbers: Vec<Number>,
    /// What the network lets the first of them begin to write to.
    limit: Option<&'static str>,
    /// When its account's numbers have written to so many already.
    written_to: Option<(OffsetDateTime, u64)>,
    /// What the template has become since it was started.
    template: Option<Template>,
    stopped: Vec<PhoneNumber>,
    /// People who have stopped marketing by the time at which it is looked again.
    stopped_later: Vec<PhoneNumber>,
    clock: Arc<ManualClock>,
    answer: Result<NetworkMessageId, SendFailure>,
    /// The network refuses what these numbers send, by their ids there, with the code.
    refused_numbers: Vec<(&'static str, i64)>,
    /// Numbers that were left out before.
    left_out: Vec<LeftOutNumber>,
    /// People whom the network does not let the number write to for now.
    held_back: Vec<u128>,
    begins: ReserveOutcome,
    /// How often it is still running when it is looked.
    running: usize,
    directory: Vec<FoundDirectory>,
    stopped_while_collecting: bool,
    group_is_there: bool,
    /// What it is once it was left.
    now_it_is: Option<Broadcast>,
}

impl World {
    fn new(people: &[u128]) -> Self {
        Self {
            broadcast: broadcast(BroadcastState::Running),
            queued: vec![people.iter().copied().map(person).collect()],
            failing_look: None,
            begun: HashMap::new(),
            category: "UTILITY",
            numbers: vec![a_number(0, 1)],
            limit: None,
            written_to: None,
            template: None,
            stopped: vec![],
            stopped_later: vec![],
            clock: Arc::new(ManualClock::at(a_moment())),
            answer: Ok(a_network_message_id()),
            refused_numbers: vec![],
            left_out: vec![],
            held_back: vec![],
            begins: ReserveOutcome::Started,
            running: usize::MAX,
            directory: vec![],
            stopped_while_collecting: false,
            group_is_there: true,
            now_it_is: Some(broadcast(BroadcastState::Running)),
        }
    }

    async fn run(self) -> (Step, Vec<String>) {
        let done = Done::default();
        let run = self.ports(&done);
        let (_, step) = run.run(a_workspace().id, &|| false).await.unwrap().unwrap();
        (step, done.all())
    }

    fn ports(self, done: &Done) -> RunBroadcasts {
        let clock = self.clock.clone();
        let mut signals = MockSignals::new();
        signals.expect_deliveries_due().return_const(());
        let noted = done.clone();
        signals.expect_broadcast_paused().returning(move |_, broadcast, reason| {
            assert_eq!(broadcast, id());
            noted.note(format!("told {}", reason.as_str()));
        });
        let ids = Arc::new(SequentialIds::default());
        let deps = Deps { signals: Arc::new(signals), ..deps_of(clock.clone(), ids) };
        let mut workspaces = MockWorkspaceStore::new();
        workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
        let mut stops = MockMarketingStopStore::new();
        let looks = Mutex::new(std::iter::once(self.stopped.clone()));
        let later =
            if self.stopped_later.is_empty() { self.stopped.clone() } else { self.stopped_later.clone() };
        stops
            .expect_stopped()
            .returning(move |_, _| Ok(looks.lock().unwrap().next().unwrap_or_else(|| later.clone())));
        let noted = done.clone();
        stops.expect_stop().returning(move |_, phone, stop, _| {
            assert_eq!(stop, MarketingStop { source: StopSource::Network, at: a_moment() });
            noted.note(format!("stop {}", phone.as_str()));
            Ok(())
        });
        let mut directory = MockContactDirectory::new();
        let parts = Mutex::new(self.directory.clone().into_iter());
        directory.expect_directory().returning(move |_, _, _, _| Ok(parts.lock().unwrap().next().unwrap()));
        let known = match &self.template {
            Some(template) => catalogue_of(vec![a_number(0, 1)], vec![template.clone()]),
            None => catalogue_by(self.category, &self.numbers),
        };
        let limits = limits(self.numbers.first().unwrap(), self.limit, self.written_to);
        let (answer, held_back) = (self.answer.clone(), self.held_back.clone());
        let refused_numbers = self.refused_numbers.clone();
        let answers = move |from: &str, message: u128| {
            if let Some((_, code)) = refused_numbers.iter().find(|(number, _)| *number == from) {
                return refused(*code);
            }
            if held_back.contains(&message) { Err(busy()) } else { answer.clone() }
        };
        let (ledger, network) = sends(known, self.begins.clone(), answers, done);
        let ledger = Arc::new(ledger);
        let links = Arc::new(some_links());
        let recorder = Arc::new(Recorder { ledger: ledger.clone(), deps: deps.clone(), links });
        let once = Arc::new(SendOnce::new(ledger.clone(), Arc::new(network), recorder, clock));
        let send = SendTemplate {
            ledger: ledger.clone(),
            contacts: Arc::new(MockContactStore::new()),
            once,
            vault: Arc::new(a_vault()),
            deps: deps.clone(),
        };
        let store = Arc::new(self.store(done));
        RunBroadcasts {
            store: store.clone(),
            stops: Arc::new(stops),
            limits: Arc::new(limits),
            audiences: Audiences {
                store: store.clone(),
                lists: Arc::new(MockBroadcastListStore::new()),
                directory: Arc::new(directory),
            },
            workspaces: Arc::new(workspaces),
            ledger,
            send: Arc::new(send),
            deps,
        }
    }

    fn store(self, done: &Done) -> MockBroadcastStore {
        let mut store = MockBroadcastStore::new();
        let claimed = self.broadcast.clone();
        store.expect_claim().once().returning(move |_, now, until| {
            assert_eq!((now, until), (a_moment(), a_moment() + LEASE));
            Ok(Some(claimed.clone()))
        });
        let (looks, running) = (Arc::new(AtomicUsize::new(0)), self.running);
        let still_runs = move || looks.fetch_add(1, Ordering::Relaxed) < running;
        let looked = still_runs.clone();
        store.expect_postpone().returning(move |_, _, _| Ok(looked()));
        let group_is_there = self.group_is_there;
        store.expect_has_group().returning(move |_, _| Ok(group_is_there));
        let now_it_is = self.now_it_is.clone();
        store.expect_find().returning(move |_, _| Ok(now_it_is.clone()));
        let (queued, failing) = (Mutex::new(self.queued.into_iter()), self.failing_look);
        let asked = AtomicUsize::new(0);
        store.expect_queued().returning(move |_, _, _, _| {
            if failing == Some(asked.fetch_add(1, Ordering::Relaxed)) {
                return Err(StoreError::Unavailable("down".to_owned()));
            }
            Ok(queued.lock().unwrap().next().unwrap_or_default())
        });
        let begun = self.begun;
        store.expect_begun().returning(move |_, _| Ok(begun.clone()));
        let noted = done.clone();
        store.expect_settle().returning(move |_, _, results| {
            for result in results {
                let is_written_to = matches!(result.state, PersonState::Sent | PersonState::Unconfirmed);
                assert_eq!(result.written_by.is_some(), is_written_to, "{result:?}");
            }
            let mut told: Vec<String> = results
                .iter()
                .map(|result| {
                    format!("{} {}", result.state.as_str(), result.reason.as_deref().unwrap_or("-"))
                })
                .collect();
            told.sort();
            noted.note(told.join(", "));
            Ok(still_runs())
        });
        let noted = done.clone();
        store.expect_wait().returning(move |_, _, until, at| {
            let looked_again = a_moment() + Duration::minutes(15);
            assert_eq!(at, until.map_or(a_moment() + LEASE, |until| until.min(looked_again)));
            noted.note(until.map_or_else(|| "goes on".to_owned(), |until| format!("waits until {until}")));
            Ok(true)
        });
        let left_out = Arc::new(Mutex::new(self.left_out));
        let known = Arc::clone(&left_out);
        store.expect_left_out().returning(move |_, _| Ok(known.lock().unwrap().clone()));
        let noted = done.clone();
        store.expect_leave_out().returning(move |_, broadcast, numbers, bar, at| {
            assert_eq!(broadcast, id());
            let Bar { reason, code, .. } = bar;
            for channel in numbers.iter().copied() {
                noted.note(format!("without {} {code:?}", reason.as_str()));
                left_out.lock().unwrap().push(LeftOutNumber { channel, phone: None, reason, code, at });
            }
            Ok(())
        });
        let noted = done.clone();
        let stopped_while_collecting = self.stopped_while_collecting;
        store.expect_collect().returning(move |_, _, people, _, reached, _| {
            noted.note(format!(
                "collect {} {}",
                people.len(),
                if reached.is_some() { "more" } else { "end" }
            ));
            Ok(!stopped_while_collecting)
        });
        let noted = done.clone();
        store.expect_change().returning(move |_, change, entry| {
            assert_eq!(entry.actor, Actor::Service);
            noted.note(format!("{} to {}", change.from.as_str(), change.to.as_str()));
            Ok(true)
        });
        store
    }
}

fn sends(
    known: Catalogue,
    begins: ReserveOutcome,
    answers: impl Fn(&str, u128) -> Result<NetworkMessageId, SendFailure> + Send + 'static,
    done: &Done,
) -> (MockSendLedger, MockMessagingNetwork) {
    let (mut ledger, mut network) = (MockSendLedger::new(), MockMessagingNetwork::new());
    ledger.expect_catalogue().returning(move |_, _| Ok(known.clone()));
    ledger.expect_begin().returning(move |_, reservation| {
        assert_eq!(reservation.intent.reference, Some(id().to_string()));
        assert!(reservation.key.is_none());
        Ok(begins.clone())
    });
    ledger.expect_token().returning(|_, _| Ok(Some(secrecy::SecretString::from("a token").into())));
    ledger.expect_release().returning(|_, sends| Ok(sends.to_vec()));
    ledger.expect_conversation().returning(|_, _, _| Ok(ConversationParts::default()));
    ledger.expect_record().returning(|_, _| Ok(Recorded::Now));
    let noted = done.clone();
    network.expect_send_template().returning(move |from, _, message| {
        let tag = message.tag.uuid().as_u128();
        noted.note(format!("ask {tag}"));
        answers(from, tag).map(Into::into)
    });
    (ledger, network)
}

fn busy() -> SendFailure {
    SendFailure::NotSent { reason: "busy".to_owned(), retry_after: Some(std::time::Duration::from_secs(9)) }
}

fn refused(code: i64) -> Result<NetworkMessageId, SendFailure> {
    Err(SendFailure::Refused { code, subcode: None, message: "no".to_owned() })
}

#[pollster::test]
async fn everybody_who_is_queued_is_asked_for_once_under_the_id_that_they_had() {
    let (step, done) = World::new(&[1, 2]).run().await;
    assert_eq!(step, Step::Finished);
    assert_eq!(done, ["ask 1001", "ask 1002", "sent -, sent -", "running to finished"]);
}

#[pollster::test]
async fn what_a_dead_process_had_begun_is_not_begun_again() {
    let begun = |number: u128, begun| (MessageId::from(Uuid::from_u128(1_000 + number)), begun);
    let by = a_number(0, 1).id;
    let old = BegunSend::InFlight(by, a_moment() - Duration::MINUTE);
    let world =
        World { begun: [begun(1, BegunSend::Sent(by)), begun(2, old)].into(), ..World::new(&[1, 2, 3]) };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Finished);
    assert_eq!(done, ["ask 1003", "sent -, sent -, unconfirmed -", "running to finished"]);
    // Whom somebody may still have in hand nobody waits for.
    let young = BegunSend::InFlight(by, a_moment());
    let world = World {
        begun: [begun(1, young)].into(),
        queued: vec![vec![person(1), person(2)], vec![person(3)]],
        ..World::new(&[])
    };
    assert_eq!(
        world.run().await,
        (Step::Left, ["ask 1002", "sent -", "ask 1003", "sent -"].map(str::to_owned).to_vec())
    );
    // It is looked at again.
    let young = BegunSend::InFlight(by, a_moment());
    let world = World { begun: [begun(1, young)].into(), ..World::new(&[1]) };
    assert_eq!(world.run().await, (Step::Left, vec![]));
}

#[pollster::test]
async fn whom_somebody_else_has_begun_is_left_to_them() {
    let world = World { begins: ReserveOutcome::AlreadyReserved, ..World::new(&[1, 2]) };
    assert_eq!(world.run().await, (Step::Left, vec![]));
}

#[pollster::test]
async fn a_refusal_of_all_pauses_it_and_leaves_its_people_queued() {
    for (answer, begins, reason) in [
        (refused(131_048), ReserveOutcome::Started, PauseReason::NetworkRefused),
        (Ok(a_network_message_id()), ReserveOutcome::PlanLimitReached, PauseReason::PlanLimit),
    ] {
        let (step, done) = World { answer, begins, ..World::new(&[1]) }.run().await;
        assert_eq!(step, Step::Paused(reason));
        let told = format!("told {}", reason.as_str());
        assert!(done.ends_with(&["running to paused".to_owned(), told]), "{done:?}");
        assert!(done.iter().all(|done| !done.contains("failed")), "{done:?}");
    }
    let (step, done) = World { answer: refused(131_026), ..World::new(&[1]) }.run().await;
    assert_eq!(step, Step::Finished);
    assert_eq!(done, ["ask 1001", "failed 131026", "running to finished"]);
}

#[pollster::test]
async fn a_template_that_has_another_shape_than_when_it_was_started_pauses_it_and_leaves_its_people_queued() {
    let changed = |change: fn(&mut Template)| {
        let mut template = a_template("order_ready");
        change(&mut template);
        template
    };
    let header = |format: &str, text: Option<&str>| {
        Some(Header { format: format.to_owned(), text: text.map(str::to_owned) })
    };
    let with_header = |found: Option<Header>| {
        let mut template = a_template("order_ready");
        template.content.header = found;
        template
    };
    let two_lines = BroadcastContent { header_text: Some("one\ntwo".to_owned()), ..content() };
    let no_link = BroadcastContent { header_link: Some("htps://shop.example/a.jpg".to_owned()), ..content() };
    for (template, content) in [
        (changed(|template| "مرحبا {{1}}".clone_into(&mut template.content.body)), content()),
        (changed(|template| "{{1}} {{2}} {{3}}".clone_into(&mut template.content.body)), content()),
        (with_header(header("IMAGE", None)), content()),
        (
            changed(|template| {
                let url = Some("https://shop.example/{{1}}".to_owned());
                template
                    .content
                    .buttons
                    .push(Button { kind: "URL".to_owned(), text: "فتح".to_owned(), url });
            }),
            content(),
        ),
        // What fits no message, though the template has a place for it.
        (with_header(header("TEXT", Some("طلب {{1}}"))), two_lines),
        (with_header(header("IMAGE", None)), no_link),
    ] {
        let broadcast = Broadcast { content, ..broadcast(BroadcastState::Running) };
        let shape = template.content.clone();
        let world = World { broadcast, template: Some(template), ..World::new(&[1, 2]) };
        let (step, done) = world.run().await;
        assert_eq!(step, Step::Paused(PauseReason::TemplateUnusable), "{shape:?}");
        assert_eq!(done, ["running to paused", "told template_unusable"], "{shape:?}");
    }
}

#[pollster::test]
async fn a_network_that_is_busy_slows_it_down() {
    let (step, done) = World { answer: Err(busy()), ..World::new(&[1]) }.run().await;
    assert_eq!((step, done), (Step::Left, vec!["ask 1001".to_owned()]));
}

#[pollster::test]
async fn one_who_alone_is_held_back_holds_up_nobody_and_two_hold_up_all() {
    let people: Vec<u128> = (1..=200).collect();
    let (step, done) = World { held_back: vec![1_001], ..World::new(&people) }.run().await;
    assert_eq!((step, asked(&done).len()), (Step::Left, 200), "{done:?}");
    let told: usize =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).sum();
    assert_eq!(told, 199, "{done:?}");
    let (step, done) = World { held_back: vec![1_001, 1_002], ..World::new(&people) }.run().await;
    assert_eq!(step, Step::Left, "{done:?}");
    assert!((2..=64).contains(&asked(&done).len()), "{done:?}");
}

#[pollster::test]
async fn only_marketing_leaves_out_who_wants_none() {
    let world = |category| World { category, stopped: vec![phone(1)], ..World::new(&[1, 2]) };
    let (_, done) = world("MARKETING").run().await;
    assert_eq!(done, ["ask 1002", "sent -, skipped marketing_stopped", "running to finished"]);
    let (_, done) = world("UTILITY").run().await;
    assert_eq!(done, ["ask 1001", "ask 1002", "sent -, sent -", "running to finished"]);
    // What the network says of a person is remembered.
    let (_, done) = World { answer: refused(131_050), ..World::new(&[1]) }.run().await;
    let told = format!("stop {}", phone(1).as_str());
    assert_eq!(done, ["ask 1001", &told, "skipped marketing_stopped", "running to finished"]);
}

/// Lets others run.
async fn yielded() {
    let mut others_ran = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut others_ran, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// People who were asked for.
fn asked(done: &[String]) -> Vec<&str> {
    done.iter().map(String::as_str).filter(|what| what.starts_with("ask ")).collect()
}

/// Lets it run beside somebody's send that does not end, moving the clock on by `step` whenever nothing more
/// happens; returns how many were asked for before each step as well.
async fn beside_others(world: World, step: std::time::Duration) -> (Step, Vec<usize>, Vec<String>) {
    let (done, clock) = (Done::default(), world.clock.clone());
    let run = world.ports(&done);
    let ordinary = run.send.once.ordinary();
    let _under_way = ordinary.begin(a_moment());
    let has_ended = AtomicBool::new(false);
    let running = async {
        let ended = run.run(a_workspace().id, &|| false).await;
        has_ended.store(true, Ordering::Relaxed);
        ended
    };
    let passing = async {
        let mut counts = Vec::new();
        while !has_ended.load(Ordering::Relaxed) {
            for _ in 0..20 {
                yielded().await;
            }
            counts.push(asked(&done.all()).len());
            clock.advance(step);
        }
        counts
    };
    let (ended, counts) = join(running, passing).await;
    (ended.unwrap().unwrap().1, counts, done.all())
}

#[pollster::test]
async fn beside_what_somebody_waits_for_one_is_begun_at_a_time_and_the_next_after_a_rest() {
    let rest = std::time::Duration::from_millis(25);
    let (step, counts, done) = beside_others(World::new(&[1, 2, 3, 4]), rest).await;
    assert_eq!((step, counts), (Step::Finished, vec![1, 2, 3, 4]), "{done:?}");
    let (_, counts, done) = beside_others(World::new(&[1, 2]), rest / 5).await;
    assert_eq!(counts, [1, 1, 1, 1, 1, 2], "{done:?}");
}

#[pollster::test]
async fn whoever_stops_marketing_while_others_are_written_to_is_left_out() {
    let (category, stopped_later) = ("MARKETING", vec![phone(2)]);
    let world = World { category, stopped_later, ..World::new(&[1, 2, 3]) };
    let (step, _, done) = beside_others(world, std::time::Duration::from_secs(1)).await;
    assert_eq!((step, asked(&done)), (Step::Finished, vec!["ask 1001", "ask 1003"]), "{done:?}");
    assert!(done.contains(&"sent -, sent -, skipped marketing_stopped".to_owned()), "{done:?}");
}

#[pollster::test]
async fn a_refusal_of_all_ends_it_behind_what_is_under_way() {
    let people: Vec<u128> = (1..=200).collect();
    let (step, done) = World { answer: refused(131_048), ..World::new(&people) }.run().await;
    assert_eq!(step, Step::Paused(PauseReason::NetworkRefused));
    let asked = done.iter().filter(|done| done.starts_with("ask")).count();
    assert!(asked <= 33, "{asked} were asked for");
}

#[pollster::test]
async fn one_to_a_group_that_was_deleted_waits_for_somebody_to_look_and_is_not_over() {
    let to_a_group = AudienceFilter { group: Some(Uuid::from_u128(7).into()), ..AudienceFilter::default() };
    let of_it = Broadcast {
        collected: false,
        audience: Audience::Filter(to_a_group),
        ..broadcast(BroadcastState::Running)
    };
    let (step, done) = World { broadcast: of_it, group_is_there: false, ..World::new(&[]) }.run().await;
    assert_eq!(step, Step::Paused(PauseReason::AudienceGone));
    assert_eq!(done, ["running to paused", "told audience_gone"]);
}

#[pollster::test]
async fn whoever_stops_it_while_most_are_on_their_way_stops_it_within_96() {
    let people: Vec<u128> = (1..=1_000).collect();
    let (step, done) = World { running: 6, ..World::new(&people) }.run().await;
    assert_eq!(step, Step::Left);
    let asked = done.iter().filter(|done| done.starts_with("ask")).count();
    // It is looked once before the first of them, and with each that is written down.
    let told: Vec<usize> =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).collect();
    let until_then: usize = told.iter().take(5).sum();
    assert!((32..=96).contains(&(asked - until_then)), "{asked} were asked for, {told:?} written down");
    assert_eq!(told.iter().sum::<usize>(), asked);
}

#[pollster::test]
async fn whoever_stops_it_stops_it_among_many_before_long() {
    let people: Vec<u128> = (1..=200).collect();
    let (step, done) = World { running: 1, ..World::new(&people) }.run().await;
    assert_eq!(step, Step::Left);
    let asked = done.iter().filter(|done| done.starts_with("ask")).count();
    assert!((32..=64).contains(&asked), "{asked} were asked for");
    // Whoever was asked for is written down.
    let told: usize =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).sum();
    assert_eq!(told, asked, "{done:?}");
}

#[pollster::test]
async fn a_process_that_stops_begins_nobody_more_and_writes_down_who_was_asked_for() {
    let people: Vec<u128> = (1..=200).collect();
    let done = Done::default();
    let run = World::new(&people).ports(&done);
    let looks = AtomicUsize::new(0);
    let stops = || looks.fetch_add(1, Ordering::Relaxed) > 20;
    let (_, step) = run.run(a_workspace().id, &stops).await.unwrap().unwrap();
    assert_eq!(step, Step::WentOn);
    let done = done.all();
    let asked = done.iter().filter(|done| done.starts_with("ask")).count();
    assert!((1..=64).contains(&asked), "{asked} were asked for");
    let told: usize =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).sum();
    assert_eq!(told, asked, "{done:?}");
}

#[pollster::test]
async fn of_many_everybody_is_written_to_once_and_written_down_once() {
    let first: Vec<BroadcastPerson> = (1..=256).map(person).collect();
    let world = World { queued: vec![first, vec![person(257)]], ..World::new(&[]) };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Finished);
    let asked: Vec<&String> = done.iter().filter(|done| done.starts_with("ask")).collect();
    assert_eq!(asked.len(), 257, "everybody once");
    let told: usize =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).sum();
    assert_eq!(told, 257);
}

#[pollster::test]
async fn who_was_looked_for_ahead_and_written_to_by_another_node_meanwhile_is_not_written_to_again() {
    let first: Vec<BroadcastPerson> = (1..=256).map(person).collect();
    let by = a_number(0, 1).id;
    let begun = [(257, BegunSend::Sent(by)), (258, BegunSend::InFlight(by, a_moment()))]
        .map(|(number, begun)| (person(number).message, begun));
    let queued = vec![first, vec![person(257), person(258)]];
    let (step, done) = World { queued, begun: begun.into(), ..World::new(&[]) }.run().await;
    assert_eq!(step, Step::Left, "one of them may be in somebody's hand");
    let asked: Vec<&String> = done.iter().filter(|done| done.starts_with("ask")).collect();
    assert_eq!(asked.len(), 256);
    assert!(["ask 1257", "ask 1258"].iter().all(|ahead| !done.iter().any(|done| done == ahead)), "{done:?}");
    let told: usize =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).sum();
    assert_eq!(told, 257, "{done:?}");
}

#[pollster::test]
async fn where_nobody_can_be_looked_for_meanwhile_those_who_were_written_to_are_written_down_all_the_same() {
    let first: Vec<BroadcastPerson> = (1..=256).map(person).collect();
    let done = Done::default();
    let run = World { queued: vec![first], failing_look: Some(1), ..World::new(&[]) }.ports(&done);
    let ended = run.run(a_workspace().id, &|| false).await;
    assert!(matches!(ended, Err(StoreError::Unavailable(_))), "it is gone on with when its lease has ended");
    let done = done.all();
    assert_eq!(done.iter().filter(|done| done.starts_with("ask")).count(), 256);
    let told: usize =
        done.iter().filter(|done| done.starts_with("sent")).map(|done| done.split(", ").count()).sum();
    assert_eq!(told, 256, "{done:?}");
}

#[pollster::test]
async fn what_a_status_has_paused_meanwhile_is_told_with_its_reason() {
    let paused = |reason| Broadcast { reason, ..broadcast(BroadcastState::Paused) };
    for (now_it_is, wanted) in [
        (paused(Some(PauseReason::NetworkRefused)), Step::Paused(PauseReason::NetworkRefused)),
        (paused(None), Step::Left),
        (broadcast(BroadcastState::Cancelled), Step::Left),
    ] {
        let world = World { running: 1, now_it_is: Some(now_it_is), ..World::new(&[1]) };
        let (step, done) = world.run().await;
        assert_eq!(step, wanted);
        assert!(done.iter().all(|done| !done.starts_with("told")), "whoever paused it has told: {done:?}");
    }
}

/// When those do not count any more who were written to then.
fn over(at: OffsetDateTime) -> OffsetDateTime {
    span_of(at) + Duration::minutes(10) + Duration::DAY
}

#[pollster::test]
async fn whoever_is_beyond_the_networks_limit_stays_queued_until_there_is_room_again() {
    let an_hour_ago = a_moment() - Duration::HOUR;
    for (limit, written_to, asked, waits_until) in [
        ("TIER_2", None, 2, Some(over(a_moment()))),
        ("TIER_2", Some((an_hour_ago, 1)), 1, Some(over(an_hour_ago))),
        ("TIER_2", Some((an_hour_ago, 9)), 0, Some(over(an_hour_ago))),
        ("TIER_2", Some((a_moment() - Duration::DAY - Duration::HOUR, 9)), 2, Some(over(a_moment()))),
        ("TIER_3", None, 3, None),
        ("TIER_UNLIMITED", None, 3, None),
        ("A_NEW_WORD", None, 3, None),
    ] {
        let world = World { limit: Some(limit), written_to, ..World::new(&[1, 2, 3]) };
        let (step, done) = world.run().await;
        assert_eq!(done.iter().filter(|done| done.starts_with("ask")).count(), asked, "{limit} {done:?}");
        let last = match waits_until {
            Some(until) => {
                assert_eq!(step, Step::Left);
                format!("waits until {until}")
            }
            None => "running to finished".to_owned(),
        };
        assert_eq!(done.last(), Some(&last), "{limit} {done:?}");
        assert!(done.iter().all(|done| !done.contains("failed") && !done.contains("skipped")), "{done:?}");
    }
}

#[pollster::test]
async fn one_that_has_waited_for_the_limit_says_so_no_more_once_it_goes_on() {
    let waited =
        Broadcast { limited_until: Some(a_moment() + Duration::HOUR), ..broadcast(BroadcastState::Running) };
    let (step, done) = World { broadcast: waited, ..World::new(&[1]) }.run().await;
    assert_eq!(step, Step::Finished);
    assert_eq!(done, ["ask 1001", "sent -", "goes on", "running to finished"]);
}

#[pollster::test]
async fn where_all_numbers_write_the_others_go_on_and_else_it_waits_for_the_one() {
    for (spread, asked, wanted) in [(true, 6, Step::Finished), (false, 1, Step::Left)] {
        let spread = BroadcastContent { spread, ..content() };
        let world = World {
            broadcast: Broadcast { content: spread, ..broadcast(BroadcastState::Running) },
            numbers: vec![a_number(0, 1), a_number(1, 2)],
            limit: Some("TIER_1"),
            ..World::new(&[1, 2, 3, 4, 5, 6])
        };
        let (step, done) = world.run().await;
        assert_eq!(step, wanted, "{done:?}");
        assert_eq!(done.iter().filter(|done| done.starts_with("ask")).count(), asked, "{done:?}");
    }
}

/// One that all of these numbers send.
fn spread_over(numbers: Vec<Number>, people: &[u128]) -> World {
    let content = BroadcastContent { spread: true, ..content() };
    let broadcast = Broadcast { content, ..broadcast(BroadcastState::Running) };
    World { broadcast, numbers, ..World::new(people) }
}

#[pollster::test]
async fn a_number_that_is_refused_is_left_out_and_its_people_go_by_the_others() {
    let refused_numbers = vec![("100000001", 131_048)];
    let world = World {
        // Whom it was refused for is still queued, and is found once more.
        queued: vec![(1..=6).map(person).collect(), vec![person(2)]],
        refused_numbers,
        ..spread_over(vec![a_number(0, 1), a_number(0, 2)], &[])
    };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Finished, "{done:?}");
    assert_eq!(asked(&done).len(), 7, "each once, and one a second time: {done:?}");
    let without: Vec<_> = done.iter().filter(|done| done.starts_with("without")).collect();
    assert_eq!(without, ["without network_refused Some(131048)"], "{done:?}");
    let sent: usize = done.iter().map(|done| done.matches("sent -").count()).sum();
    assert_eq!(sent, 6, "{done:?}");
}

#[pollster::test]
async fn it_pauses_once_no_number_is_left_and_says_why() {
    let both = || vec![a_number(0, 1), a_number(1, 2)];
    let refused_numbers = vec![("100000001", 190), ("100000002", 131_048)];
    let again = vec![person(1), person(2)];
    let world = World {
        queued: vec![again.clone(), again.clone(), again],
        refused_numbers,
        ..spread_over(both(), &[])
    };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Paused(PauseReason::NetworkRefused), "{done:?}");
    assert_eq!(done.iter().filter(|done| done.starts_with("without")).count(), 2, "{done:?}");
    assert!(done.iter().all(|done| !done.contains("failed") && !done.contains("sent -")), "{done:?}");

    // What a process before this one has left out is not asked for again.
    let out = |number: &Number| LeftOutNumber {
        channel: number.id,
        phone: None,
        reason: LeftOutReason::AccountBarred,
        code: None,
        at: a_moment(),
    };
    let world = World { left_out: both().iter().map(out).collect(), ..spread_over(both(), &[1, 2]) };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Paused(PauseReason::AccountBarred));
    assert_eq!(asked(&done), Vec::<&str>::new());
}

#[pollster::test]
async fn the_numbers_of_an_account_that_is_refused_are_left_out_together() {
    let world = World {
        queued: vec![vec![person(2)], vec![person(2)]],
        refused_numbers: vec![("100000001", 131_042), ("100000002", 131_042)],
        ..spread_over(vec![a_number(0, 1), a_number(0, 2), a_number(1, 3)], &[])
    };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Finished, "{done:?}");
    assert_eq!(done.iter().filter(|done| done.starts_with("without")).count(), 2, "{done:?}");
    assert_eq!(asked(&done).len(), 2, "the account's other number is not tried: {done:?}");
    assert_eq!(done.iter().filter(|done| *done == "sent -").count(), 1, "{done:?}");
}

#[pollster::test]
async fn nobody_is_written_to_in_quiet_hours() {
    let quiet = |from: time::Time, to: time::Time| {
        let text = |time: time::Time| format!("{:02}:{:02}", time.hour(), time.minute());
        let quiet = serde_json::json!({ "zone": "UTC", "hours": [text(from), text(to)] });
        let content = BroadcastContent { quiet: serde_json::from_value(quiet).unwrap(), ..content() };
        Broadcast { content, ..broadcast(BroadcastState::Running) }
    };
    let now = a_moment().time();
    let (before, after) = (now - Duration::HOUR, now + Duration::HOUR);
    let world = World { broadcast: quiet(before, after), ..World::new(&[1]) };
    assert_eq!(world.run().await, (Step::Left, vec![]));
    let world = World { broadcast: quiet(after, before), ..World::new(&[1]) };
    assert_eq!(world.run().await.0, Step::Finished);
}

#[pollster::test]
async fn whoever_stops_it_stops_it_before_the_next_part() {
    let world = World { running: 1, queued: vec![vec![person(1)], vec![person(2)]], ..World::new(&[]) };
    assert_eq!(world.run().await, (Step::Left, vec!["ask 1001".to_owned(), "sent -".to_owned()]));
}

#[pollster::test]
async fn the_audience_is_collected_part_by_part_and_whoever_has_no_number_is_nobody_of_it() {
    let row = |number: u128, phone: Option<PhoneNumber>| {
        let contact = Contact { id: Uuid::from_u128(number).into(), phone, ..a_contact() };
        DirectoryRow { profile: ContactProfile::without_conversations(contact), last_message_at: None }
    };
    let first = row(1, Some(phone(1)));
    let parts = vec![
        FoundDirectory { reached: Some(first.place()), rows: vec![first, row(2, None)] },
        FoundDirectory { rows: vec![row(3, Some(phone(3)))], reached: None },
    ];
    let uncollected = Broadcast { collected: false, ..broadcast(BroadcastState::Scheduled) };
    let world = World {
        broadcast: uncollected,
        directory: parts,
        queued: vec![vec![], vec![person(1)], vec![], vec![person(3)]],
        ..World::new(&[])
    };
    let (step, done) = world.run().await;
    assert_eq!(step, Step::Finished);
    assert_eq!(
        done,
        [
            "scheduled to running",
            "collect 1 more",
            "ask 1001",
            "sent -",
            "collect 1 end",
            "ask 1003",
            "sent -",
            "running to finished"
        ]
    );
}

#[pollster::test]
async fn people_whose_collecting_was_not_written_down_are_left_to_whoever_goes_on() {
    let row = DirectoryRow {
        profile: ContactProfile::without_conversations(Contact { phone: Some(phone(1)), ..a_contact() }),
        last_message_at: None,
    };
    let world = World {
        broadcast: Broadcast { collected: false, ..broadcast(BroadcastState::Running) },
        directory: vec![FoundDirectory { rows: vec![row], reached: None }],
        stopped_while_collecting: true,
        ..World::new(&[])
    };
    // Not finished, although nobody is queued and the end of the audience was seen.
    assert_eq!(world.run().await, (Step::Left, vec!["collect 1 end".to_owned()]));
}

fn managing(store: MockBroadcastStore) -> ManageBroadcasts {
    let clock = Arc::new(ManualClock::at(a_moment()));
    let store = Arc::new(store);
    let preview = PreviewBroadcast {
        audiences: Audiences {
            store: store.clone(),
            lists: Arc::new(MockBroadcastListStore::new()),
            directory: Arc::new(MockContactDirectory::new()),
        },
        stops: Arc::new(MockMarketingStopStore::new()),
        ledger: Arc::new(MockSendLedger::new()),
        limits: Arc::new(limits(&a_number(0, 1), None, None)),
        usage: ShowUsage { store: Arc::new(MockWorkspaceStore::new()), clock: clock.clone() },
        ids: Arc::new(SequentialIds::default()),
    };
    let deps = deps_of(clock, Arc::new(SequentialIds::default()));
    ManageBroadcasts { store, preview, cursors: Cursors { vault: Arc::new(a_vault()) }, deps }
}

/// Broadcasts whose audience is people of these names.
fn looking(mut store: MockBroadcastStore, names: &[&str]) -> ManageBroadcasts {
    let row = |(number, name): (u128, &&str)| {
        let (id, name) = (Uuid::from_u128(number).into(), Some((*name).to_owned()));
        let contact = Contact { id, name, phone: Some(phone(number)), ..a_contact() };
        DirectoryRow { profile: ContactProfile::without_conversations(contact), last_message_at: None }
    };
    let rows: Vec<DirectoryRow> = (1..).zip(names).map(row).collect();
    let (mut directory, mut ledger) = (MockContactDirectory::new(), MockSendLedger::new());
    directory
        .expect_directory()
        .returning(move |_, _, _, _| Ok(FoundDirectory { rows: rows.clone(), reached: None }));
    ledger.expect_catalogue().returning(|_, _| Ok(catalogue("UTILITY")));
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(|_| Ok(None));
    store.expect_prices().returning(|_| Ok(None));
    let mut managing = managing(store);
    managing.preview.audiences.directory = Arc::new(directory);
    managing.preview.ledger = Arc::new(ledger);
    managing.preview.usage.store = Arc::new(workspaces);
    managing
}

#[pollster::test]
async fn a_name_with_many_spaces_is_written_with_one_and_leaves_out_nobody() {
    let names = ["سارة", "سارة     أحمد", "علي"];
    let preview = looking(MockBroadcastStore::new(), &names).preview;
    let (workspace, everybody) = (a_workspace().id, Audience::Filter(AudienceFilter::default()));
    let found = preview.run(workspace, a_region(), &content(), &everybody).await.unwrap();
    assert_eq!((found.people, found.total, found.refusal), (3, Some(3), None));
    assert!(found.skipped.iter().all(|(_, people)| *people == 0), "{:?}", found.skipped);
    let skipped = preview.skipped(workspace, a_region(), &content(), &everybody, None).await.unwrap();
    assert!(skipped.people.is_empty());
}

/// Reads all pages of those who would be skipped.
async fn skipped_pages(preview: &PreviewBroadcast, audience: &Audience) -> Vec<Vec<PhoneNumber>> {
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = preview.skipped(a_workspace().id, a_region(), &content(), audience, after).await.unwrap();
        pages.push(page.people.into_iter().map(|person| person.phone).collect());
        after = page.next;
        if after.is_none() {
            return pages;
        }
    }
}

#[pollster::test]
async fn a_page_of_skipped_people_ends_with_the_hundredth_and_the_next_begins_behind_them() {
    let somebody = |number: u128| Contact {
        id: Uuid::from_u128(number).into(),
        name: (number % 2 == 1).then(|| "سارة".to_owned()),
        phone: Some(phone(number)),
        created_at: a_moment(),
        ..a_contact()
    };
    let contacts: Vec<Contact> = (1..=500).map(somebody).collect();
    let nameless = || contacts.iter().filter(|contact| contact.name.is_none());
    let mut wanted: Vec<PhoneNumber> = nameless().filter_map(|contact| contact.phone.clone()).collect();
    wanted.sort();

    let (filtered, chosen, listed) = (contacts.clone(), contacts.clone(), contacts.clone());
    let mut directory = MockContactDirectory::new();
    directory.expect_directory().returning(move |_, _, limit, after| {
        let row = |contact: &Contact| DirectoryRow {
            profile: ContactProfile::without_conversations(contact.clone()),
            last_message_at: None,
        };
        // Newest first, as the store lists them.
        let rest = filtered.iter().rev().filter(|it| after.is_none_or(|after| it.id.uuid() < after.id));
        let one_more = usize::try_from(limit).unwrap() + 1;
        Ok(FoundDirectory { rows: rest.take(one_more).map(row).collect(), reached: None })
    });
    let mut store = MockBroadcastStore::new();
    store.expect_count_contacts().returning(|_, ids| Ok(ids.len()));
    store.expect_contacts().returning(move |_, _| Ok(chosen.iter().rev().cloned().collect()));
    let mut lists = MockBroadcastListStore::new();
    lists.expect_complete_list().returning(|_, id| {
        let (name, created_at) = ("customers".to_owned(), a_moment());
        Ok(Some(BroadcastList { id, name, columns: Vec::new(), people: 500, complete: true, created_at }))
    });
    lists.expect_people_of().returning(move |_, _, after, limit| {
        let number = |contact: &Contact| {
            let (id, phone) = (contact.id.uuid(), contact.phone.clone().unwrap());
            (ListedNumber { id, phone, values: BTreeMap::new() }, Some(contact.clone()))
        };
        let rest = listed.iter().filter(|it| after.is_none_or(|after| it.id.uuid() > after));
        Ok(rest.take(usize::try_from(limit).unwrap()).map(number).collect())
    });
    let mut preview = looking(store, &[]).preview;
    preview.audiences.directory = Arc::new(directory);
    preview.audiences.lists = Arc::new(lists);
    for audience in [
        Audience::Filter(AudienceFilter::default()),
        Audience::Chosen(contacts.iter().map(|contact| contact.id).collect()),
        Audience::List(Uuid::from_u128(9).into()),
    ] {
        let pages = skipped_pages(&preview, &audience).await;
        let lengths: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert_eq!(lengths, [100, 100, 50], "{audience:?}");
        let mut all = pages.concat();
        all.sort();
        assert_eq!(all, wanted, "{audience:?}");
    }
}

#[pollster::test]
async fn what_is_the_same_for_everybody_and_no_shape_of_a_message_speaks_against_it() {
    let everybody = Audience::Filter(AudienceFilter::default());
    for wrong in [
        BroadcastContent { header_link: Some("htps://shop.example/a.jpg".to_owned()), ..content() },
        BroadcastContent { header_text: Some("one\ntwo".to_owned()), ..content() },
        BroadcastContent { language: Some("a".repeat(36)), ..content() },
    ] {
        let preview = looking(MockBroadcastStore::new(), &["سارة"]).preview;
        let found = preview.run(a_workspace().id, a_region(), &wrong, &everybody).await.unwrap();
        assert!(matches!(found.refusal, Some(Refusal::Invalid(_))), "{:?}", found.refusal);
    }
}

#[pollster::test]
async fn a_preview_says_how_long_it_takes_by_the_networks_limit() {
    for (limit, wanted) in [
        (None, None),
        (Some("TIER_UNLIMITED"), None),
        (Some("TIER_250"), Some(LimitPreview { people: 250, left: 249, days: 1 })),
        (Some("TIER_2"), Some(LimitPreview { people: 2, left: 1, days: 2 })),
    ] {
        let mut preview = looking(MockBroadcastStore::new(), &["سارة", "علي", "نور"]).preview;
        preview.limits = Arc::new(limits(&a_number(0, 1), limit, Some((a_moment(), 1))));
        let everybody = Audience::Filter(AudienceFilter::default());
        let found = preview.run(a_workspace().id, a_region(), &content(), &everybody).await.unwrap();
        assert_eq!(found.limit, wanted, "{limit:?}");
    }
}

#[pollster::test]
async fn of_a_list_everybody_is_counted_and_each_category_has_its_price() {
    let (mut store, mut lists) = (MockBroadcastStore::new(), MockBroadcastListStore::new());
    let prices = [("marketing", "0.03"), ("utility", "0.01")];
    let prices = prices.map(|(category, amount)| (category.to_owned(), amount.to_owned()));
    let prices = Prices::read("USD", &prices.into()).unwrap();
    store.expect_prices().returning(move |_| Ok(Some(prices.clone())));
    lists.expect_complete_list().returning(|_, id| {
        let (name, columns, created_at) = ("Guests".to_owned(), vec!["lang".to_owned()], a_moment());
        Ok(Some(BroadcastList { id, name, columns, people: 90_000, complete: true, created_at }))
    });
    // Half of them read Arabic, and half English.
    lists.expect_people_of().returning(|_, _, _, limit| {
        let listed = |number: u32| {
            let language = if number.is_multiple_of(2) { "ar" } else { "en" };
            let values = [("lang".to_owned(), language.to_owned())].into();
            let (id, phone) = (Uuid::from_u128(number.into()), phone(number.into()));
            (ListedNumber { id, phone, values }, None)
        };
        Ok((1..=limit).map(listed).collect())
    });
    let mut managing = looking(store, &[]);
    managing.preview.audiences.lists = Arc::new(lists);
    let (mut ledger, mut stops) = (MockSendLedger::new(), MockMarketingStopStore::new());
    ledger.expect_catalogue().returning(|_, _| {
        let in_language = |language: &str, category: &str| Template {
            language: language.to_owned(),
            category: category.to_owned(),
            ..a_template("order_ready")
        };
        let templates = vec![in_language("ar", "UTILITY"), in_language("en", "MARKETING")];
        Ok(catalogue_of(vec![a_number(0, 1)], templates))
    });
    stops.expect_stopped().returning(|_, _| Ok(vec![]));
    managing.preview.ledger = Arc::new(ledger);
    managing.preview.stops = Arc::new(stops);
    let mut content = BroadcastContent { language_column: Some("lang".to_owned()), ..content() };
    content.variables.insert("1".to_owned(), VariableSource::Text("سارة".to_owned()));

    let (workspace, list) = (a_workspace().id, Audience::List(Uuid::from_u128(5).into()));
    let found = managing.preview.run(workspace, a_region(), &content, &list).await.unwrap();
    assert_eq!((found.people, found.complete, found.total), (5_000, false, Some(90_000)));
    let estimate = found.estimate.unwrap();
    assert_eq!((estimate.people, amount(estimate.micros)), (5_000, "100".to_owned()));
}

#[pollster::test]
async fn a_column_that_the_audience_has_not_speaks_against_it_before_anybody_is_left_out_for_it() {
    let list = Audience::List(Uuid::from_u128(5).into());
    let everybody = Audience::Filter(AudienceFilter::default());
    let column = |title: &str, otherwise: Option<&str>| {
        let (column, otherwise) = (title.to_owned(), otherwise.map(str::to_owned));
        let mut content = content();
        content.variables.insert("1".to_owned(), VariableSource::Column { column, otherwise });
        content
    };
    let in_language = BroadcastContent { language_column: Some("lang".to_owned()), ..content() };
    for (content, audience, missing) in [
        (column(" order", None), &list, None),
        (column("ordr", None), &list, Some("ordr")),
        (column("ordr", Some("your order")), &list, Some("ordr")),
        (column("order", None), &everybody, Some("order")),
        (in_language.clone(), &list, Some("lang")),
        (in_language, &everybody, None),
        (content(), &everybody, None),
    ] {
        let mut preview = looking(MockBroadcastStore::new(), &[]).preview;
        let mut lists = MockBroadcastListStore::new();
        lists.expect_complete_list().returning(|_, id| {
            let (name, columns, created_at) = ("Guests".to_owned(), vec!["Order".to_owned()], a_moment());
            Ok(Some(BroadcastList { id, name, columns, people: 0, complete: true, created_at }))
        });
        lists.expect_people_of().returning(|_, _, _, _| Ok(vec![]));
        preview.audiences.lists = Arc::new(lists);
        let found = preview.run(a_workspace().id, a_region(), &content, audience).await.unwrap();
        let wanted = missing.map(|column| format!("the audience has no column `{column}`"));
        assert_eq!(found.refusal.map(|refusal| refusal.to_string()), wanted, "{content:?}");
    }
}

#[pollster::test]
async fn what_was_edited_between_the_look_and_the_start_is_looked_at_again() {
    let mut store = MockBroadcastStore::new();
    let edited = BroadcastContent { language: Some("ar".to_owned()), ..content() };
    let newer = Broadcast { content: edited, ..broadcast(BroadcastState::Draft) };
    let mut found = vec![newer.clone(), broadcast(BroadcastState::Draft)];
    store.expect_find().times(2).returning(move |_, _| Ok(found.pop()));
    let is_kept = newer.content.clone();
    store.expect_start().times(2).returning(move |_, change, checked, _| {
        assert_eq!((change.from, change.to), (BroadcastState::Draft, BroadcastState::Running));
        Ok(checked.content == is_kept)
    });
    let acting = Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None };
    let start = Change::Start(a_moment());
    let started = looking(store, &["سارة"]).change(acting, a_region(), id(), start).await.unwrap();
    assert_eq!((started.state, started.content), (BroadcastState::Running, newer.content));
}

#[pollster::test]
async fn a_start_looks_no_further_than_to_the_first_who_can_be_written_to() {
    let named: &[Option<&str>] = &[None, Some("سارة")];
    let nameless: &[Option<&str>] = &[None, None];
    for (parts, looks, starts) in [
        (vec![named, named], 1, true),
        (vec![nameless, named, named], 2, true),
        (vec![nameless, nameless], 2, false),
    ] {
        let mut store = MockBroadcastStore::new();
        store.expect_find().returning(|_, _| Ok(Some(broadcast(BroadcastState::Draft))));
        store.expect_start().times(usize::from(starts)).returning(|_, _, _, _| Ok(true));
        let mut managing = looking(store, &[]);
        let mut directory = MockContactDirectory::new();
        let mut left = parts.into_iter();
        directory.expect_directory().times(looks).returning(move |_, _, _, _| {
            let row = |(number, name): (u128, Option<&str>)| {
                let (id, name) = (Uuid::from_u128(number).into(), name.map(str::to_owned));
                let contact = Contact { id, name, phone: Some(phone(number)), ..a_contact() };
                DirectoryRow {
                    profile: ContactProfile::without_conversations(contact),
                    last_message_at: None,
                }
            };
            let rows: Vec<DirectoryRow> = (1..).zip(left.next().unwrap().iter().copied()).map(row).collect();
            let more = left.len() > 0;
            Ok(FoundDirectory { reached: rows.last().filter(|_| more).map(DirectoryRow::place), rows })
        });
        managing.preview.audiences.directory = Arc::new(directory);
        let actor = Actor::Member(a_member(1).id);
        let acting = Acting { workspace: a_workspace().id, actor, address: None };
        let started = managing.change(acting, a_region(), id(), Change::Start(a_moment())).await;
        match started {
            Ok(started) => assert!(starts && started.state == BroadcastState::Running),
            Err(BroadcastError::Nobody) => assert!(!starts),
            Err(error) => panic!("{error}"),
        }
    }
}

#[pollster::test]
async fn of_two_who_pause_it_at_once_one_does_and_the_other_finds_it_done() {
    let mut store = MockBroadcastStore::new();
    let mut states = vec![BroadcastState::Paused, BroadcastState::Running];
    store.expect_find().returning(move |_, _| Ok(states.pop().map(broadcast)));
    store.expect_change().once().returning(|_, change, _| {
        assert_eq!((change.from, change.to), (BroadcastState::Running, BroadcastState::Paused));
        Ok(false)
    });
    let acting = Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None };
    let paused = managing(store).change(acting, a_region(), id(), Change::Pause).await.unwrap();
    assert_eq!(paused.state, BroadcastState::Paused);
}

#[pollster::test]
async fn what_is_over_stays_over_and_a_failing_store_is_told() {
    let acting = Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None };
    for change in [Change::Edit, Change::Start(a_moment()), Change::Pause, Change::Resume, Change::Cancel] {
        let mut store = MockBroadcastStore::new();
        store.expect_find().returning(|_, _| Ok(Some(broadcast(BroadcastState::Finished))));
        let refused = managing(store).change(acting, a_region(), id(), change).await;
        assert!(matches!(refused, Err(BroadcastError::State(_))), "{change:?} {refused:?}");
    }
    let mut store = MockBroadcastStore::new();
    store.expect_find().returning(|_, _| Err(StoreError::Unavailable("down".to_owned())));
    let failed = managing(store).change(acting, a_region(), id(), Change::Pause).await;
    assert!(matches!(failed, Err(BroadcastError::Store(_))), "{failed:?}");
}

/// Tries a broadcast over people by these names, and returns what the network was asked.
async fn tried(
    found: Option<Broadcast>,
    names: &[Option<&str>],
) -> (Vec<String>, Result<(), TryBroadcastError>) {
    let row = |(number, name): (u128, Option<&str>)| {
        let (id, name) = (Uuid::from_u128(number).into(), name.map(str::to_owned));
        let contact = Contact { id, name, phone: Some(phone(number)), ..a_contact() };
        DirectoryRow { profile: ContactProfile::without_conversations(contact), last_message_at: None }
    };
    let rows: Vec<DirectoryRow> = (1..).zip(names.iter().copied()).map(row).collect();
    let (mut store, mut directory) = (MockBroadcastStore::new(), MockContactDirectory::new());
    store.expect_find().returning(move |_, _| Ok(found.clone()));
    directory
        .expect_directory()
        .returning(move |_, _, _, _| Ok(FoundDirectory { rows: rows.clone(), reached: None }));
    let (mut ledger, mut network) = (MockSendLedger::new(), MockMessagingNetwork::new());
    ledger.expect_catalogue().returning(|_, _| Ok(catalogue("UTILITY")));
    ledger.expect_begin().returning(|_, reservation| {
        let is_members = |entry: &ConversationEntry| {
            matches!(entry, ConversationEntry::TemplateSend(it) if it.author == Some(a_member(1).id))
        };
        assert!(is_members(&reservation.intent.conversation_entry) && reservation.key.is_some());
        assert_eq!(reservation.intent.reference, None);
        Ok(ReserveOutcome::Started)
    });
    ledger.expect_token().returning(|_, _| Ok(Some(secrecy::SecretString::from("a token").into())));
    ledger.expect_conversation().returning(|_, _, _| Ok(ConversationParts::default()));
    ledger.expect_record().returning(|_, _| Ok(Recorded::Now));
    let done = Done::default();
    let noted = done.clone();
    network.expect_send_template().returning(move |_, _, message| {
        let values: Vec<&str> = message.body.iter().map(|value| value.text.as_str()).collect();
        noted.note(format!("{} {}", message.to.as_str(), values.join(", ")));
        Ok(a_network_message_id().into())
    });
    let (ledger, store) = (Arc::new(ledger), Arc::new(store));
    let clock = Arc::new(ManualClock::at(a_moment()));
    let ids = Arc::new(SequentialIds::default());
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    let deps = Deps { signals: Arc::new(signals), ..deps_of(clock.clone(), ids.clone()) };
    let recorder =
        Arc::new(Recorder { ledger: ledger.clone(), deps: deps.clone(), links: Arc::new(some_links()) });
    let send = SendTemplate {
        ledger: ledger.clone(),
        contacts: Arc::new(MockContactStore::new()),
        once: Arc::new(SendOnce::new(ledger.clone(), Arc::new(network), recorder, clock)),
        vault: Arc::new(a_vault()),
        deps,
    };
    let audiences = Audiences {
        store: store.clone(),
        lists: Arc::new(MockBroadcastListStore::new()),
        directory: Arc::new(directory),
    };
    let trial = TryBroadcast { store, audiences, ledger, send: Arc::new(send), ids };
    let key = IdempotencyKey { key: "1".to_owned(), request: b"1".to_vec() };
    let author = (a_workspace().id, a_member(1).id);
    let outcome = trial.run(author, a_region(), id(), "0770 999 9999".to_owned(), key).await;
    (done.all(), outcome.map(drop))
}

#[pollster::test]
async fn a_trial_goes_to_the_typed_number_with_what_the_first_who_can_be_written_to_would_get() {
    let of_draft = || Some(broadcast(BroadcastState::Draft));
    let (asked, sent) = tried(of_draft(), &[None, Some("سارة"), Some("علي")]).await;
    assert!(sent.is_ok(), "{sent:?}");
    assert_eq!(asked, ["+9647709999999 سارة, A-1"]);
    for (found, names, refused) in [
        (of_draft(), &[None, None][..], BroadcastError::Nobody),
        (None, &[Some("سارة")], BroadcastError::Unknown),
    ] {
        let (asked, sent) = tried(found, names).await;
        let Err(TryBroadcastError::Broadcast(error)) = sent else { panic!("{sent:?}") };
        assert_eq!((error.to_string(), asked.len()), (refused.to_string(), 0));
    }
}
