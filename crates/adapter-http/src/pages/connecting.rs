//! Connecting by a token: lists what it opens, and connects what is ticked.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{
    ChannelChoicePage, ChoiceAccountRow, ChoiceNumberRow, ChoicePageRow, MissingRow, Section,
};
use domain::channels::{
    Choice, ConnectError, MissingPermission, Opened, OpenedAccount, OpenedNumber, OpenedPage,
};
use secrecy::SecretString;

use super::{
    answer::{ok, see_other},
    channels::{self, PATH},
    form::Form,
    frame,
    not_taken::NotTaken,
};
use crate::{app::App, dashboard::tokens, problem::Problem, session::SignedIn};

/// Prefixes of the fields for accounts and pages.
const ACCOUNT: &str = "account-";
const PAGE: &str = "page-";

pub(super) async fn open(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let token = SecretString::from(Form::of(&request, payload).await?.text("token")?.trim());
    list(&app, &by, &request, token).await
}

/// Shows what a token opens, or the channels with why it opens nothing.
pub(super) async fn list(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    token: SecretString,
) -> Result<HttpResponse, Problem> {
    let (workspace, session) = (by.session.workspace, by.session.id);
    let opened =
        app.run(
            move |app| async move { app.dashboard.channels.open_token.run(workspace, session, &token).await },
        );
    match opened.await? {
        Ok(opened) => {
            let frame = frame::of(app, request, by, Section::Channels).await?;
            let Opened { expires_at, missing, accounts, pages, offer } = opened;
            ok(&ChannelChoicePage {
                frame: &frame,
                offer,
                expires_at: expires_at.map(Into::into),
                missing: missing.into_iter().map(missing_row).collect(),
                accounts: accounts.into_iter().map(account_row).collect(),
                pages: pages.into_iter().map(page_row).collect(),
            })
        }
        Err(error) => {
            let not_taken = NotTaken::of_account(error, frame::bare(request).words());
            channels::render(app, by, request, Some(not_taken), "").await
        }
    }
}

pub(super) async fn choose(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let ticked =
        |kind: &str| form.names().filter_map(|name| name.strip_prefix(kind)).map(str::to_owned).collect();
    let choice = Choice { accounts: ticked(ACCOUNT), pages: ticked(PAGE) };
    if choice.accounts.is_empty() && choice.pages.is_empty() {
        let not_taken = NotTaken::of_account(ConnectError::NothingChosen, frame::bare(&request).words());
        return channels::render(&app, &by, &request, Some(not_taken), "").await;
    }
    let outcomes =
        tokens::connect_chosen(&app, by.acting(), by.session.id, form.text("offer")?, choice).await;
    let refused = match outcomes {
        Ok(outcomes) => outcomes.into_iter().find_map(|outcome| {
            let error = outcome.connected.err()?;
            Some(NotTaken::of_account(error, frame::bare(&request).words()).with(&outcome.network_id))
        }),
        Err(problem) => Some(problem.into()),
    };
    match refused {
        None => Ok(see_other(PATH)),
        Some(not_taken) => channels::render(&app, &by, &request, Some(not_taken), "").await,
    }
}

fn missing_row(MissingPermission { network, permission }: MissingPermission) -> MissingRow {
    MissingRow { network, permission }
}

fn account_row(account: OpenedAccount) -> ChoiceAccountRow {
    let OpenedAccount { network_id, name, numbers, problem, availability } = account;
    let number = |OpenedNumber { number, availability }: OpenedNumber| ChoiceNumberRow {
        phone: number.phone.as_str().to_owned(),
        name: number.health.name,
        state: number.health.state,
        availability,
    };
    ChoiceAccountRow {
        network_id,
        name,
        availability,
        problem,
        numbers: numbers.into_iter().map(number).collect(),
    }
}

fn page_row(opened: OpenedPage) -> ChoicePageRow {
    let OpenedPage { page, instagram_name, availability, instagram_availability } = opened;
    ChoicePageRow {
        network_id: page.network_id,
        name: page.name,
        availability,
        instagram: page.instagram_network_id.map(|id| instagram_name.unwrap_or(id)),
        instagram_availability,
    }
}
