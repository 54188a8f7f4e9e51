//! A stand-in for the messaging networks, on loopback: the Graph API of WhatsApp, Messenger and Instagram.
//!
//! Answers as the Graph API does and posts signed webhooks. Deterministic: every fault is switched on
//! explicitly, over a control route or [`Simulator::set_faults`]. `docs/tools/simulator.md` describes its
//! routes.
//!
//! Invariants: it knows nothing of the service that is tested against it; it never fetches anything but the
//! callback; it keeps no more than [`Config::keep`] messages and webhooks.

mod api;
mod chats;
mod clock;
mod codes;
mod config;
mod control;
mod core;
mod demo;
mod error;
mod faults;
mod files;
mod graph;
mod ids;
mod log;
mod people;
mod phones;
mod posts;
mod send;
mod simulator;
mod surface;
mod templates;
mod webhooks;
mod world;

pub use config::{APP_ID, Account, Config, InstagramAccount, Number, Page, Status, Window};
pub use demo::{demo_accounts, demo_page};
pub use error::Error;
pub use people::samples_of as samples;
pub use simulator::Simulator;
