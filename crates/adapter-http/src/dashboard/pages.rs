//! `/pages`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    channels::{AccountKind, ChannelKind, ConnectError, ListedAccount},
    ids::AccountId,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{SignedIn, accounts};
use crate::{App, body, openapi::values, problem::Problem};

/// A connected page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Page)]
pub(crate) struct PageBody {
    #[schema(value_type = values::Id)]
    id: AccountId,
    /// Its id at the network; what is written to it comes over Messenger.
    network_id: String,
    /// The id of the Instagram account that is linked to it.
    #[schema(required = true)]
    instagram_network_id: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
    connected_at: OffsetDateTime,
}

/// The pages.
#[derive(Serialize, ToSchema)]
#[schema(as = Pages)]
pub(crate) struct PagesBody {
    rows: Vec<PageBody>,
}

/// A page to connect.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewPage)]
pub(crate) struct NewPageBody {
    /// What opens it; the page is the one that it opens. It is sealed and never shown.
    #[schema(min_length = 1, max_length = 4096)]
    token: String,
}

/// A page that was just connected.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConnectedPage)]
pub(crate) struct ConnectedBody {
    /// Its id at the network.
    network_id: String,
    #[schema(required = true)]
    name: Option<String>,
    /// The id of the Instagram account that is linked to it, and connected with it.
    #[schema(required = true)]
    instagram_network_id: Option<String>,
}

impl From<ListedAccount> for PageBody {
    fn from(account: ListedAccount) -> Self {
        let ListedAccount { id, network_id, connected_at, connections, .. } = account;
        let instagram = connections.into_iter().find(|connection| connection.kind == ChannelKind::Instagram);
        let instagram_network_id = instagram.map(|connection| connection.network_id);
        Self { id, network_id, instagram_network_id, connected_at }
    }
}

/// The pages with their Instagram accounts.
#[utoipa::path(
    get, path = "/dashboard/api/pages", tag = "Channels", operation_id = "listPages",
    responses((status = 200, description = "The pages.", body = PagesBody))
)]
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<PagesBody>, Problem> {
    let listed = app.run(move |app| async move {
        app.dashboard.channels.manage.list(by.session.workspace, AccountKind::Page).await
    });
    Ok(Json(PagesBody { rows: listed.await??.into_iter().map(PageBody::from).collect() }))
}

/// Connects a page, and the Instagram account that is linked to it. For one that is connected: replaces its token,
/// and takes up or lets go of the Instagram account.
#[utoipa::path(
    post, path = "/dashboard/api/pages", tag = "Channels", operation_id = "connectPage",
    request_body(content = NewPageBody),
    responses(
        (status = 201, description = "The page.", body = ConnectedBody),
        (status = 409, description = "`connected_elsewhere`."),
        (status = 422, description = "`network_refused`."),
        (status = 503, description = "`network_unavailable`.")
    )
)]
pub(crate) async fn connect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewPageBody { token } = body::json(&request, payload).await?.fields;
    let connected = app.run(move |app| async move {
        let page = app.dashboard.channels.connect_page.run(by.acting(), SecretString::from(token)).await?;
        Ok::<_, ConnectError>(ConnectedBody {
            network_id: page.network_id,
            name: page.name,
            instagram_network_id: page.instagram_network_id,
        })
    });
    Ok(HttpResponse::Created().json(connected.await??))
}

/// Disconnects a page and its Instagram account: their token is destroyed, nothing is sent over them, and what is
/// written to them is dropped. Conversations and messages stay.
#[utoipa::path(
    delete, path = "/dashboard/api/pages/{id}", tag = "Channels", operation_id = "disconnectPage",
    params(("id" = values::Id, Path, description = "The page's id.")),
    responses((status = 204, description = "Disconnected."))
)]
pub(crate) async fn disconnect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    accounts::let_go(&app, &by, &request, AccountKind::Page).await
}
