//! Rules, what messages set off by them, and conversations in which nothing happens.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod quiet;
mod rules;
mod triggers;

pub(crate) use triggers::trigger;
