//! What members are called, by their ids.

use std::collections::HashMap;

use actix_web::web::Data;
use domain::access::members::Member;

use crate::{App, dashboard::SignedIn, problem::Problem};

/// Their name, or else their address.
pub(super) fn of(member: &Member) -> String {
    member.name.clone().unwrap_or_else(|| member.email.as_str().to_owned())
}

pub(super) async fn members(app: &Data<App>, by: &SignedIn) -> Result<HashMap<String, String>, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.members.list(workspace).await });
    Ok(listed.await??.iter().map(|member| (member.id.to_string(), of(member))).collect())
}
