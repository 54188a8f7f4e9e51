//! `/api-keys`, in the browser `/dashboard/settings/keys`.

use actix_web::web::Payload;
use dashboard_pages::{KeyRow, KeysPage, Section};
use domain::{
    access::{IssueKeyError, IssuedKey, ListedKey, Scope},
    ids::ApiKeyId,
};
use serde::{Deserialize, Serialize};

use super::super::{
    act::{self, Answer, Call, Given, Rows},
    answer::page,
    refusal,
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
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
pub(in crate::pages) async fn list(call: Call) -> Answer {
    show(&call, None).await
}

/// Shows the keys, with the secret of a new one, or the label and scopes of one that was not made, and why.
async fn show(call: &Call, not_made: Option<((String, Vec<Scope>), Problem)>) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.dashboard.list_keys.run(workspace).await });
    let mut rows: Vec<KeyRow> = listed.await?.into_iter().map(row).collect();
    if call.is_of_api() {
        return act::ok(&Rows { rows });
    }
    let (frame, names) = (call.frame(Section::Keys).await?, call.names().await?);
    for row in &mut rows {
        row.maker = names.get(&row.creator_id).cloned();
    }
    let (typed, problem) = not_made.unzip();
    let wrong = (Scope::ContactsRead.as_str(), frame.words().wrong.key);
    let refused = problem.map(|problem| refusal::of_only(&call.request, problem, wrong, frame.words()));
    let (secret, typed, refused) = (call.told(), typed.unwrap_or_default(), refused.transpose()?);
    let status = refusal::status(refused.as_ref());
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
pub(in crate::pages) async fn make(call: Call, payload: Payload) -> Answer {
    let NewKey { label, scopes } = match call.given(payload).await? {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => {
            let is_ticked = |scope: &Scope| form.filled(scope.as_str()).ok().flatten().is_some();
            let scopes = Scope::ALL.into_iter().filter(is_ticked).map(|scope| scope.to_string()).collect();
            NewKey { label: form.text("label")?, scopes }
        }
    };
    let scopes: Result<Vec<Scope>, _> = scopes.iter().map(|scope| scope.parse()).collect();
    let scopes = scopes.map_err(|_| Problem::invalid("`scopes` has one that there is none of"))?;
    let (acting, typed) = (call.acting(), (label.clone(), scopes.clone()));
    let issued =
        call.run(move |app| async move { app.dashboard.issue_key.run(acting, &label, scopes).await });
    match issued.await {
        Ok(IssuedKey { id, secret }) if call.is_of_api() => {
            act::created(&IssuedBody { id, key: secret.reveal().to_owned() })
        }
        Ok(issued) => call.tell(PATH, issued.secret.reveal()),
        Err(problem) if call.is_of_api() => Err(problem),
        Err(problem) => show(&call, Some((typed, problem))).await,
    }
}

/// Revokes a key, at once.
pub(in crate::pages) async fn revoke(call: Call) -> Answer {
    let unknown = || not_found("API key");
    let (acting, id): (_, ApiKeyId) = (call.acting(), call.id(unknown)?);
    let revoked = call.run(move |app| async move { app.dashboard.revoke_key.run(acting, id).await });
    if revoked.await? { Ok(call.done(PATH)) } else { Err(unknown()) }
}
