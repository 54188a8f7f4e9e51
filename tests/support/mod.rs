//! What the tests stand on: a workspace made by the operator's commands, a running service, and a receiver.

mod api;
mod receiver;
mod service;
mod world;

pub(crate) use api::{Answer, Api};
pub(crate) use receiver::{Delivery, Receiver};
pub(crate) use service::{Service, operator};
pub(crate) use world::{CODES_NUMBER, SHOP, SHOP_NUMBER, Secrets, World};
