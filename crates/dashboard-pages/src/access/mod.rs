//! Signing in, the links that lead to the dashboard, and who may do what in it.

mod keys;
mod profile;
mod team;

pub use keys::{KeyRow, KeysPage};
pub use profile::{Factor, ProfilePage, RefusedRow, SessionRow};
pub use team::{GroupRow, InvitationRow, MemberRow, Removal, TeamPage, TypedTeam};

use askama::Template;

use crate::frame::Frame;

/// Signing in.
#[derive(Template)]
#[template(path = "access/sign_in.html")]
pub struct SignInPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Where to go then.
    pub next: &'a str,
    /// The address, as it was written.
    pub email: &'a str,
    /// Whether a code of the second factor is asked for.
    pub asks_code: bool,
    /// Workspaces to choose from, by id and name.
    pub workspaces: &'a [(String, String)],
    /// The one that was chosen, by its id.
    pub chosen: &'a str,
    /// Why it did not work.
    pub refused: Option<&'a str>,
    /// What has happened before.
    pub notice: Option<&'a str>,
}

/// Asking for another password.
#[derive(Template)]
#[template(path = "access/forgotten.html")]
pub struct ForgottenPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The address, as it was written.
    pub email: &'a str,
    /// Whether it was asked for.
    pub asked: bool,
    /// Why it did not work.
    pub refused: Option<&'a str>,
}

/// What takes a link's secret, which stands behind `#` and so is not sent by itself.
#[derive(Template)]
#[template(path = "access/link.html")]
pub struct LinkPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What the link is for.
    pub title: &'a str,
    /// Where its secret is sent.
    pub action: &'a str,
    /// Why it did not work.
    pub refused: Option<&'a str>,
}

/// Accepting an invitation.
#[derive(Template)]
#[template(path = "access/invitation.html")]
pub struct InvitationPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The link's secret.
    pub token: &'a str,
    /// Who invites.
    pub workspace: &'a str,
    /// Whom.
    pub email: &'a str,
    /// The name, as it was written.
    pub name: &'a str,
    /// Why it did not work.
    pub refused: Option<&'a str>,
}

/// Choosing another password.
#[derive(Template)]
#[template(path = "access/password_reset.html")]
pub struct PasswordResetPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The link's secret.
    pub token: &'a str,
    /// Where.
    pub workspace: &'a str,
    /// Whose.
    pub email: &'a str,
    /// Why it did not work.
    pub refused: Option<&'a str>,
}
