//! Deliveries of webhooks: each attempt, and the order of many.

mod dispatcher;
mod sender;
