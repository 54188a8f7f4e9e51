//! Page of the API keys.

use askama::Template;
use domain::access::Scope;
use serde::{Serialize, Serializer};

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// An API key in the list.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyRow {
    pub id: String,
    pub label: String,
    #[serde(serialize_with = "words")]
    pub scopes: Vec<Scope>,
    /// Who made it; replies sent with it go in their name.
    pub creator_id: String,
    /// Name of the member who made it.
    #[serde(skip)]
    pub maker: Option<String>,
    pub created_at: Moment,
    pub revoked_at: Option<Moment>,
    /// Minute in which it was last used, as far as is known.
    pub last_used_at: Option<Moment>,
}

fn words<S: Serializer>(scopes: &[Scope], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(scopes.iter().copied().map(Scope::as_str))
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
