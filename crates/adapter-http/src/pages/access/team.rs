//! `/members`, in the browser `/dashboard/settings/team`, with the forms of invitations and groups.

use actix_web::{http::StatusCode, web::Payload};
use dashboard_pages::{GroupRow, InvitationRow, MemberRow, Removal, Section, TeamPage, TypedTeam};
use domain::{
    access::members::{InvalidMemberName, Member, MemberRefusal, MembersError, Role},
    errors::StoreError,
    groups::TeamGroup,
    ids::MemberId,
    removal::{Made, Revoked},
};

use serde::Deserialize;
use tracing::warn;

use super::super::{
    act::{self, Answer, Call, Given, Rows},
    answer::page,
    names, refusal,
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
    query::Parameters,
};

pub(super) const PATH: &str = "/dashboard/settings/team";

/// Another role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleBody {
    role: Role,
}

fn unknown() -> Problem {
    not_found("member")
}

/// The team, the longest known first.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.dashboard.members.list(workspace).await });
    act::ok(&Rows { rows: listed.await?.into_iter().map(MemberRow::from).collect() })
}

pub(in crate::pages) async fn show(call: Call) -> Answer {
    let shown_first = call.told().map_or(Shown::Team, Shown::Link);
    render(&call, Ok(shown_first), TypedTeam::default()).await
}

pub(super) enum Shown {
    Team,
    /// Link of a new invitation; empty if it was mailed.
    Link(String),
    Removal(Removal),
}

/// Shows the team, with the outcome of a form or why it was refused.
pub(super) async fn render(call: &Call, done: Result<Shown, Problem>, mut typed: TypedTeam) -> Answer {
    let frame = call.frame(Section::Team).await?;
    let (is_invitation, is_renaming) = (typed.is_invitation, typed.renamed.is_some());
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let members = app.dashboard.members.list(workspace).await?;
        let invitations = app.dashboard.invitations.list(workspace).await?;
        Ok::<_, StoreError>((members, invitations, app.dashboard.groups.list(workspace).await?))
    });
    let (members, invitations, groups) = found.await?;
    let is_gone = |id: &str| groups.iter().all(|group| group.id.to_string() != id);
    // Deleted by somebody meanwhile: the typed name moves to the form that adds a group.
    if let Some((_, name)) = typed.renamed.take_if(|(id, _)| is_gone(id.as_str())) {
        typed.group = name;
    }
    let (mut link, mut removal) = (None, None);
    let (status, refused) = match done {
        Ok(shown) => {
            match shown {
                Shown::Team => {}
                Shown::Link(made) => link = Some(made),
                Shown::Removal(asked) => removal = Some(asked),
            }
            (StatusCode::OK, None)
        }
        Err(problem) => {
            let words = frame.words();
            let wrong =
                if is_invitation { ("email", words.wrong.email) } else { ("name", words.wrong.group_name) };
            let of = if is_renaming { refusal::of_shared } else { refusal::of_only };
            let refused = of(&call.request, problem, wrong, words)?;
            (StatusCode::UNPROCESSABLE_ENTITY, Some(refused))
        }
    };
    page(
        status,
        &TeamPage {
            frame: &frame,
            groups: groups.into_iter().map(|group| group_row(group, &members)).collect(),
            members: members.into_iter().map(MemberRow::from).collect(),
            invitations: invitations.into_iter().map(InvitationRow::from).collect(),
            link,
            removal,
            typed,
            refused,
        },
    )
}

fn group_row(group: TeamGroup, team: &[Member]) -> GroupRow {
    let (inside, outside): (Vec<&Member>, Vec<&Member>) =
        team.iter().partition(|member| group.members.contains(&member.id));
    let named = |members: Vec<&Member>| {
        members.into_iter().map(|member| (member.id.to_string(), names::of(member))).collect()
    };
    GroupRow { id: group.id.to_string(), name: group.name, members: named(inside), others: named(outside) }
}

/// Returns the question to ask before removing a member who created something; `None` if there is nothing to
/// ask.
async fn removal(call: &Call, member: MemberId) -> Result<Option<Removal>, Problem> {
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let made = app.dashboard.remove_member.made(workspace, member).await?;
        Ok::<_, StoreError>((app.dashboard.members.get(workspace, member).await?, made))
    });
    let (Some(member), made) = found.await? else { return Ok(None) };
    if made.is_empty() {
        return Ok(None);
    }
    let Made { api_keys, webhook_addresses, system } = made;
    Ok(Some(Removal {
        id: member.id.to_string(),
        name: names::of(&member),
        keys: api_keys.into_iter().map(|key| key.label).collect(),
        addresses: webhook_addresses.into_iter().map(|address| address.url).collect(),
        system: system.map(|system| system.introduction.name.as_str().to_owned()),
    }))
}

/// Changes a member's role, or removes them: their sessions end at once, their conversations wait for
/// somebody else, and what they made stays, but for what is revoked. That stops working in the same moment; a
/// form asks what to revoke first.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let given = call.given(payload).await?;
    let (what, id): (_, MemberId) = (call.what(), call.id(unknown)?);
    let (role, revoked) = match given {
        Given::Json(payload) if what == "set" => {
            (Some(call.json::<RoleBody>(payload).await?.role), Revoked::default())
        }
        Given::Json(_) => (None, revoked(&call)?),
        Given::Form(form) => {
            let is_ticked = |name: &str| Ok::<_, Problem>(form.filled(name)?.is_some());
            if what == "remove"
                && !is_ticked("decided")?
                && let Some(asked) = removal(&call, id).await?
            {
                return render(&call, Ok(Shown::Removal(asked)), TypedTeam::default()).await;
            }
            let revoked = Revoked {
                api_keys: is_ticked("revoke-keys")?,
                webhook_addresses: is_ticked("revoke-addresses")?,
                system: is_ticked("revoke-system")?,
            };
            (Role::read(&what), revoked)
        }
    };
    let acting = call.acting();
    let done = match role {
        Some(role) => {
            call.run(move |app| async move { app.dashboard.members.change_role(acting, id, role).await })
                .await
        }
        None if what == "remove" => gone(&call, id, revoked).await,
        None => Err(Problem::invalid("`do` must be `owner`, `agent` or `remove`")),
    };
    let done = done.map(|()| call.done(PATH));
    call.answer(done, PATH, |problem| render(&call, Err(problem), TypedTeam::default())).await
}

fn revoked(call: &Call) -> Result<Revoked, Problem> {
    let parameters = Parameters::of(&call.request)?;
    let mut revoked = Revoked::default();
    for word in parameters.get("revoke")?.unwrap_or_default().split(',').filter(|word| !word.is_empty()) {
        match word {
            "apiKeys" => revoked.api_keys = true,
            "webhookAddresses" => revoked.webhook_addresses = true,
            "system" => revoked.system = true,
            _ => {
                let message = "`revoke` names none but `apiKeys`, `webhookAddresses` and `system`";
                return Err(Problem::invalid(message));
            }
        }
    }
    Ok(revoked)
}

/// Removes a member and releases their conversations for others. Conversations that could not be released now
/// are released in the background.
pub(super) async fn gone(call: &Call, member: MemberId, revoked: Revoked) -> Result<(), Problem> {
    let acting = call.acting();
    let (workspace, by) = (call.workspace(), call.by.session.member);
    let done = call.run(move |app| async move {
        app.dashboard.remove_member.run(acting, member, revoked).await?;
        if let Err(error) = app.change_conversation.let_go_of(workspace, member, by).await {
            warn!(%error, %workspace, %member, "conversations of who has left are not let go of yet");
        }
        Ok::<_, MembersError>(())
    });
    done.await
}

impl From<InvalidMemberName> for Problem {
    fn from(error: InvalidMemberName) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<MembersError> for Problem {
    fn from(error: MembersError) -> Self {
        match error {
            MembersError::Refused(MemberRefusal::Unknown) => unknown(),
            MembersError::Refused(refusal @ MemberRefusal::LastOwner) => {
                Self::dashboard(DashboardCode::LastOwner, refusal.to_string())
            }
            MembersError::Name(error) => error.into(),
            MembersError::Store(error) => error.into(),
        }
    }
}
