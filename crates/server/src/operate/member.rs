//! Commands about members.

use anyhow::{Context, bail};
use domain::{
    access::members::{InviteError, Member, Way, ports::MemberStore},
    audit::Acting,
    clock::rfc3339_ms,
    email::EmailAddress,
    ids::{MemberId, WorkspaceId},
};
use serde_json::{Value, json};
use url::Url;

use super::{
    check_known,
    said::{Listing, Said},
};
use crate::{
    cli::{MemberCommand, NamedMember},
    dashboard,
    wiring::Operations,
};

const UNKNOWN: &str = "the workspace has no such member";

const KEYS: &[&str] = &["id", "email", "role", "joined", "name", "secondFactor", "createdAt"];

pub async fn run(command: MemberCommand, operations: &Operations, public_url: &Url) -> anyhow::Result<Said> {
    match command {
        MemberCommand::Invite { workspace, email, role } => {
            let invitations = dashboard::invitations(&operations.foundation, public_url.clone());
            let invited = match invitations.invite(Acting::operator(workspace), email, role).await {
                Err(error @ InviteError::AlreadyMember) => {
                    bail!("{error}; `member reset` has a link with which they choose another password")
                }
                invited => invited?,
            };
            let Way::Link(link) = invited.way else { bail!("the link went by mail") };
            let (id, until) = (invited.invitation.id, rfc3339_ms(invited.invitation.expires_at));
            let json = json!({ "id": id, "link": link, "expiresAt": until });
            Ok(Said::new(format!("invitation {id}\n{link}\nIt works once, until {until}."), &json))
        }
        MemberCommand::Reset { workspace, member, drop_second_factor } => {
            let member = named(workspace, &member, operations).await?;
            let reset = dashboard::link_reset(&operations.foundation, public_url.clone());
            let linked = reset.run(workspace, &member.email, drop_second_factor).await?;
            let until = rfc3339_ms(linked.expires_at);
            let json = json!({ "link": linked.link, "expiresAt": until });
            Ok(Said::new(format!("{}\nIt works once, until {until}.", linked.link), &json))
        }
        MemberCommand::List { workspace } => Ok(listing(workspace, operations).await?.all()),
        MemberCommand::Show { workspace, member } => {
            let member = named(workspace, &member, operations).await?;
            let shown = Listing::new(KEYS, 5, vec![row(&member)]);
            shown.one(&["id"], &member.id.to_string()).context(UNKNOWN)
        }
    }
}

async fn named(
    workspace: WorkspaceId,
    named: &NamedMember,
    operations: &Operations,
) -> anyhow::Result<Member> {
    check_known(workspace, operations).await?;
    let written = named.to_string();
    let (id, email) = (written.parse::<MemberId>().ok(), EmailAddress::presented(&written));
    let is_named = |member: &Member| Some(member.id) == id || Some(&member.email) == email.as_ref();
    let team = operations.stores.access.team(workspace).await?;
    team.into_iter().find(is_named).context(UNKNOWN)
}

async fn listing(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<Listing> {
    check_known(workspace, operations).await?;
    let team = operations.stores.access.team(workspace).await?;
    Ok(Listing::new(KEYS, 5, team.iter().map(row).collect()))
}

fn row(member: &Member) -> Vec<Value> {
    let Member { id, email, name, role, joined, second_factor, created_at, .. } = member;
    vec![
        json!(id),
        json!(email.to_string()),
        json!(role.as_str()),
        json!(joined),
        json!(name),
        json!(second_factor),
        json!(rfc3339_ms(*created_at)),
    ]
}
