//! `/dashboard/settings/team`: members, with the forms of invitations and groups.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{GroupRow, InvitationRow, MemberRow, Removal, Section, TeamPage, TypedTeam};
use domain::{
    access::members::{Invitation, Member, Role},
    errors::StoreError,
    groups::TeamGroup,
    ids::MemberId,
    removal::{Made, Revoked},
};

use super::super::{
    answer::{page, see_other},
    form::Form,
    frame, names, notice, refusal,
};
use crate::{
    app::App,
    dashboard::members::gone,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

pub(super) const PATH: &str = "/dashboard/settings/team";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let shown_first = notice::open(&app, &by, &request).map_or(Shown::Team, Shown::Link);
    render(&app, &by, &request, Ok(shown_first), TypedTeam::default()).await
}

pub(super) enum Shown {
    Team,
    /// Link of a new invitation; empty if it was mailed.
    Link(String),
    Removal(Removal),
}

/// Shows the team, with the outcome of a form or why it was refused.
pub(super) async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Result<Shown, Problem>,
    mut typed: TypedTeam,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Team).await?;
    let (is_invitation, is_renaming) = (typed.is_invitation, typed.renamed.is_some());
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let members = app.dashboard.members.list(workspace).await?;
        let invitations = app.dashboard.invitations.list(workspace).await?;
        Ok::<_, StoreError>((members, invitations, app.dashboard.groups.list(workspace).await?))
    });
    let (members, invitations, groups) = found.await??;
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
            let refused = of(request, problem, wrong, words)?;
            (StatusCode::UNPROCESSABLE_ENTITY, Some(refused))
        }
    };
    page(
        status,
        &TeamPage {
            frame: &frame,
            groups: groups.into_iter().map(|group| group_row(group, &members)).collect(),
            members: members.iter().map(member_row).collect(),
            invitations: invitations.iter().map(invitation_row).collect(),
            link,
            removal,
            typed,
            refused,
        },
    )
}

fn member_row(member: &Member) -> MemberRow {
    MemberRow {
        id: member.id.to_string(),
        name: names::of(member),
        email: member.email.as_str().to_owned(),
        role: member.role,
        has_second_factor: member.second_factor,
    }
}

fn invitation_row(invitation: &Invitation) -> InvitationRow {
    InvitationRow {
        id: invitation.id.to_string(),
        email: invitation.email.as_str().to_owned(),
        role: invitation.role,
        until: invitation.expires_at.into(),
    }
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
async fn removal(app: &Data<App>, by: &SignedIn, member: MemberId) -> Result<Option<Removal>, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let made = app.dashboard.remove_member.made(workspace, member).await?;
        Ok::<_, StoreError>((app.dashboard.members.get(workspace, member).await?, made))
    });
    let (Some(member), made) = found.await?? else { return Ok(None) };
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

/// Changes a member's role, or removes them once it is decided what of theirs to revoke.
pub(in crate::pages) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: MemberId = id(&request).ok_or_else(|| not_found("member"))?;
    let form = Form::of(&request, payload).await?;
    let what = form.text("do")?;
    let is_ticked = |name: &str| Ok::<_, Problem>(form.filled(name)?.is_some());
    if what == "remove"
        && !is_ticked("decided")?
        && let Some(asked) = removal(&app, &by, id).await?
    {
        return render(&app, &by, &request, Ok(Shown::Removal(asked)), TypedTeam::default()).await;
    }
    let revoked = Revoked {
        api_keys: is_ticked("revoke-keys")?,
        webhook_addresses: is_ticked("revoke-addresses")?,
        system: is_ticked("revoke-system")?,
    };
    let done = match (what.as_str(), Role::read(&what)) {
        ("remove", _) => gone(&app, by.clone(), id, revoked).await,
        (_, Some(role)) => {
            let acting = by.acting();
            let changed =
                app.run(move |app| async move { app.dashboard.members.change_role(acting, id, role).await });
            changed.await?.map_err(Problem::from)
        }
        _ => Err(Problem::invalid("`do` must be `owner`, `agent` or `remove`")),
    };
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(problem) => render(&app, &by, &request, Err(problem), TypedTeam::default()).await,
    }
}
