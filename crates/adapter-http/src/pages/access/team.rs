//! `/dashboard/settings/team`: members, invitations and groups.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{GroupRow, InvitationRow, MemberRow, Removal, Section, TeamPage, TypedTeam};
use domain::{
    access::members::{Invitation, Member, Role, Way},
    errors::StoreError,
    groups::{GroupError, TeamGroup},
    ids::{GroupId, InvitationId, MemberId},
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

const PATH: &str = "/dashboard/settings/team";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let shown_first = notice::open(&app, &by, &request).map_or(Shown::Team, Shown::Link);
    render(&app, &by, &request, Ok(shown_first), TypedTeam::default()).await
}

enum Shown {
    Team,
    /// Link of a new invitation; empty if it was mailed.
    Link(String),
    Removal(Removal),
}

/// Shows the team, with the outcome of a form or why it was refused.
async fn render(
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

async fn redirect_or_show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Result<(), Problem>,
    typed: TypedTeam,
) -> Result<HttpResponse, Problem> {
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(problem) => render(app, by, request, Err(problem), typed).await,
    }
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
    redirect_or_show(&app, &by, &request, done, TypedTeam::default()).await
}

/// Invites a member; the page shows the link once, unless it is mailed.
pub(in crate::pages) async fn invite(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let role = Role::read(&form.text("role")?).ok_or_else(|| Problem::invalid("`role` names none"))?;
    let email = form.text("email")?;
    let invited = match email.parse() {
        Err(error) => {
            let error: domain::email::InvalidEmail = error;
            Err(Problem::invalid(error.to_string()))
        }
        Ok(email) => {
            let acting = by.acting();
            let invited = app
                .run(move |app| async move { app.dashboard.invitations.invite(acting, email, role).await });
            invited.await?.map_err(Problem::from)
        }
    };
    match invited {
        Ok(invited) => {
            // A mailed invitation shows no link.
            let link: String = match invited.way {
                Way::Mailed => String::new(),
                Way::Link(link) => link.into(),
            };
            notice::redirect_with(&app, &by, PATH, &link)
        }
        Err(problem) => {
            let is_owner = role == Role::Owner;
            let typed = TypedTeam { is_invitation: true, email, is_owner, ..TypedTeam::default() };
            render(&app, &by, &request, Err(problem), typed).await
        }
    }
}

pub(in crate::pages) async fn withdraw(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("invitation");
    let id: InvitationId = id(&request).ok_or_else(unknown)?;
    let withdrawn =
        app.run(move |app| async move { app.dashboard.invitations.withdraw(by.acting(), id).await });
    if withdrawn.await?? { Ok(see_other(PATH)) } else { Err(unknown()) }
}

pub(in crate::pages) async fn add_group(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let name = Form::of(&request, payload).await?.text("name")?;
    let (acting, typed) = (by.acting(), TypedTeam { group: name.clone(), ..TypedTeam::default() });
    let added = app.run(move |app| async move { app.dashboard.groups.add(acting, &name).await });
    let done = added.await?.map(drop).map_err(Problem::from);
    redirect_or_show(&app, &by, &request, done, typed).await
}

/// Renames or deletes a group, or adds or removes a member.
pub(in crate::pages) async fn change_group(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let group: GroupId = id(&request).ok_or(GroupError::Unknown)?;
    let form = Form::of(&request, payload).await?;
    let (put, take, name) = (form.filled("in")?, form.filled("out")?, form.filled("name")?);
    let (delete, acting) = (form.text("do")? == "delete", by.acting());
    let renamed = name.clone().map(|name| (group.to_string(), name));
    let member = |id: &str| id.parse::<MemberId>().map_err(|_| GroupError::Unknown);
    let changed = app.run(move |app| async move {
        let groups = &app.dashboard.groups;
        match (put, take, name) {
            (Some(id), _, _) => groups.put(acting, group, member(&id)?).await,
            (_, Some(id), _) => groups.take(acting, group, member(&id)?).await,
            _ if delete => groups.delete(acting, group).await,
            (_, _, name) => groups.rename(acting, group, &name.unwrap_or_default()).await,
        }
    });
    let done = changed.await?.map_err(Problem::from);
    redirect_or_show(&app, &by, &request, done, TypedTeam { renamed, ..TypedTeam::default() }).await
}
