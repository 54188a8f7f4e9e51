//! The core from outside, as an adapter or the program uses it: its rules, and its use cases with mock ports.

mod access;
mod accounts;
mod ask_customers;
mod attachments;
mod automations;
mod broadcasts;
mod change_conversation;
mod connecting;
mod contacts;
mod fetch_profiles;
mod hostile_model;
mod import_contacts;
mod import_jobs;
mod inbound;
mod inbox;
mod live;
mod plan;
mod ports;
mod reading;
mod send_reply;
mod send_template;
mod take_turn;
mod templates_sync;
mod uploads;
mod webhooks;
