//! Pages of signing in, of the links that lead to the dashboard, and of the team's access.

mod browser;
mod keys;
mod profile;
mod qr;
mod team;

pub use keys::{KeyRow, KeysPage};
pub use profile::{Factor, Offered, ProfilePage, RefusedRow, SessionRow};
pub use team::{GroupRow, InvitationRow, MemberRow, Removal, TeamPage, TypedTeam};

use askama::Template;

use crate::{frame::Frame, refused::Refused};

/// Page to sign in.
#[derive(Template)]
#[template(path = "access/sign_in.html")]
pub struct SignInPage<'a> {
    pub frame: &'a Frame,
    /// Path to go to after signing in.
    pub next: &'a str,
    /// Address as it was typed.
    pub email: &'a str,
    /// Whether a code of the second factor is asked for.
    pub asks_code: bool,
    /// Workspaces to choose from, by id and name.
    pub workspaces: &'a [(String, String)],
    /// Id of the chosen workspace.
    pub chosen: &'a str,
    pub refused: Option<Refused>,
    /// Result of an earlier step, in a sentence.
    pub notice: Option<&'a str>,
}

/// Page to ask for a link that resets the password.
#[derive(Template)]
#[template(path = "access/forgotten.html")]
pub struct ForgottenPage<'a> {
    pub frame: &'a Frame,
    /// Address as it was typed.
    pub email: &'a str,
    /// Whether the link was asked for.
    pub asked: bool,
    pub refused: Option<Refused>,
}

/// Page that posts a link's secret, which stands behind `#` and so is not sent by itself.
#[derive(Template)]
#[template(path = "access/link.html")]
pub struct LinkPage<'a> {
    pub frame: &'a Frame,
    /// Purpose of the link.
    pub title: &'a str,
    /// Path that the secret is posted to.
    pub action: &'a str,
    pub refused: Option<Refused>,
}

/// Page to accept an invitation.
#[derive(Template)]
#[template(path = "access/invitation.html")]
pub struct InvitationPage<'a> {
    pub frame: &'a Frame,
    pub token: &'a str,
    pub workspace: &'a str,
    pub email: &'a str,
    /// Name as it was typed.
    pub name: &'a str,
    pub refused: Option<Refused>,
}

/// Page to choose another password.
#[derive(Template)]
#[template(path = "access/password_reset.html")]
pub struct PasswordResetPage<'a> {
    pub frame: &'a Frame,
    pub token: &'a str,
    pub workspace: &'a str,
    pub email: &'a str,
    pub refused: Option<Refused>,
}
