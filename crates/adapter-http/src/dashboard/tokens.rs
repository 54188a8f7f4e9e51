//! `/tokens`: accounts and pages that a token opens, and connecting some of them.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    audit::Acting,
    channels::{
        AccountKind, Availability, Choice, ChosenOutcome, ConnectError, Opened, OpenedAccount, OpenedNumber,
        OpenedPage,
    },
    ids::SessionId,
    phone::PhoneNumber,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tracing::warn;

use crate::{app::App, body, problem::Problem, session::SignedIn};

/// A token whose accounts are to be listed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenBody {
    /// Access token of the network's; used once and not stored.
    token: String,
}

/// What a token opens. `availability` is `free`, `connected` (in this workspace) or `not_available`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedBody {
    /// Stands for the token in `POST /tokens/connect`, for this session and ten minutes.
    offer: String,
    /// Until when the token opens something; null where it does not end.
    #[serde(with = "domain::clock::timestamp::option")]
    expires_at: Option<OffsetDateTime>,
    /// What the token does not permit that a network needs.
    missing_permissions: Vec<MissingBody>,
    /// Business accounts, 25 at most.
    accounts: Vec<OpenedAccountBody>,
    /// Pages.
    pages: Vec<OpenedPageBody>,
}

/// A permission that a token lacks.
#[derive(Serialize)]
pub(crate) struct MissingBody {
    /// The network that needs it.
    channel: &'static str,
    permission: &'static str,
}

/// A business account that a token opens.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedAccountBody {
    network_id: String,
    name: Option<String>,
    availability: &'static str,
    numbers: Vec<OpenedNumberBody>,
    /// Why its numbers could not be listed: the network's words.
    problem: Option<String>,
}

/// A number of it. It is connected with its account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedNumberBody {
    network_id: String,
    phone: PhoneNumber,
    name: Option<String>,
    /// As in `health` of an account.
    state: &'static str,
    /// Whether it can send; others are registered first.
    can_send: bool,
    availability: &'static str,
}

/// A page that a token opens. Its Instagram account is connected with it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedPageBody {
    network_id: String,
    name: Option<String>,
    availability: &'static str,
    instagram_network_id: Option<String>,
    instagram_name: Option<String>,
    instagram_availability: &'static str,
}

/// What is to be connected of what a token opens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChoiceBody {
    offer: String,
    /// Business accounts, by their ids at the network.
    #[serde(default)]
    accounts: Vec<String>,
    /// Pages, by their ids at the network.
    #[serde(default)]
    pages: Vec<String>,
}

/// What became of each.
#[derive(Serialize)]
pub(crate) struct ChosenBody {
    rows: Vec<ChosenRow>,
}

/// What became of one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChosenRow {
    network_id: String,
    /// `account` or `page`.
    kind: &'static str,
    connected: bool,
    /// Why it was not.
    message: Option<String>,
}

const fn word(availability: Availability) -> &'static str {
    match availability {
        Availability::Free => "free",
        Availability::Connected => "connected",
        Availability::NotAvailable => "not_available",
    }
}

impl From<OpenedNumber> for OpenedNumberBody {
    fn from(OpenedNumber { number, availability }: OpenedNumber) -> Self {
        Self {
            network_id: number.network_id,
            phone: number.phone,
            name: number.health.name,
            state: number.health.state.as_str(),
            can_send: number.can_send,
            availability: word(availability),
        }
    }
}

impl From<OpenedAccount> for OpenedAccountBody {
    fn from(OpenedAccount { network_id, name, numbers, problem, availability }: OpenedAccount) -> Self {
        let numbers = numbers.into_iter().map(OpenedNumberBody::from).collect();
        Self { network_id, name, availability: word(availability), numbers, problem }
    }
}

impl From<OpenedPage> for OpenedPageBody {
    fn from(OpenedPage { page, instagram_name, availability, instagram_availability }: OpenedPage) -> Self {
        Self {
            network_id: page.network_id,
            name: page.name,
            availability: word(availability),
            instagram_network_id: page.instagram_network_id,
            instagram_name,
            instagram_availability: word(instagram_availability),
        }
    }
}

impl From<Opened> for OpenedBody {
    fn from(Opened { expires_at, missing, accounts, pages, offer }: Opened) -> Self {
        let missing = missing
            .into_iter()
            .map(|one| MissingBody { channel: one.network.as_str(), permission: one.permission });
        Self {
            offer,
            expires_at,
            missing_permissions: missing.collect(),
            accounts: accounts.into_iter().map(OpenedAccountBody::from).collect(),
            pages: pages.into_iter().map(OpenedPageBody::from).collect(),
        }
    }
}

/// Lists what a token opens, what of it is connected, and which permissions it lacks. Nothing is kept.
pub(crate) async fn open(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<OpenedBody>, Problem> {
    let TokenBody { token } = body::json(&request, payload).await?.fields;
    let (workspace, session, token) = (by.session.workspace, by.session.id, SecretString::from(token));
    let opened =
        app.run(
            move |app| async move { app.dashboard.channels.open_token.run(workspace, session, &token).await },
        );
    Ok(Json(opened.await??.into()))
}

/// Connects what was chosen of it, each by itself.
pub(crate) async fn connect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<ChosenBody>, Problem> {
    let ChoiceBody { offer, accounts, pages } = body::json(&request, payload).await?.fields;
    let (acting, session) = (by.acting(), by.session.id);
    let outcomes = connect_chosen(&app, acting, session, offer, Choice { accounts, pages }).await?;
    Ok(Json(ChosenBody { rows: outcomes.into_iter().map(ChosenRow::from).collect() }))
}

/// Most accounts and pages connected at once.
const MOST: usize = 100;

/// Connects the chosen accounts and pages, and synchronises the new accounts.
pub(crate) async fn connect_chosen(
    app: &Data<App>,
    acting: Acting,
    session: SessionId,
    offer: String,
    choice: Choice,
) -> Result<Vec<ChosenOutcome>, Problem> {
    if choice.accounts.len() + choice.pages.len() > MOST {
        return Err(Problem::invalid(format!("choose {MOST} at most")));
    }
    let connected = app.run(move |app| async move {
        let channels = &app.dashboard.channels;
        let outcomes = channels.connect_chosen.run(acting, session, &offer, choice).await?;
        for account in outcomes.iter().filter_map(|outcome| *outcome.connected.as_ref().ok()?) {
            if let Err(error) = channels.sync.run_by(acting, account).await {
                warn!(%account, %error, "a new account could not be read yet");
            }
        }
        Ok::<_, ConnectError>(outcomes)
    });
    Ok(connected.await??)
}

impl From<ChosenOutcome> for ChosenRow {
    fn from(ChosenOutcome { network_id, kind, connected }: ChosenOutcome) -> Self {
        let kind = match kind {
            AccountKind::Business => "account",
            AccountKind::Page => "page",
        };
        let message = connected.as_ref().err().map(said);
        Self { network_id, kind, connected: connected.is_ok(), message }
    }
}

/// Returns the error's text for an owner; details of the store are only logged.
fn said(error: &ConnectError) -> String {
    match error {
        ConnectError::Store(inner) => {
            warn!(error = %inner, "what was chosen could not be kept");
            "it could not be kept; try again shortly".to_owned()
        }
        other => other.to_string(),
    }
}
