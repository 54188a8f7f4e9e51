//! HTTP surfaces: the public API under /v1, the dashboard, the networks' webhooks and the admin port.
//!
//! A request goes through `request_log` (an id, a line in the log, the metrics), under `/v1` through
//! `access::admit` (key, then rate window), under `/dashboard/api` and the pages of `/dashboard` through
//! `dashboard::admit` (session, then the origin of a change, then role), and then to a handler: extract, call
//! the use case, convert. A failure on the way is a `problem::Problem`, the only thing that becomes an error
//! answer, or a page in its place. Each folder is a noun of the domain. `floors.txt` has the order of the
//! modules, ground first.
//!
//! Invariants: no rule of the business is here; no handler reads a body before it has checked the scope;
//! every use case runs as a task of the main runtime (`App::run`), so that it outlives a client that goes
//! away.
//!
//! Deliberately absent: any store or network, and reading certificates.

mod access;
mod admin;
mod app;
mod attachments;
mod body;
mod contacts;
mod conversations;
mod dashboard;
mod document;
mod edge;
mod endpoint;
mod headers;
mod inbound;
mod live;
mod messages;
mod pages;
mod paging;
mod problem;
mod query;
mod request_log;
mod routes;
mod schema;
mod sending;
mod server;
mod session;
mod templates;

pub use app::{
    App, Assistant, Broadcasts, Channels, Consent, Dashboard, Directory, Readiness, Resets, Systems, Webhooks,
};
pub use dashboard::{Needs, Route, dashboard_codes};
pub use document::openapi;
pub use edge::Edge;
pub use inbound::count_from_zero;
pub use live::LiveHub;
pub use pages::{dashboard_operations, dashboard_pages};
pub use server::{Settings, serve_admin, serve_public};
pub use session::{Cookies, Searches};
