//! Page of a member's own name, password, second factor and sessions.

use askama::Template;
use domain::ids::SessionId;
use serde::Serialize;

use super::{browser, qr::Qr};
use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A session of the viewer.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    pub id: SessionId,
    /// Whether it is the one that asks.
    pub current: bool,
    /// Address from which it was begun.
    pub address: Option<String>,
    pub user_agent: Option<String>,
    pub began_at: Moment,
    /// When it was last used, to the minute.
    pub seen_at: Moment,
}

impl SessionRow {
    /// Returns the browser and its system, where they are known.
    fn browser(&self) -> Option<(&'static str, &'static str)> {
        browser::name(self.user_agent.as_deref()?)
    }
}

/// Refused attempts to sign in as the viewer: all of a kind within a quarter of an hour, or an hour for
/// codes.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedRow {
    /// What was wrong: `password`, or `code` after the right password.
    pub asked: String,
    /// Whether there had been too many before, so that they were not looked at.
    pub locked: bool,
    pub tries: u64,
    pub first_at: Moment,
    pub last_at: String,
    /// When the last attempt was; `None` where the time cannot be shown.
    #[serde(skip)]
    pub last: Option<Moment>,
    /// Address that the last attempt came from.
    pub address: Option<String>,
}

/// A secret for an authenticator app. Shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offered {
    /// In base32, to be typed.
    pub secret: String,
    /// The secret as an `otpauth:` address, to be shown as a picture.
    pub uri: String,
}

impl Offered {
    fn qr(&self) -> Option<Qr> {
        Qr::of(&self.uri)
    }
}

/// State of the second factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Factor {
    /// No code is asked for.
    Off,
    /// Offered, with the secret for the app where it has just been made.
    Offered(Option<Offered>),
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
