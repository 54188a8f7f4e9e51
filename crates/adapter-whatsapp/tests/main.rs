//! WhatsApp: what is asked of the network, and what it posts.

mod network;
mod webhook;
