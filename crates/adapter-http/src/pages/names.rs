//! Names of members, by id.

use std::collections::HashMap;

use actix_web::web::Data;
use domain::{access::members::Member, errors::StoreError};

use crate::{app::App, problem::Problem, session::SignedIn};

/// Returns the member's name, or else their address.
pub(super) fn of(member: &Member) -> String {
    member.name.clone().unwrap_or_else(|| member.email.as_str().to_owned())
}

/// Returns the names of all members and former members: what somebody made stays theirs.
pub(super) async fn members(app: &Data<App>, by: &SignedIn) -> Result<HashMap<String, String>, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move {
        let former = app.dashboard.members.former(workspace).await?;
        Ok::<_, StoreError>((app.dashboard.members.list(workspace).await?, former))
    });
    let (team, former) = listed.await??;
    let names = team.iter().map(|member| (member.id.to_string(), of(member)));
    let former = former.into_iter().map(|member| (member.id.to_string(), member.name));
    Ok(names.chain(former).collect())
}
