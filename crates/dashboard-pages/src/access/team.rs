//! The team: members, invitations and groups.

use askama::Template;
use domain::access::members::Role;

use crate::{frame::Frame, moment::Moment};

/// A member.
#[derive(Debug, Clone)]
pub struct MemberRow {
    /// Their id.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// What they sign in with.
    pub email: String,
    /// What they may.
    pub role: Role,
    /// Whether a second factor is asked of them.
    pub has_second_factor: bool,
}

/// An invitation that nobody has accepted yet.
#[derive(Debug, Clone)]
pub struct InvitationRow {
    /// Its id.
    pub id: String,
    /// Whom it invites.
    pub email: String,
    /// As what.
    pub role: Role,
    /// Until when.
    pub until: Moment,
}

/// A group, with who of the team is in it and who is not, each by id and name.
#[derive(Debug, Clone)]
pub struct GroupRow {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Who is in it.
    pub members: Vec<(String, String)>,
    /// Who is not.
    pub others: Vec<(String, String)>,
}

/// What was typed and not taken.
#[derive(Debug, Clone, Default)]
pub struct TypedTeam {
    /// Whether somebody was to be invited, and not a group made or changed.
    pub is_invitation: bool,
    /// Who was to be invited.
    pub email: String,
    /// Whether as an owner.
    pub is_owner: bool,
    /// What a new group was to be called.
    pub group: String,
    /// What a group was to be called, after its id.
    pub renamed: Option<(String, String)>,
}

impl TypedTeam {
    /// Whether it is this group that has another name here.
    fn is_of(&self, group: &GroupRow) -> bool {
        self.renamed.as_ref().is_some_and(|(id, _)| *id == group.id)
    }

    fn name_of<'a>(&'a self, group: &'a GroupRow) -> &'a str {
        let renamed = self.renamed.as_ref().filter(|(id, _)| *id == group.id);
        renamed.map_or(group.name.as_str(), |(_, name)| name.as_str())
    }
}

/// A member who is to be removed, and what they made that still works.
#[derive(Debug, Clone)]
pub struct Removal {
    /// The member's id.
    pub id: String,
    /// The member's name, or else their address.
    pub name: String,
    /// What each of their API keys is for.
    pub keys: Vec<String>,
    /// Where each of their webhook addresses leads.
    pub addresses: Vec<String>,
    /// What the system is called that they connected.
    pub system: Option<String>,
}

/// The team.
#[derive(Template)]
#[template(path = "access/team.html")]
pub struct TeamPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Who belongs to it.
    pub members: Vec<MemberRow>,
    /// Who is invited.
    pub invitations: Vec<InvitationRow>,
    /// Its groups.
    pub groups: Vec<GroupRow>,
    /// The link of an invitation that was just made; empty where it went by mail.
    pub link: Option<String>,
    /// Who is removed once it is said what of theirs to revoke.
    pub removal: Option<Removal>,
    /// What was typed and not taken.
    pub typed: TypedTeam,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}
