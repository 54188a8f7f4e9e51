//! A run, from its beginning to its report.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use bench::say::say;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::{sync::watch, task::JoinSet, time::sleep};

use crate::{
    api::Api,
    books::{Books, Receivers, accepted, delivered_first, read_conversations, reconcile},
    calm,
    load::{Clients, Customers, Replies},
    machine::{Clocks, Nodes},
    options::Options,
    report::Report,
    storm, upgrade,
    world::World,
};

/// Concurrent clients, each with an API key of its own.
const CLIENTS: usize = 6;
/// Interval at which the clients learn of new conversations.
const NEWS: Duration = Duration::from_secs(3);

/// Performs a run and reconciles the records; fails if something is missing, does not start, or does not come
/// back.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    if let Some(before) = &options.before {
        upgrade::check(before, &options.server)?;
    }
    let world = World::new(options, CLIENTS + 1).await?;
    let clocks = options.faketime.as_ref().map(|library| Clocks::new(library, &options.folder));
    let mut nodes = Nodes::start(world.settings.clone(), world.front.clone(), clocks, options.nodes).await?;
    #[expect(clippy::disallowed_methods, reason = "the window of what is sent again is of the real time")]
    let began = OffsetDateTime::now_utc().format(&Rfc3339)?;
    let mut apis = world
        .keys
        .iter()
        .map(|key| Api::new(world.front.address(), key))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let reader = apis.pop().ok_or_else(|| anyhow::anyhow!("no key to read with"))?;
    let (replies, customers) = (Replies::default(), Customers::new());
    let clients = Clients::new(apis, Arc::clone(&replies));
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    clients.run(options.seed, &stopped, &mut tasks);
    customers.run(&world.simulator, options.seed, &stopped, &mut tasks);
    tasks.spawn(news(Arc::clone(&world.receivers), replies, stopped));

    let mut report = Report { seed: options.seed, ..Report::default() };
    if let Some(before) = &options.before {
        report.note("nodes replaced", upgrade::roll(&world, &mut nodes, before, options).await?);
    } else {
        say(&format!("things fail for {} s", options.length.as_secs()));
        for (name, count) in storm::rage(&world, &mut nodes, options).await? {
            report.note(name, count);
        }
        say("everything works again");
    }
    world.receivers.recover();
    stop.send_replace(true);
    while let Some(ended) = tasks.join_next().await {
        ended?;
    }
    let waiting = calm::wait(&world, &clients, &began).await?;

    if options.before.is_some() {
        // Nothing was made to fail, so no request may have failed.
        report.fault("requests that failed", &clients.failed());
    }
    let books = Books {
        sends: clients.sends(),
        accepted: accepted(&world.simulator.messages()),
        delivered_first: delivered_first(&world.simulator.webhooks()),
        written: customers.written(),
        conversations: read_conversations(&reader).await?,
        told: world.receivers.told(),
        waiting,
    };
    reconcile(&books, &mut report);
    Ok(report)
}

/// Tells the clients which conversations they may reply to: those in which somebody wrote, by the received
/// events. WhatsApp lets a reply to anybody else fail.
async fn news(receivers: Arc<Receivers>, replies: Replies, stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        *replies.lock().unwrap_or_else(PoisonError::into_inner) = receivers.written_to();
        sleep(NEWS).await;
    }
}
