//! Background work by roles.

use std::sync::Arc;

use adapter_mail::Outbox;
use adapter_postgres::PgNotifyChannel;
use adapter_webhooks::Dispatcher;
use domain::{
    access::TellOwners,
    assistant::{TakeTurn, rehearsal::RunRehearsals},
    clock::Clock,
    customer_records::PushLeads,
    live::SweepFeeds,
    messages::KeepWords,
    sending::ForgetKeys,
    systems::ManageSystem,
    workspaces::CountUsage,
};
use tokio_util::sync::CancellationToken;

use super::group::Group;
use crate::{
    background::{
        ClockHealth, Confirmations, FilesQueueLimits, FilesWake, FilesWorker, NodeGauges, UpdatesWake,
        UpdatesWorker, analyze_new_tables, ask_questions, count_usage, fetch_profiles, finish_departures,
        finish_sends, forget_calls, forget_keys, forget_turns, go_on_resending, handle_confirmations,
        heal_systems, keep_log_short, keep_words, learn_binding, push_leads, read_due_pages,
        read_due_templates, run_automations, send_broadcasts, sweep_conversations, sweep_feeds,
        sweep_uploads, take_turns, tell_owners, watch_clock, watch_files, write_imports,
    },
    logging::count_outages,
    wiring::{
        Files, Foundation, UseCases, keep_calls, keep_log, read_turns, run_broadcasts as send_broadcasts_of,
        run_imports, wire,
    },
};

/// Starter of the background work; each task runs until its group is told to end.
pub(super) struct Crew<'a> {
    pub(super) on: &'a Foundation,
    pub(super) use_cases: &'a Arc<UseCases>,
    pub(super) systems: &'a Arc<ManageSystem>,
    pub(super) push_leads: &'a Arc<PushLeads>,
    pub(super) confirmations: &'a Arc<Confirmations>,
    pub(super) take_turn: &'a Arc<TakeTurn>,
    pub(super) rehearsals: &'a Arc<RunRehearsals>,
    /// Work is begun only while this clock is right.
    pub(super) clock: &'a Arc<ClockHealth>,
    /// `None` where mail is off.
    pub(super) tell_owners: Option<TellOwners>,
    /// Tasks that begin nothing more as soon as requests are no longer accepted.
    pub(super) background: &'a Group,
    /// Tasks that end after the requests and the background.
    pub(super) last: &'a Group,
}

impl Crew<'_> {
    /// Starts what every node does, whatever its roles and its clock.
    pub(super) fn node(&self, files: &Files, outbox: Option<Outbox>, gauges: NodeGauges) {
        let Self { on, use_cases, last: Group { tasks, shutdown }, .. } = self;
        tasks.spawn(count_outages(Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(gauges.run(Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(watch_clock(Arc::clone(self.clock), Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(watch_files(Arc::clone(&files.health), Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(learn_binding(on.check_keys(), Arc::clone(&on.deps.clock), shutdown.clone()));
        if let Some(outbox) = outbox {
            tasks.spawn(outbox.run(shutdown.clone()));
        }
        let unfinished = use_cases.send_once.unfinished();
        tasks.spawn(finish_sends(unfinished, Arc::clone(&on.deps.clock), shutdown.clone()));
    }

    /// Starts the delivery of webhooks, and the work beside it.
    pub(super) fn dispatcher(&self, dispatcher: Dispatcher) {
        let Self { on, use_cases, .. } = self;
        self.work(dispatcher, |dispatcher, _, shutdown| dispatcher.run(shutdown));
        self.work(keep_log(on), keep_log_short);
        self.work(Arc::clone(&use_cases.resend_deliveries), go_on_resending);
    }

    /// Starts the worker's tasks: updates, rules, sweepers, files, people, pages and templates.
    pub(super) fn worker(
        &self,
        files: &Files,
        notify_channel: Arc<PgNotifyChannel>,
        updates: UpdatesWake,
        awaited: FilesWake,
    ) {
        let Self { on, use_cases, .. } = self;
        let clock = || Arc::clone(&on.deps.clock);
        let handle = Arc::clone(&use_cases.handle_updates);
        let inbound = Arc::clone(&on.stores.inbound);
        let worker = UpdatesWorker { handle, clock: clock(), wake: updates, inbound, notify_channel };
        self.work(worker, |worker, _, shutdown| worker.run(shutdown));
        self.work(Arc::clone(&use_cases.life.run_automations), run_automations);
        self.work(Arc::clone(&use_cases.life.sweep), sweep_conversations);
        self.work(Arc::clone(&use_cases.life.change_conversation), finish_departures);
        self.work(on.stores.database.clone(), analyze_new_tables);
        self.work(SweepFeeds { store: on.stores.live.clone(), clock: clock() }, sweep_feeds);
        self.work(files.sweep_uploads(on), sweep_uploads);
        self.work(Arc::clone(self.systems), heal_systems);
        self.work(Arc::clone(self.push_leads), push_leads);
        self.work(Arc::clone(self.confirmations), handle_confirmations);
        self.work(keep_calls(on), forget_calls);
        self.work(Arc::new(send_broadcasts_of(on, use_cases)), send_broadcasts);
        self.work(ForgetKeys { log: on.stores.sends.clone(), clock: clock() }, forget_keys);
        self.work(run_imports(on), write_imports);
        self.work(Arc::clone(self.take_turn), take_turns);
        self.work(read_turns(on), forget_turns);
        self.work(Arc::clone(self.rehearsals), ask_questions);
        let settle = Arc::new(files.settle(on, use_cases.networks.clone()));
        for (limits, wake) in
            [(FilesQueueLimits::TO_BE_TOLD, awaited), (FilesQueueLimits::LATE, FilesWake::default())]
        {
            let worker = FilesWorker { settle: Arc::clone(&settle), clock: clock(), wake, limits };
            self.work(worker, |worker, _, shutdown| worker.run(shutdown));
        }
        let count = Arc::new(CountUsage { store: on.stores.workspaces.clone(), clock: clock() });
        self.work((count, on.stores.workspaces.clone()), |(count, workspaces), clock, shutdown| {
            count_usage(count, workspaces, clock, shutdown)
        });
        if let Some(tell) = self.tell_owners.clone() {
            self.work(tell, tell_owners);
        }
        self.work(wire!(KeepWords { store: on.stores.messages }), keep_words);
        self.work(Arc::clone(&use_cases.fetch_profiles), fetch_profiles);
        self.work(Arc::clone(&use_cases.read_pages), read_due_pages);
        self.work(Arc::clone(&use_cases.sync_account), read_due_templates);
    }

    /// Runs `work` with `tools` until the group is told to end, while the clock is right.
    fn work<T, W>(&self, tools: T, work: impl Fn(T, Arc<dyn Clock>, CancellationToken) -> W + Send + 'static)
    where
        T: Clone + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let (group, health, clock) = (self.background, self.clock, Arc::clone(&self.on.deps.clock));
        group.work(health, move |shutdown| work(tools.clone(), Arc::clone(&clock), shutdown));
    }
}
