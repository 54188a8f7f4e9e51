//! A small shop that implements the contract for customers' own systems: four capabilities, ten routes, in
//! memory.
//!
//! The contract's client and its checker are tested against it, and it is an example to read for authors of
//! such systems. Its search is a byte-wise `contains`, as in many shops. `docs/tools/reference-shop.md`
//! describes its control routes and faults.
//!
//! Invariants: it knows nothing of the service; it calls nobody; it misbehaves only where a [`Fault`] was
//! switched on, and refuses what it could do only where a status was asked for.

mod answers;
mod call;
mod clock;
mod config;
mod control;
mod core;
mod error;
mod faults;
mod goods;
mod reply;
mod requests;
mod route;
mod routes;
mod server;
mod shelves;
mod spoil;
mod state;

pub use clock::Clock;
pub use config::Config;
pub use error::Error;
pub use faults::{ALL, Fault};
pub use route::Route;
pub use server::ReferenceShop;
pub use shelves::Shelves;
