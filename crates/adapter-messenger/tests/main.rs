//! Pages and Instagram accounts: what is asked of the network, and what it posts.

mod network;
mod webhook;
