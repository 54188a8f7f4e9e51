//! A workspace's own system, as the team uses it: the real program, the stand-in for the networks, and the
//! shop.

pub(crate) mod counter;
mod crashes;
mod drafts;
mod faults;
mod leads;
mod look_ups;
mod pages;
mod products;
mod statuses;
