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
use utoipa::ToSchema;

use crate::{
    app::App,
    paging::{PageQuery, read_page},
    problem::Problem,
    query::Parameters,
    schema::values,
    session::SignedIn,
};

/// One change.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditEntry)]
pub(crate) struct EntryBody {
    #[schema(value_type = values::Id)]
    id: AuditId,
    /// Who; null for an operator's command, for what the service did by itself (`system.changed`), and for
    /// who tried to sign in as `subject` (`sign_in.failed` and `sign_in.locked`, with the number of tries).
    #[schema(value_type = Option<values::Id>, required = true)]
    member_id: Option<MemberId>,
    /// What was done.
    #[schema(example = "member.invited")]
    action: &'static str,
    /// To what: mostly an id.
    #[schema(required = true)]
    subject: Option<String>,
    /// What else tells of it.
    #[schema(value_type = Object)]
    details: Map<String, Value>,
    /// From where; null for an operator's command.
    #[schema(required = true)]
    address: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
    created_at: OffsetDateTime,
}

/// A page of the log.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditPage)]
pub(crate) struct EntriesBody {
    rows: Vec<EntryBody>,
    /// What asks for the next page; null on the last.
    #[schema(required = true)]
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
#[utoipa::path(
    get, path = "/dashboard/api/audit", tag = "Audit", operation_id = "listAudit",
    params(
        ("memberId" = Option<values::Id>, Query, description = "Only what this member did."),
        ("action" = Option<String>, Query, example = "member.invited", description = "Only this action."),
        PageQuery
    ),
    responses((status = 200, description = "A page of the log.", body = EntriesBody))
)]
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
