//! What runs beside the requests: handling the networks' updates, and reading templates.

mod templates;
mod updates;

pub use templates::{read_due_templates, warn_of_validity};
pub use updates::{UpdatesWake, UpdatesWorker};
