//! `/api-keys`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    access::{IssueKeyError, IssuedKey, ListedKey, Scope},
    ids::{ApiKeyId, MemberId},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// What a key may open.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum ScopeWord {
    #[serde(rename = "contacts:read")]
    ContactsRead,
    #[serde(rename = "contacts:write")]
    ContactsWrite,
    #[serde(rename = "conversations:read")]
    ConversationsRead,
    #[serde(rename = "messages:send")]
    MessagesSend,
}

impl From<Scope> for ScopeWord {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::ContactsRead => Self::ContactsRead,
            Scope::ContactsWrite => Self::ContactsWrite,
            Scope::ConversationsRead => Self::ConversationsRead,
            Scope::MessagesSend => Self::MessagesSend,
        }
    }
}

impl From<ScopeWord> for Scope {
    fn from(word: ScopeWord) -> Self {
        match word {
            ScopeWord::ContactsRead => Self::ContactsRead,
            ScopeWord::ContactsWrite => Self::ContactsWrite,
            ScopeWord::ConversationsRead => Self::ConversationsRead,
            ScopeWord::MessagesSend => Self::MessagesSend,
        }
    }
}

/// A key of the public API.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyBody {
    id: ApiKeyId,
    label: String,
    scopes: Vec<ScopeWord>,
    /// Who made it; replies sent with it go in their name.
    creator_id: MemberId,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp::option")]
    revoked_at: Option<OffsetDateTime>,
    /// The minute in which it was last used, as far as is known.
    #[serde(with = "domain::clock::timestamp::option")]
    last_used_at: Option<OffsetDateTime>,
}

/// The keys.
#[derive(Serialize)]
pub(crate) struct KeysBody {
    rows: Vec<KeyBody>,
}

/// A key to make.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKeyBody {
    label: String,
    scopes: Vec<ScopeWord>,
}

/// A key that was just made.
#[derive(Serialize)]
pub(crate) struct IssuedBody {
    id: ApiKeyId,
    /// The key itself, shown this once.
    key: String,
}

impl From<ListedKey> for KeyBody {
    fn from(key: ListedKey) -> Self {
        let ListedKey { id, creator, label, scopes, created_at, revoked_at, last_used_at } = key;
        let scopes = scopes.into_iter().map(ScopeWord::from).collect();
        Self { id, label, scopes, creator_id: creator, created_at, revoked_at, last_used_at }
    }
}

/// The keys, revoked ones as well, newest first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<KeysBody>, Problem> {
    let listed = app.run(move |app| async move { app.dashboard.list_keys.run(by.session.workspace).await });
    Ok(Json(KeysBody { rows: listed.await??.into_iter().map(KeyBody::from).collect() }))
}

/// Makes a key. It is shown in this answer and never again.
pub(crate) async fn make(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewKeyBody { label, scopes } = body::json(&request, payload).await?.fields;
    let scopes = scopes.into_iter().map(Scope::from).collect();
    let issued =
        app.run(move |app| async move { app.dashboard.issue_key.run(by.acting(), &label, scopes).await });
    let IssuedKey { id, secret } = issued.await??;
    Ok(HttpResponse::Created().json(IssuedBody { id, key: secret.reveal().to_owned() }))
}

/// Revokes a key, at once.
pub(crate) async fn revoke(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("API key");
    let id = id(&request).ok_or_else(unknown)?;
    let revoked = app.run(move |app| async move { app.dashboard.revoke_key.run(by.acting(), id).await });
    if revoked.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
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
