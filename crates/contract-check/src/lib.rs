//! Checker of systems against the contract for customers' own systems, with advice for repairs.
//!
//! [`check`] calls the system as the service would and returns a [`Report`]: for every rule of [`checks`]
//! whether it holds, is broken, or could not be tried. `docs/integrate/custom-system.md` explains such a
//! report. [`openapi`] is the contract itself, for programs.
//!
//! Invariants: nothing is written unless [`Options::writes`] says so, and what was ordered is cancelled; the
//! secret and the phone stand in no report; each fault is reported by one check.

mod caller;
pub mod checks;
mod document;
mod judge;
mod log;
mod options;
pub mod output;
mod report;
mod run;

pub use document::openapi;
pub use options::{CheckError, Options, Writes};
pub use report::{Checked, Outcome, Report};
pub use run::check;
