//! The dashboard's API: who is let in, and what they can do.

mod accounts;
mod api_keys;
mod connecting;
mod devices;
mod doors;
mod inbox;
mod mail;
mod members;
mod password_resets;
pub(crate) mod second_factor;
mod settings;
mod sign_in;
mod stage;
mod standing;
mod system;
mod templates;
mod tries;
mod webhooks;
