//! Connecting, reading and disconnecting business accounts.

use std::{sync::Arc, time::Duration};

use actix_web::web::Payload;
use domain::{
    channels::{AccountKind, ConnectError, ports::NetworkError},
    ids::AccountId,
    templates::SyncReport,
    text::latin_digits,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::{
    super::{
        act::{self, Answer, Call, Given},
        not_taken::NotTaken,
    },
    PATH, answer, read_new, row,
};
use crate::{
    app::App,
    paging::not_found,
    problem::{DashboardCode, Problem, RefusalCode},
};

/// Pause suggested to clients before they retry when the network did not answer.
const NETWORK_RETRY_AFTER: Duration = Duration::from_secs(5);

/// A business account to connect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewAccount {
    network_id: String,
    /// What opens it. It is sealed and never shown.
    token: String,
}

/// What a reading found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SyncBody {
    /// How many templates the account has.
    templates: usize,
    /// Templates whose codes may arrive after they have expired.
    validity_problems: Vec<ValidityProblemBody>,
}

/// A template whose codes may arrive too late.
#[derive(Serialize)]
struct ValidityProblemBody {
    template: String,
    language: String,
    /// Why the network did not take a shorter validity.
    problem: String,
}

impl From<SyncReport> for SyncBody {
    fn from(report: SyncReport) -> Self {
        let problem = |(template, language, problem)| ValidityProblemBody { template, language, problem };
        let validity_problems = report.validity_problems.into_iter().map(problem).collect();
        Self { templates: report.templates, validity_problems }
    }
}

/// Connects a business account, and reads its numbers and templates. For one that is connected: replaces its
/// token.
pub(in crate::pages) async fn connect(call: Call, payload: Payload) -> Answer {
    let NewAccount { network_id, token } = match call.given(payload).await? {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => NewAccount { network_id: form.text("network-id")?, token: form.text("token")? },
    };
    let (acting, id) = (call.acting(), latin_digits(&network_id));
    let connecting = move |app: Arc<App>| async move {
        let channels = &app.dashboard.channels;
        let account = channels.connect_account.run(acting, id, SecretString::from(token)).await?;
        read_new(&app, acting, account).await;
        let account = channels.manage.get(acting.workspace, AccountKind::Business, account).await?;
        Ok::<_, ConnectError>((account, channels.manage.reports(acting.workspace).await?))
    };
    let done = match call.app.run(connecting).await? {
        Ok((account, reports)) => {
            Ok(act::created(&row(account.ok_or_else(|| not_found("account"))?, &reports))?)
        }
        Err(error) => Err(NotTaken::of_account(error, call.words())),
    };
    answer(&call, done, &network_id).await
}

/// Reads an account's numbers and templates from the network now, or disconnects it.
///
/// Of an account that is disconnected, the token is destroyed, nothing is sent from its numbers, and what is
/// written to them is dropped. Conversations and messages stay.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    call.given(payload).await?;
    match call.what().as_str() {
        "sync" | "read" => {
            let done = sync(&call).await;
            answer(&call, done, "").await
        }
        "remove" | "disconnect" => disconnect(&call, AccountKind::Business).await,
        _ => Err(unknown()),
    }
}

fn unknown() -> Problem {
    not_found("account")
}

async fn sync(call: &Call) -> Answer {
    let (acting, account): (_, AccountId) = (call.acting(), call.id(unknown)?);
    let read = call.run(move |app| async move {
        let channels = &app.dashboard.channels;
        match channels.manage.get(acting.workspace, AccountKind::Business, account).await? {
            Some(known) => channels.sync.run_by(acting, known.id).await,
            None => Ok(None),
        }
    });
    act::ok(&SyncBody::from(read.await?.ok_or_else(unknown)?))
}

/// Disconnects an account of this kind.
pub(super) async fn disconnect(call: &Call, kind: AccountKind) -> Answer {
    let (acting, account): (_, AccountId) = (call.acting(), call.id(unknown)?);
    let gone = call
        .run(move |app| async move { app.dashboard.channels.manage.disconnect(acting, kind, account).await });
    if gone.await? { Ok(call.done(PATH)) } else { Err(unknown()) }
}

impl From<ConnectError> for Problem {
    fn from(error: ConnectError) -> Self {
        let message = error.to_string();
        match error {
            ConnectError::NetworkId => Self::invalid(format!("`networkId`: {message}")),
            ConnectError::Token => Self::invalid(format!("`token`: {message}")),
            ConnectError::NothingChosen | ConnectError::NotOpened => Self::invalid(message),
            ConnectError::Offer => Self::dashboard(DashboardCode::OfferNotValid, message),
            ConnectError::UnknownWorkspace => Self::internal("a session without its workspace"),
            ConnectError::Elsewhere => Self::dashboard(DashboardCode::ConnectedElsewhere, message),
            ConnectError::Network(NetworkError::Refused { .. }) => {
                Self::dashboard(DashboardCode::NetworkRefused, message)
            }
            ConnectError::Network(NetworkError::Unavailable(reason)) => {
                let message = "the network did not answer; try again shortly";
                let problem = Self::refused(RefusalCode::NetworkUnavailable, message, Map::new());
                problem.retry_after(NETWORK_RETRY_AFTER).caused_by(reason)
            }
            ConnectError::Store(error) => error.into(),
        }
    }
}
