//! `GET /audit`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    audit::{Action, AuditEntry, AuditFilter},
    ids::{AuditId, MemberId},
    paging::Page,
};
use serde::Serialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::{app::App, paging::read_page, problem::Problem, query::Parameters, session::SignedIn};

/// One change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryBody {
    id: AuditId,
    /// Who; null for an operator's command, for what the service did by itself (`system.changed`), and for
    /// who tried to sign in as `subject` (`sign_in.failed` and `sign_in.locked`, with the number of tries).
    member_id: Option<MemberId>,
    action: &'static str,
    /// To what: mostly an id.
    subject: Option<String>,
    details: Map<String, Value>,
    /// From where; null for an operator's command.
    address: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

/// A page of the log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntriesBody {
    rows: Vec<EntryBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

impl From<AuditEntry> for EntryBody {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { id, actor, address, action, subject, details, at } = entry;
        let member_id = actor.member();
        let address = address.map(|address| address.to_string());
        Self { id, member_id, action: action.as_str(), subject, details, address, created_at: at }
    }
}

impl From<Page<AuditEntry>> for EntriesBody {
    fn from(page: Page<AuditEntry>) -> Self {
        Self { rows: page.rows.into_iter().map(EntryBody::from).collect(), next_cursor: page.next }
    }
}

/// What was changed by whom, newest first.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<EntriesBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let actions: Vec<&str> = Action::ALL.iter().map(|action| action.as_str()).collect();
    let filter = AuditFilter {
        member: parameters.read("memberId", |text| text.parse().ok(), "the id of a member")?,
        action: parameters.word("action", Action::read, &actions)?,
    };
    let page = read_page(&parameters)?;
    let listed =
        app.run(
            move |app| async move { app.dashboard.list_audit.run(by.session.workspace, filter, &page).await },
        );
    Ok(Json(listed.await??.into()))
}
