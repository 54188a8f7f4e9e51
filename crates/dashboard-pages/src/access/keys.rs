//! Page of the API keys.

use askama::Template;
use domain::access::Scope;

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// An API key in the list.
#[derive(Debug, Clone)]
pub struct KeyRow {
    pub id: String,
    pub label: String,
    pub scopes: Vec<Scope>,
    /// Name of the member who made it.
    pub maker: Option<String>,
    /// When it was made.
    pub at: Moment,
    pub used_at: Option<Moment>,
    pub revoked_at: Option<Moment>,
}

/// Page of the API keys.
#[derive(Template)]
#[template(path = "access/keys.html")]
pub struct KeysPage<'a> {
    pub frame: &'a Frame,
    pub keys: Vec<KeyRow>,
    /// Secret of a key that was just made, shown this once.
    pub secret: Option<String>,
    /// Label and scopes of a key that was not made.
    pub typed: (String, Vec<Scope>),
    pub refused: Option<Refused>,
}
