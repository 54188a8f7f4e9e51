//! The keys of the API.

use askama::Template;
use domain::access::Scope;

use crate::{frame::Frame, moment::Moment};

/// A key.
#[derive(Debug, Clone)]
pub struct KeyRow {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub label: String,
    /// What it opens.
    pub scopes: Vec<Scope>,
    /// Who made it.
    pub maker: Option<String>,
    /// When.
    pub at: Moment,
    /// When it was last used.
    pub used_at: Option<Moment>,
    /// Since when it opens nothing.
    pub revoked_at: Option<Moment>,
}

/// The keys.
#[derive(Template)]
#[template(path = "access/keys.html")]
pub struct KeysPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// All of them.
    pub keys: Vec<KeyRow>,
    /// One that was just made, shown this once.
    pub secret: Option<String>,
    /// What one that was not made was to be for, and to open.
    pub typed: (String, Vec<Scope>),
    /// Why something was not done.
    pub refused: Option<&'a str>,
}
