//! For tests, here and in crates that build on the core: a clock moved by hand, ids in sequence, and builders.
//!
//! The mocks of the ports stand beside their ports, as `Mock…`.

mod builders;
mod manual_clock;
mod sequential_ids;

pub use builders::{a_caller, a_number, a_region, a_template, a_workspace, an_account_id, catalogue_of};
pub use manual_clock::ManualClock;
pub use sequential_ids::SequentialIds;
