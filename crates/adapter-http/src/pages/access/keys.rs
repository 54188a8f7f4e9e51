//! `/dashboard/settings/keys`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{KeyRow, KeysPage, Section};
use domain::{access::Scope, ids::ApiKeyId};

use super::super::{
    answer::{page, see_other},
    form::Form,
    frame, names, notice, refusal,
};
use crate::{
    app::App,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

const PATH: &str = "/dashboard/settings/keys";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let secret = notice::open(&app, &by, &request);
    render(&app, &by, &request, Ok(secret), Default::default()).await
}

/// Shows the keys, with the secret of a new one or why none was made; `typed` is the form's label and scopes.
async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    made: Result<Option<String>, Problem>,
    typed: (String, Vec<Scope>),
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Keys).await?;
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.list_keys.run(workspace).await });
    let (keys, names) = (listed.await??, names::members(app, by).await?);
    let (status, secret, refused) = match made {
        Ok(secret) => (StatusCode::OK, secret, None),
        Err(problem) => {
            let words = frame.words();
            let refused =
                refusal::of_only(request, problem, (Scope::ContactsRead.as_str(), words.wrong.key), words)?;
            (StatusCode::UNPROCESSABLE_ENTITY, None, Some(refused))
        }
    };
    let rows = keys.into_iter().map(|key| KeyRow {
        id: key.id.to_string(),
        label: key.label,
        scopes: key.scopes,
        maker: names.get(&key.creator.to_string()).cloned(),
        at: key.created_at.into(),
        used_at: key.last_used_at.map(Into::into),
        revoked_at: key.revoked_at.map(Into::into),
    });
    page(status, &KeysPage { frame: &frame, keys: rows.collect(), secret, typed, refused })
}

/// Issues a key, whose secret the next page shows once.
pub(in crate::pages) async fn make(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let label = form.text("label")?;
    let mut scopes = Vec::new();
    for scope in Scope::ALL {
        if form.filled(scope.as_str())?.is_some() {
            scopes.push(scope);
        }
    }
    let (acting, typed) = (by.acting(), (label.clone(), scopes.clone()));
    let issued = app.run(move |app| async move { app.dashboard.issue_key.run(acting, &label, scopes).await });
    match issued.await? {
        Ok(issued) => notice::redirect_with(&app, &by, PATH, issued.secret.reveal()),
        Err(error) => render(&app, &by, &request, Err(error.into()), typed).await,
    }
}

pub(in crate::pages) async fn revoke(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("API key");
    let id: ApiKeyId = id(&request).ok_or_else(unknown)?;
    let revoked = app.run(move |app| async move { app.dashboard.revoke_key.run(by.acting(), id).await });
    if revoked.await?? { Ok(see_other(PATH)) } else { Err(unknown()) }
}
