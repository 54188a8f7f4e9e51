//! Common parts of the Graph API's webhooks: who may post, how a post is written, and its plain values.

mod gate;
mod post;
mod surrogates;
mod values;

pub use gate::Gate;
pub use post::{object_of, parse};
pub use values::{instant, integer, message_id, network_id, shown_name, text, words};
