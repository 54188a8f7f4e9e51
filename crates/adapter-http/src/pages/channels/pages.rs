//! `/pages`: connected pages and their Instagram accounts.

use std::sync::Arc;

use actix_web::web::Payload;
use dashboard_pages::{AccountRow, ConnectionRow, ErrorRow, Moment};
use domain::{
    channels::{AccountKind, ChannelKind, TOKEN_REFUSED},
    ids::{AccountId, ChannelId},
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        act::{self, Answer, Call, Rows},
        not_taken::NotTaken,
    },
    accounts::disconnect,
    answer, of_kind,
};
use crate::app::App;

/// A connected page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageBody {
    id: AccountId,
    /// Its id at the network; what is written to it comes over Messenger.
    network_id: String,
    /// The id of the Instagram account that is linked to it.
    instagram_network_id: Option<String>,
    /// Its name, as it was last read.
    name: Option<String>,
    /// `connected`, `token_expired` where a new token is needed, or `refused` where the network refuses to
    /// tell of it.
    state: &'static str,
    /// Why the network refused the last reading of the page; null when that went well.
    problem: Option<ErrorRow>,
    /// How what is connected through it fares.
    health: Vec<ConnectionHealthBody>,
    /// When it was last read without a refusal.
    read_at: Option<Moment>,
    connected_at: Moment,
}

/// How a page or its Instagram account fares.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConnectionHealthBody {
    id: ChannelId,
    /// `messenger` or `instagram`.
    channel: ChannelKind,
    network_id: String,
    /// The last refusal within a month that was its own or its account's, and no message's.
    last_error: Option<ErrorRow>,
}

/// A page to connect.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPage {
    /// What opens it; the page is the one that it opens. It is sealed and never shown.
    token: String,
}

/// A page that was just connected.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConnectedBody {
    network_id: String,
    name: Option<String>,
    /// The id of the Instagram account that is linked to it, and connected with it.
    instagram_network_id: Option<String>,
}

impl From<AccountRow> for PageBody {
    fn from(page: AccountRow) -> Self {
        let state = match page.problem.as_ref().map(|problem| problem.code) {
            None => "connected",
            Some(TOKEN_REFUSED) => "token_expired",
            Some(_) => "refused",
        };
        let instagram = page.connections.iter().find(|one| one.kind == ChannelKind::Instagram);
        Self {
            id: page.id,
            network_id: page.network_id,
            instagram_network_id: instagram.map(|one| one.network_id.clone()),
            name: page.name,
            state,
            problem: page.problem,
            health: page.connections.into_iter().map(ConnectionHealthBody::from).collect(),
            read_at: page.read_at,
            connected_at: page.connected_at,
        }
    }
}

impl From<ConnectionRow> for ConnectionHealthBody {
    fn from(ConnectionRow { id, network_id, kind, last_error, .. }: ConnectionRow) -> Self {
        Self { id, channel: kind, network_id, last_error }
    }
}

/// The pages with their Instagram accounts.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let rows = of_kind(&call, AccountKind::Page).await?.into_iter().map(PageBody::from).collect();
    act::ok(&Rows { rows })
}

/// Connects a page, and the Instagram account that is linked to it. For one that is connected: replaces its
/// token, and takes up or lets go of the Instagram account.
pub(in crate::pages) async fn connect(call: Call, payload: Payload) -> Answer {
    let NewPage { token } = call.input(payload).await?;
    let (acting, token) = (call.acting(), SecretString::from(token));
    let connecting =
        move |app: Arc<App>| async move { app.dashboard.channels.connect_page.run(acting, token).await };
    let done = match call.app.run(connecting).await? {
        Ok(page) => Ok(act::created(&ConnectedBody {
            network_id: page.network_id,
            name: page.name,
            instagram_network_id: page.instagram_network_id,
        })?),
        Err(error) => Err(NotTaken::of_account(error, call.words())),
    };
    answer(&call, done, "").await
}

/// Disconnects a page and its Instagram account.
pub(in crate::pages) async fn remove(call: Call) -> Answer {
    disconnect(&call, AccountKind::Page).await
}
