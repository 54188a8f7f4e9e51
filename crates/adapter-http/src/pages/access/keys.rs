//! `/api-keys`, in the browser `/dashboard/settings/keys`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{KeyRow, KeysPage, Section};
use domain::{
    access::{IssueKeyError, IssuedKey, ListedKey, Scope},
    ids::ApiKeyId,
};
use serde::{Deserialize, Serialize};

use super::super::{
    act::{self, Rows},
    answer::page,
    form::Form,
    frame, names, notice, refusal,
};
use crate::{
    app::App,
    body,
    dashboard::is_of_api,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

const PATH: &str = "/dashboard/settings/keys";

/// A key to make. In a form, each scope is a field of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKey {
    label: String,
    scopes: Vec<String>,
}

/// A key that was just made.
#[derive(Serialize)]
struct IssuedBody {
    id: ApiKeyId,
    /// The key itself, shown this once.
    key: String,
}

impl From<IssueKeyError> for Problem {
    fn from(error: IssueKeyError) -> Self {
        match error {
            IssueKeyError::Label | IssueKeyError::NoScopes => Self::invalid(error.to_string()),
            IssueKeyError::TooMany => Self::dashboard(DashboardCode::TooManyApiKeys, error.to_string()),
            IssueKeyError::UnknownWorkspace => Self::internal("a session without its workspace"),
            IssueKeyError::Store(error) => error.into(),
        }
    }
}

/// The keys, revoked ones as well, newest first.
pub(in crate::pages) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    show(&app, &by, &request, None).await
}

/// Shows the keys, with the secret of a new one, or the label and scopes of one that was not made, and why.
async fn show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_made: Option<((String, Vec<Scope>), Problem)>,
) -> Result<HttpResponse, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.list_keys.run(workspace).await });
    let mut rows: Vec<KeyRow> = listed.await??.into_iter().map(row).collect();
    if is_of_api(request) {
        return Ok(HttpResponse::Ok().json(Rows { rows }));
    }
    let (frame, names) = (frame::of(app, request, by, Section::Keys).await?, names::members(app, by).await?);
    for row in &mut rows {
        row.maker = names.get(&row.creator_id).cloned();
    }
    let (typed, problem) = not_made.unzip();
    let wrong = (Scope::ContactsRead.as_str(), frame.words().wrong.key);
    let refused =
        problem.map(|problem| refusal::of_only(request, problem, wrong, frame.words())).transpose()?;
    let secret = notice::open(app, by, request);
    let (status, typed) = (refusal::status(refused.as_ref()), typed.unwrap_or_default());
    page(status, &KeysPage { frame: &frame, keys: rows, secret, typed, refused })
}

fn row(key: ListedKey) -> KeyRow {
    KeyRow {
        id: key.id.to_string(),
        label: key.label,
        scopes: key.scopes,
        creator_id: key.creator.to_string(),
        maker: None,
        created_at: key.created_at.into(),
        last_used_at: key.last_used_at.map(Into::into),
        revoked_at: key.revoked_at.map(Into::into),
    }
}

/// Makes a key. It is shown once: in the answer, or by the next page.
pub(in crate::pages) async fn make(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewKey { label, scopes } = if is_of_api(&request) {
        body::json(&request, payload).await?.fields
    } else {
        let form = Form::of(&request, payload).await?;
        let is_ticked = |scope: &Scope| form.filled(scope.as_str()).ok().flatten().is_some();
        let scopes = Scope::ALL.into_iter().filter(is_ticked).map(|scope| scope.to_string()).collect();
        NewKey { label: form.text("label")?, scopes }
    };
    let scopes: Result<Vec<Scope>, _> = scopes.iter().map(|scope| scope.parse()).collect();
    let scopes = scopes.map_err(|_| Problem::invalid("`scopes` has one that there is none of"))?;
    let (acting, typed) = (by.acting(), (label.clone(), scopes.clone()));
    let issued = app.run(move |app| async move { app.dashboard.issue_key.run(acting, &label, scopes).await });
    match issued.await?.map_err(Problem::from) {
        Ok(IssuedKey { id, secret }) if is_of_api(&request) => {
            Ok(HttpResponse::Created().json(IssuedBody { id, key: secret.reveal().to_owned() }))
        }
        Ok(issued) => notice::redirect_with(&app, &by, PATH, issued.secret.reveal()),
        Err(problem) if is_of_api(&request) => Err(problem),
        Err(problem) => show(&app, &by, &request, Some((typed, problem))).await,
    }
}

/// Revokes a key, at once.
pub(in crate::pages) async fn revoke(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("API key");
    let id: ApiKeyId = id(&request).ok_or_else(unknown)?;
    let revoked = app.run(move |app| async move { app.dashboard.revoke_key.run(by.acting(), id).await });
    if revoked.await?? { Ok(act::done(&request, PATH)) } else { Err(unknown()) }
}
