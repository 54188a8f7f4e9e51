//! What every simulator is made of: a server on a thread of its own ([`Background`]), and a program around it
//! ([`run_program`]).
//!
//! Invariants: it knows nothing of what is simulated.

mod background;
mod program;

pub use background::{Background, KEEP_ALIVE, NotStarted, WORKERS};
pub use program::{run_program, until_interrupted};
