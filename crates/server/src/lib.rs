//! The service: configuration, wiring, roles, shutdown and the command line.
//!
//! The only crate that knows every other. It decides nothing about messages: it reads settings, puts adapters
//! behind ports, starts what a role needs, and stops it in order.

pub mod background;
pub mod cli;
pub mod config;
pub mod counters;
pub mod dashboard;
pub mod doctor;
pub mod logging;
mod measures;
pub mod network;
pub mod operate;
pub mod pdf;
pub mod print;
#[cfg(feature = "sandbox")]
pub mod sandbox;
pub mod serve;
pub mod system;
pub mod telemetry;
pub mod tls;
mod unreadable;
pub mod wiring;
