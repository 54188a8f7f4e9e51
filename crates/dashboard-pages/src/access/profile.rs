//! Page of a member's own name, password, second factor and sessions.

use askama::Template;

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A session of the viewer.
#[derive(Debug, Clone)]
pub struct SessionRow {
    pub id: String,
    /// Whether it is the one that this page is shown in.
    pub is_current: bool,
    /// Address from which it was begun.
    pub address: Option<String>,
    /// User agent of the browser.
    pub browser: Option<String>,
    /// When it was last used.
    pub seen_at: Moment,
}

/// Refused attempts to sign in as the viewer.
#[derive(Debug, Clone)]
pub struct RefusedRow {
    /// Whether the password was right and the code was wrong.
    pub is_code: bool,
    pub tries: u64,
    /// When the last attempt was; `None` where the time cannot be shown.
    pub last_at: Option<Moment>,
    /// Address that the last attempt came from.
    pub address: Option<String>,
}

/// State of the second factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Factor {
    /// No code is asked for.
    Off,
    /// Offered, with the secret for the app.
    Offered(String),
    /// Just switched on, with the recovery codes, shown this once.
    Confirmed(Vec<String>),
    /// A code is asked for.
    On,
}

/// Page of the viewer's own profile.
#[derive(Template)]
#[template(path = "access/profile.html")]
pub struct ProfilePage<'a> {
    pub frame: &'a Frame,
    pub name: String,
    pub email: String,
    pub factor: Factor,
    pub sessions: Vec<SessionRow>,
    /// Newest first.
    pub refusals: Vec<RefusedRow>,
    /// What was done, in a sentence.
    pub done: Option<&'a str>,
    pub refused: Option<Refused>,
}
