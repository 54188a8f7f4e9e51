//! What runs beside the requests, by roles.

use std::sync::Arc;

use adapter_mail::Outbox;
use adapter_postgres::PgNotifyChannel;
use adapter_webhooks::Dispatcher;
use domain::{
    assistant::TakeTurn, channels::TellOwners, customer_records::PushLeads, live::SweepFeeds,
    messages::KeepWords, systems::ManageSystem, workspaces::CountUsage,
};

use super::group::Group;
use crate::{
    background::{
        FilesQueueLimits, FilesWake, FilesWorker, NodeGauges, UpdatesWake, UpdatesWorker, analyze_new_tables,
        count_usage, fetch_profiles, finish_departures, finish_sends, forget_calls, forget_turns,
        go_on_resending, handle_confirmations, heal_systems, keep_log_short, keep_words, learn_binding,
        push_leads, read_due_pages, read_due_templates, run_automations, send_broadcasts,
        sweep_conversations, sweep_feeds, sweep_uploads, take_turns, tell_owners, watch_files, write_imports,
    },
    logging::count_outages,
    wiring::{
        Confirmations, Files, Foundation, UseCases, keep_calls, keep_log, read_turns,
        run_broadcasts as send_broadcasts_of, run_imports,
    },
};

/// Starts it, each task until its group is told to end.
pub(super) struct Crew<'a> {
    pub(super) on: &'a Foundation,
    pub(super) use_cases: &'a Arc<UseCases>,
    pub(super) systems: &'a Arc<ManageSystem>,
    pub(super) push_leads: &'a Arc<PushLeads>,
    pub(super) confirmations: &'a Arc<Confirmations>,
    pub(super) take_turn: &'a Arc<TakeTurn>,
    /// Where mail is on.
    pub(super) tell_owners: Option<TellOwners>,
    /// What begins nothing more as soon as requests are no longer taken.
    pub(super) background: &'a Group,
    /// What ends behind the requests and the background.
    pub(super) last: &'a Group,
}

impl Crew<'_> {
    /// What every node does, whatever its roles.
    pub(super) fn node(&self, files: &Files, outbox: Option<Outbox>, gauges: NodeGauges) {
        let Self { on, use_cases, last: Group { tasks, shutdown }, .. } = self;
        tasks.spawn(count_outages(Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(gauges.run(Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(watch_files(Arc::clone(&files.health), Arc::clone(&on.deps.clock), shutdown.clone()));
        tasks.spawn(learn_binding(on.check_keys(), Arc::clone(&on.deps.clock), shutdown.clone()));
        if let Some(outbox) = outbox {
            tasks.spawn(outbox.run(shutdown.clone()));
        }
        let unfinished = use_cases.send_once.unfinished();
        tasks.spawn(finish_sends(unfinished, Arc::clone(&on.deps.clock), shutdown.clone()));
    }

    /// Delivering webhooks, and what goes with it.
    pub(super) fn dispatcher(&self, dispatcher: Dispatcher) {
        let Self { on, use_cases, background: Group { tasks, shutdown }, .. } = self;
        tasks.spawn(dispatcher.run(shutdown.clone()));
        tasks.spawn(keep_log_short(keep_log(on), Arc::clone(&on.deps.clock), shutdown.clone()));
        let resend = Arc::clone(&use_cases.resend_deliveries);
        tasks.spawn(go_on_resending(resend, Arc::clone(&on.deps.clock), shutdown.clone()));
    }

    /// What networks told, rules, sweepers, files, people, pages and templates.
    pub(super) fn worker(
        &self,
        files: &Files,
        notify_channel: Arc<PgNotifyChannel>,
        updates: UpdatesWake,
        awaited: FilesWake,
    ) {
        let Self { on, use_cases, background: Group { tasks, .. }, .. } = self;
        let (clock, shutdown) = (|| Arc::clone(&on.deps.clock), || self.background.shutdown.clone());
        let handle = Arc::clone(&use_cases.handle_updates);
        let inbound = Arc::clone(&on.stores.inbound);
        let worker = UpdatesWorker { handle, clock: clock(), wake: updates, inbound, notify_channel };
        tasks.spawn(worker.run(shutdown()));
        let (run, sweep) = (Arc::clone(&use_cases.life.run_automations), Arc::clone(&use_cases.life.sweep));
        tasks.spawn(run_automations(run, clock(), shutdown()));
        tasks.spawn(sweep_conversations(sweep, clock(), shutdown()));
        let change = Arc::clone(&use_cases.life.change_conversation);
        tasks.spawn(finish_departures(change, clock(), shutdown()));
        tasks.spawn(analyze_new_tables(on.stores.database.clone(), clock(), shutdown()));
        let feeds = SweepFeeds { store: on.stores.live.clone(), clock: clock() };
        tasks.spawn(sweep_feeds(feeds, clock(), shutdown()));
        tasks.spawn(sweep_uploads(files.sweep_uploads(on), clock(), shutdown()));
        tasks.spawn(heal_systems(Arc::clone(self.systems), clock(), shutdown()));
        tasks.spawn(push_leads(Arc::clone(self.push_leads), clock(), shutdown()));
        tasks.spawn(handle_confirmations(Arc::clone(self.confirmations), clock(), shutdown()));
        tasks.spawn(forget_calls(keep_calls(on), clock(), shutdown()));
        let broadcasts = Arc::new(send_broadcasts_of(on, use_cases));
        tasks.spawn(send_broadcasts(broadcasts, clock(), shutdown()));
        tasks.spawn(write_imports(run_imports(on), clock(), shutdown()));
        tasks.spawn(take_turns(Arc::clone(self.take_turn), clock(), shutdown()));
        tasks.spawn(forget_turns(read_turns(on), clock(), shutdown()));
        let settle = Arc::new(files.settle(on, use_cases.networks.clone()));
        for (limits, wake) in
            [(FilesQueueLimits::TO_BE_TOLD, awaited), (FilesQueueLimits::LATE, FilesWake::default())]
        {
            let settle = Arc::clone(&settle);
            tasks.spawn(FilesWorker { settle, clock: clock(), wake, limits }.run(shutdown()));
        }
        let count = Arc::new(CountUsage { store: on.stores.workspaces.clone(), clock: clock() });
        tasks.spawn(count_usage(count, on.stores.workspaces.clone(), clock(), shutdown()));
        if let Some(tell) = self.tell_owners.clone() {
            tasks.spawn(tell_owners(tell, clock(), shutdown()));
        }
        tasks.spawn(keep_words(KeepWords { store: on.stores.messages.clone() }, clock(), shutdown()));
        tasks.spawn(fetch_profiles(Arc::clone(&use_cases.fetch_profiles), clock(), shutdown()));
        tasks.spawn(read_due_pages(Arc::clone(&use_cases.read_pages), clock(), shutdown()));
        tasks.spawn(read_due_templates(Arc::clone(&use_cases.sync_account), clock(), shutdown()));
    }
}
