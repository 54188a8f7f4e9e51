//! `bench inbound`: cost of customers' messages, from the network's post until they are recorded with their
//! events.

mod posts;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};

use self::posts::Posts;
use crate::{
    figures::{Figures, Goal},
    load::{self, Calls, Connection, End, Keys, Latencies, Load, Plan, float},
    machine::{Service, resident_mib},
    reference::Script,
    say::say,
    world::{Options, World},
};

/// Posts in flight: as many as the reference's clients.
const AT_ONCE: u32 = 16;
/// People who write in the runs with many conversations.
const PEOPLE: u64 = 1_000;
/// Messages per post in the runs with batches.
const BATCH: u64 = 100;
/// Messages of the run that counts transactions message by message.
const ALONE: u64 = 100;
/// Time after which PostgreSQL's statistics have what a connection did.
const COUNTED: Duration = Duration::from_secs(11);
/// Polling interval while the journal is worked off.
const LOOK: Duration = Duration::from_millis(10);

const TABLE: &str =
    "CREATE TABLE bench_inserts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text)";
const INSERT: &str =
    "INSERT INTO bench_inserts (note) VALUES ('about as much as a short message of one person says');";

/// Counts committed transactions. The reference's are not among them: it runs while nothing else does.
const TRANSACTIONS: &str = "
    SELECT pg_stat_clear_snapshot()::text, (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())";

/// Measures messages and notes the figures; an error if a message is lost.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let world = World::new(options).await?;
    let [workspace, _] = &world.workspaces;
    // Nobody listens there: events are written for it, but this process sends nothing.
    let address = "http://127.0.0.1:9/events";
    world.settings.operate(&["webhook", "add", &workspace.id.to_string(), address])?;
    world.database.batch_execute(TABLE).await?;
    let usage = || world.postgres.usage();
    let inserts = world.pgbench("").run(&[Script::text(INSERT)], options.length(), usage).await?.rate;
    figures.note("pgbench: insert and commit, 16 clients", (inserts, "/s"), None, None);

    let service = Service::start(&world.settings.with("ROLES", "api,worker".to_owned())).await?;
    let count = if options.small { 2_000 } else { 40_000 };
    let mut bench = Bench { world: &world, service, written: 0 };
    bench.write(PEOPLE, BATCH, PEOPLE).await?;
    world.analyze().await?;
    let alone = bench.alone().await?;
    let name = "one message alone: statements, each a transaction";
    figures.note(name, (alone, "statements"), None, Some(Goal::AtMost(8.0)));
    let mut sustained = f64::NAN;
    for (of_one_post, least) in [(1, 0.2), (BATCH, 0.6)] {
        for people in [PEOPLE, 1] {
            let written = bench.write(people, of_one_post, count).await?;
            let posted = if of_one_post == 1 { "one by one" } else { "100 in a post" };
            let name = format!("messages into {people} conversations, {posted}");
            let goal = (people == PEOPLE).then_some(Goal::RatioAtLeast(least));
            figures.note(format!("{name}: recorded"), (written.rate, "/s"), Some(inserts), goal);
            let statements = if of_one_post == 1 { 8.0 } else { 2.0 };
            written.note(figures, &name, statements);
            if of_one_post == 1 && people == PEOPLE {
                sustained = written.rate;
            }
        }
    }
    let answers = bench.pace(PEOPLE, sustained / 2.0, options.length()).await?;
    let name = "a post's answer, at half the rate of one by one";
    figures.note(format!("{name}: p50"), (answers.percentile(0.5), "ms"), None, Some(Goal::AtMost(20.0)));
    figures.note(format!("{name}: p99"), (answers.percentile(0.99), "ms"), None, Some(Goal::AtMost(100.0)));
    let resident = resident_mib(bench.service.process())?;
    figures.note("serve, after these: RSS", (resident, "MiB"), None, None);
    Ok(())
}

struct Bench<'a> {
    world: &'a World,
    service: Service,
    /// Number of messages so far, which keeps their ids distinct.
    written: u64,
}

struct Written {
    /// Messages per second, until the last one is recorded with its event.
    rate: f64,
    answers: Load,
    /// Transactions per message, in the whole database.
    transactions: f64,
    /// CPU time of the service per message, in milliseconds.
    server: f64,
    postgres: f64,
}

impl Bench<'_> {
    async fn write(&mut self, people: u64, of_one_post: u64, count: u64) -> anyhow::Result<Written> {
        say(&format!("{count} messages into {people} conversations, {of_one_post} in a post"));
        let posts = count.div_ceil(of_one_post);
        let plan = Plan {
            address: self.service.address,
            calls: Arc::new(self.posts(people, of_one_post)),
            keys: Keys::new(vec!["none".to_owned()]),
            connections: AT_ONCE,
            end: End::Requests(posts),
        };
        let (recorded, committed) = (self.recorded().await?, self.transactions().await?);
        let before = [self.service.usage()?, self.world.postgres.usage()?];
        let started = Instant::now();
        let answers = load::run(&plan).await?;
        self.worked_off().await?;
        let seconds = started.elapsed().as_secs_f64();
        let after = [self.service.usage()?, self.world.postgres.usage()?];
        let count = posts * of_one_post;
        self.written += count;
        let now = self.recorded().await?;
        if now - recorded != i64::try_from(count)? {
            bail!("{count} messages were written and {} recorded", now - recorded);
        }
        let [server, postgres] = [after[0].since_per(before[0], count), after[1].since_per(before[1], count)];
        let transactions = u64::try_from(self.transactions().await? - committed).unwrap_or_default();
        let transactions = float(transactions) / float(count);
        Ok(Written { rate: float(count) / seconds, answers, transactions, server, postgres })
    }

    /// Writes messages one after the other, each once the one before is recorded; returns the transactions of
    /// each, without those of the workers that poll for work.
    async fn alone(&mut self) -> anyhow::Result<f64> {
        say(&format!("{ALONE} messages, one after the other"));
        let idle = self.counted().await?;
        let idle =
            float(u64::try_from(self.counted().await? - idle).unwrap_or_default()) / COUNTED.as_secs_f64();
        let started = Instant::now();
        let mut connection = Connection::open(self.service.address).await?;
        let posts = self.posts(PEOPLE, 1);
        let (committed, mut looks, mut request) = (self.transactions().await?, 0, Vec::new());
        for number in 0..ALONE {
            request.clear();
            posts.write(number, "", &mut request);
            let status = connection.ask(&request).await?.status;
            if status != 200 {
                bail!("a post was answered with {status}");
            }
            looks += self.worked_off().await?;
        }
        self.written += ALONE;
        let statements = u64::try_from(self.counted().await? - committed).unwrap_or_default();
        let beside = idle * started.elapsed().as_secs_f64();
        Ok((float(statements.saturating_sub(looks)) - beside) / float(ALONE))
    }

    /// Counts transactions once every connection has reported its own, which an idle one does after ten
    /// seconds.
    async fn counted(&self) -> anyhow::Result<i64> {
        sleep(COUNTED).await;
        self.transactions().await
    }

    /// Posts single messages at `rate` per second for `length`; returns the answers' latencies in
    /// microseconds, ascending.
    async fn pace(&mut self, people: u64, rate: f64, length: Duration) -> anyhow::Result<Latencies> {
        say(&format!("{rate:.0} posts a second"));
        let posts = Arc::new(self.posts(people, 1));
        let every = Duration::from_secs_f64(f64::from(AT_ONCE) / rate);
        let taken = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        for first in 0..u64::from(AT_ONCE) {
            let mut connection = Connection::open(self.service.address).await?;
            let (posts, taken) = (Arc::clone(&posts), Arc::clone(&taken));
            tasks.spawn(async move {
                let (started, mut number, mut request) = (Instant::now(), first, Vec::new());
                let mut turns = interval(every);
                turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
                while started.elapsed() < length {
                    turns.tick().await;
                    request.clear();
                    posts.write(number, "", &mut request);
                    number += u64::from(AT_ONCE);
                    let asked = Instant::now();
                    let status = connection.ask(&request).await?.status;
                    if status != 200 {
                        bail!("a post was answered with {status}");
                    }
                    let micros = u32::try_from(asked.elapsed().as_micros()).unwrap_or(u32::MAX);
                    taken.lock().unwrap_or_else(PoisonError::into_inner).push(micros);
                }
                Ok(())
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        self.worked_off().await?;
        Latencies::of(std::mem::take(&mut *taken.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn posts(&self, people: u64, of_one_post: u64) -> Posts {
        Posts { people, of_one_post, first: self.written, app_secret: self.world.app_secret() }
    }

    /// Waits until the journal is empty; returns the number of looks.
    async fn worked_off(&self) -> anyhow::Result<u64> {
        let left = self.world.database.prepare("SELECT EXISTS (SELECT FROM journal)").await?;
        let (mut turns, mut looks) = (interval(LOOK), 1);
        while self.world.database.query_one(&left, &[]).await?.get(0) {
            turns.tick().await;
            looks += 1;
        }
        Ok(looks)
    }

    /// Counts the messages so far, each with its event.
    async fn recorded(&self) -> anyhow::Result<i64> {
        let count = "SELECT (SELECT count(*) FROM messages),
                            (SELECT count(*) FROM deliveries WHERE event = 'message.received')";
        let counts = self.world.database.query_one(count, &[]).await?;
        let (messages, events): (i64, i64) = (counts.get(0), counts.get(1));
        if messages != events {
            bail!("{messages} messages and {events} events");
        }
        Ok(messages)
    }

    async fn transactions(&self) -> anyhow::Result<i64> {
        let row = self.world.database.query_one(TRANSACTIONS, &[]).await?;
        row.try_get(1).context("the database counts its transactions")
    }
}

impl Written {
    /// Notes the figures; `statements` is the most that a message may need, as each is a transaction.
    fn note(&self, figures: &mut Figures, name: &str, statements: f64) {
        figures.note(
            format!("{name}: p50 of a post's answer"),
            (self.answers.percentile(0.5), "ms"),
            None,
            None,
        );
        figures.note(
            format!("{name}: p99 of a post's answer"),
            (self.answers.percentile(0.99), "ms"),
            None,
            None,
        );
        figures.note(
            format!("{name}: transactions of each"),
            (self.transactions, "transactions"),
            None,
            Some(Goal::AtMost(statements)),
        );
        figures.note(format!("{name}: CPU of the server"), (self.server, "ms"), None, None);
        figures.note(format!("{name}: CPU of PostgreSQL"), (self.postgres, "ms"), None, None);
    }
}
