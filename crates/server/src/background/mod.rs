//! What runs beside the requests: handling the networks' updates, rules and sweepers, reading
//! templates.

mod automations;
mod templates;
mod updates;

pub use automations::{run_automations, sweep_threads};
pub use templates::{read_due_templates, warn_of_validity};
pub use updates::{UpdatesWake, UpdatesWorker};
