//! A member's own name, password, second factor and sessions.

use askama::Template;

use crate::{frame::Frame, moment::Moment};

/// A session of one's own.
#[derive(Debug, Clone)]
pub struct SessionRow {
    /// Its id.
    pub id: String,
    /// Whether it is the one that asks.
    pub is_current: bool,
    /// From where it was begun.
    pub address: Option<String>,
    /// What the browser called itself.
    pub browser: Option<String>,
    /// When it was last used.
    pub seen_at: Moment,
}

/// Tries to sign in as oneself that were refused.
#[derive(Debug, Clone)]
pub struct RefusedRow {
    /// Whether the password was right and the code was not.
    pub is_code: bool,
    /// How many.
    pub tries: u64,
    /// When the last was, where that can be read.
    pub last_at: Option<Moment>,
    /// Where that came from.
    pub address: Option<String>,
}

/// How far the second factor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Factor {
    /// None is asked for.
    Off,
    /// It was offered: the secret for the app.
    Offered(String),
    /// It was just switched on: the recovery codes, shown this once.
    Confirmed(Vec<String>),
    /// It is asked for.
    On,
}

/// One's own profile.
#[derive(Template)]
#[template(path = "access/profile.html")]
pub struct ProfilePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What one is called.
    pub name: String,
    /// What one signs in with.
    pub email: String,
    /// The second factor.
    pub factor: Factor,
    /// Where one is signed in.
    pub sessions: Vec<SessionRow>,
    /// Tries that were refused, newest first.
    pub refusals: Vec<RefusedRow>,
    /// What was done.
    pub done: Option<&'a str>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}
