//! Page of the team: members, invitations and groups.

use askama::Template;
use domain::{
    access::members::{Invitation, Language, Member, Role},
    ids::{InvitationId, MemberId},
};
use serde::Serialize;

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A person on the team.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberRow {
    pub id: MemberId,
    /// Address to sign in with.
    pub email: String,
    /// `None` until they have accepted their invitation.
    pub name: Option<String>,
    pub role: Role,
    pub joined: bool,
    /// Whether a second factor is asked of them.
    pub second_factor: bool,
    /// Language of their pages and mails; `None` until they choose it.
    pub language: Option<Language>,
    pub created_at: Moment,
}

impl From<Member> for MemberRow {
    fn from(member: Member) -> Self {
        let Member { id, email, name, role, joined, second_factor, language, created_at, .. } = member;
        let (email, created_at) = (email.as_str().to_owned(), created_at.into());
        Self { id, email, name, role, joined, second_factor, language, created_at }
    }
}

impl MemberRow {
    /// Returns the member's name, or else their address.
    fn called(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.email)
    }
}

/// An invitation that was not accepted yet.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationRow {
    pub id: InvitationId,
    pub email: String,
    pub role: Role,
    pub created_at: Moment,
    pub expires_at: Moment,
}

impl From<Invitation> for InvitationRow {
    fn from(invitation: Invitation) -> Self {
        let Invitation { id, email, role, created_at, expires_at, .. } = invitation;
        let (created_at, expires_at) = (created_at.into(), expires_at.into());
        Self { id, email: email.as_str().to_owned(), role, created_at, expires_at }
    }
}

/// A group, with the members in it and the others, each by id and name.
#[derive(Debug, Clone)]
pub struct GroupRow {
    pub id: String,
    pub name: String,
    pub members: Vec<(String, String)>,
    pub others: Vec<(String, String)>,
}

/// Typed values of a form that was refused.
#[derive(Debug, Clone, Default)]
pub struct TypedTeam {
    /// Whether the form was that of an invitation, and not of a group.
    pub is_invitation: bool,
    /// Address to invite.
    pub email: String,
    /// Whether to invite as an owner.
    pub is_owner: bool,
    /// Name of a new group.
    pub group: String,
    /// Id of a group, and its new name.
    pub renamed: Option<(String, String)>,
}

impl TypedTeam {
    /// Returns whether this group's new name was refused.
    fn is_of(&self, group: &GroupRow) -> bool {
        self.renamed.as_ref().is_some_and(|(id, _)| *id == group.id)
    }

    fn name_of<'a>(&'a self, group: &'a GroupRow) -> &'a str {
        let renamed = self.renamed.as_ref().filter(|(id, _)| *id == group.id);
        renamed.map_or(group.name.as_str(), |(_, name)| name.as_str())
    }
}

/// A member about to be removed, and what they made that still works.
#[derive(Debug, Clone)]
pub struct Removal {
    pub id: String,
    /// The member's name, or else their address.
    pub name: String,
    /// Labels of their API keys.
    pub keys: Vec<String>,
    /// URLs of their webhook addresses.
    pub addresses: Vec<String>,
    /// Name of the system that they connected.
    pub system: Option<String>,
}

/// Page of the team.
#[derive(Template)]
#[template(path = "access/team.html")]
pub struct TeamPage<'a> {
    pub frame: &'a Frame,
    pub members: Vec<MemberRow>,
    pub invitations: Vec<InvitationRow>,
    pub groups: Vec<GroupRow>,
    /// Link of an invitation that was just made; empty where it went by mail.
    pub link: Option<String>,
    /// Removal that waits for the choice of what to revoke.
    pub removal: Option<Removal>,
    /// Typed values of a form that was refused.
    pub typed: TypedTeam,
    pub refused: Option<Refused>,
}
