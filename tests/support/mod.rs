//! What the tests stand on: a workspace made by the operator's commands, a running service, and a receiver.

mod api;
mod browser;
mod client;
mod commands;
mod contract;
mod eventually;
mod in_process;
mod listening;
mod mailbox;
mod receiver;
mod rows;
mod runtimes;
mod service;
mod untouched;
mod visitor;
mod world;

pub(crate) use api::{Answer, Api, untold};
pub(crate) use browser::{Browser, PASSWORD, token_of};
pub(crate) use client::local_client;
pub(crate) use commands::Commands;
pub(crate) use contract::Contract;
pub(crate) use eventually::eventually;
pub(crate) use in_process::{InProcess, Serving, serve_by};
pub(crate) use listening::Listening;
pub(crate) use mailbox::Mailbox;
pub(crate) use receiver::{Delivery, Receiver};
pub(crate) use rows::{Rows, SENDS, earlier};
pub(crate) use runtimes::is_here;
pub(crate) use service::{Service, command, operator, program};
pub(crate) use untouched::Untouched;
pub(crate) use visitor::{Seen, Visitor, field};
pub(crate) use world::{
    CLINIC, CLINIC_NUMBER, CODES_NUMBER, NEIGHBOUR_NUMBER, SHOP, SHOP_NUMBER, Secrets, World,
};
