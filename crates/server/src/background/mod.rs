//! Workers that run beside the requests: watching the clock, handling the networks' updates, fetching files
//! and watching their store, rules and sweepers, releasing the conversations of members who have left, asking
//! what people are called, reading templates and telling owners how channels stand, verifying lost systems,
//! pushing leads to systems, reading customers' answers to drafts and carrying out what they confirm, taking
//! the assistant's turns, sending broadcasts, writing lists of people, recording outcomes of sends where that
//! failed at first, counting the usage of days, keeping the words that messages are found by, keeping the
//! webhooks' log, the calls of systems, idempotency keys and the feeds of browsers short, having new tables
//! analyzed, and learning in which form values are sealed.

mod assistant;
mod automations;
mod binding;
mod broadcasts;
mod channels;
mod clock;
mod confirmations;
mod departures;
mod due;
mod files;
mod files_health;
mod imports;
mod leads;
mod live;
mod node;
mod pages;
mod people;
mod rehearsals;
mod sends;
mod statistics;
mod systems;
mod templates;
mod updates;
mod uploads;
mod usage;
mod webhooks;
mod words;
mod workers;

pub use assistant::{forget_turns, take_turns};
pub use automations::{run_automations, sweep_conversations};
pub use binding::learn_binding;
pub use broadcasts::send_broadcasts;
pub use channels::tell_owners;
pub use clock::{ClockHealth, clock_fault, watch_clock};
pub use confirmations::{Confirmations, handle_confirmations};
pub use departures::finish_departures;
pub use files::{FilesQueueLimits, FilesWake, FilesWorker};
pub use files_health::{FilesHealth, watch_files};
pub use imports::write_imports;
pub use leads::push_leads;
pub use live::sweep_feeds;
pub use node::NodeGauges;
pub use pages::read_due_pages;
pub use people::fetch_profiles;
pub use rehearsals::ask_questions;
pub use sends::{finish_sends, forget_keys};
pub use statistics::analyze_new_tables;
pub use systems::{forget_calls, heal_systems};
pub use templates::{read_due_templates, warn_of_validity};
pub use updates::{UpdatesWake, UpdatesWorker};
pub use uploads::sweep_uploads;
pub use usage::count_usage;
pub use webhooks::{go_on_resending, keep_log_short};
pub use words::keep_words;
