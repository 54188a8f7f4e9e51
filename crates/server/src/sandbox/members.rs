//! Members who can sign in at once.

use anyhow::{Context, bail};
use domain::{
    access::members::{Invitations, Role, Way},
    audit::Acting,
    ids::WorkspaceId,
};
use serde_json::json;
use url::Url;

use super::{ready::Member, secrets::random_hex, sign_in::SignInLinks, world::OWNER};

const MEMBERS: [(&str, &str, Role); 2] =
    [(OWNER, "Sara", Role::Owner), ("agent@rafidain.example", "Ali", Role::Agent)];

/// Has each member accept an operator's link, as they would in a browser.
pub(super) async fn join(
    base_url: &Url,
    links: &SignInLinks,
    invitations: &Invitations,
    workspace: WorkspaceId,
) -> anyhow::Result<Vec<Member>> {
    let accept = base_url.join("dashboard/api/invitations/accept")?;
    let client = reqwest::Client::builder().no_proxy().no_gzip().build()?;
    let mut members = Vec::new();
    for (email, name, role) in MEMBERS {
        let invited = invitations.invite(Acting::operator(workspace), email.parse()?, role).await?;
        let Way::Link(link) = invited.way else { bail!("the link went by mail") };
        let password = random_hex();
        let body = json!({ "token": link.fragment(), "name": name, "password": password });
        let accepted = client.post(accept.clone()).header("x-dashboard", "1").json(&body).send().await?;
        accepted.error_for_status().context("a member could not join")?;
        let sign_in_url = links.link(email, &password)?;
        members.push(Member { email: email.to_owned(), password, role: role.as_str(), sign_in_url });
    }
    Ok(members)
}
