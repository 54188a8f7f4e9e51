//! The real program against a real PostgreSQL and a stand-in for the network, over real HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends at its first surprise"
)]

mod support;

mod absurd_requests;
mod access;
mod assistant;
mod assistant_evaluation;
mod attachments;
mod automations;
mod bad_input;
mod binding;
mod broadcasts;
mod canary;
mod certificates;
mod chaos_run;
mod clock;
mod contacts;
mod contacts_import;
mod contract_check;
mod contract_document;
mod conversations;
mod crash;
mod dashboard;
mod deliveries;
mod delivery_search;
mod deployment;
mod doctor;
mod documents;
mod faults;
mod guide;
mod idempotency;
mod import_jobs;
mod inbound;
mod isolation;
mod kiosk;
mod life;
mod listings;
mod main_job;
mod marks;
mod master_key;
mod networks;
mod operator;
mod order;
mod other_node;
mod outage;
mod outcomes;
mod plan_limit;
mod quarantine;
mod receivers;
mod reference;
mod refusals;
mod replies;
mod restore;
mod rolling;
mod sandbox;
mod starters;
mod statuses;
mod systems;
mod team;
mod telemetry;
mod templates;
mod terminal;
mod unknown_parameters;
mod unreadable;
mod webhook_commands;
mod what_became;
mod wrong_keys;
