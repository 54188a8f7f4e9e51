//! Connecting by a token: lists what it opens, and connects what is ticked.

use std::sync::Arc;

use actix_web::web::Payload;
use dashboard_pages::{
    ChannelChoicePage, ChoiceAccountRow, ChoiceNumberRow, ChoicePageRow, MissingRow, Section,
};
use domain::channels::{
    Choice, ChosenOutcome, ConnectError, MissingPermission, Opened, OpenedAccount, OpenedNumber, OpenedPage,
};
use secrecy::SecretString;

use super::{
    super::{
        act::{Answer, Call},
        answer::{ok, see_other},
        form::Form,
        not_taken::NotTaken,
    },
    PATH, read_new, render,
};
use crate::{app::App, problem::Problem};

/// Most accounts and pages connected at once.
const MOST: usize = 100;

/// Prefixes of the fields for accounts and pages.
const ACCOUNT: &str = "account-";
const PAGE: &str = "page-";

pub(in crate::pages) async fn open(call: Call, payload: Payload) -> Answer {
    let token = SecretString::from(Form::of(&call.request, payload).await?.text("token")?.trim());
    list(&call, token).await
}

/// Shows what a token opens, or the channels with why it opens nothing.
pub(super) async fn list(call: &Call, token: SecretString) -> Answer {
    let (workspace, session) = (call.workspace(), call.by.session.id);
    let opening = move |app: Arc<App>| async move {
        app.dashboard.channels.open_token.run(workspace, session, &token).await
    };
    match call.app.run(opening).await? {
        Ok(Opened { expires_at, missing, accounts, pages, offer }) => ok(&ChannelChoicePage {
            frame: &call.frame(Section::Channels).await?,
            offer,
            expires_at: expires_at.map(Into::into),
            missing: missing.into_iter().map(missing_row).collect(),
            accounts: accounts.into_iter().map(account_row).collect(),
            pages: pages.into_iter().map(page_row).collect(),
        }),
        Err(error) => render(call, Some(NotTaken::of_account(error, call.words())), "").await,
    }
}

/// Connects the ticked accounts and pages, and reads the new accounts.
pub(in crate::pages) async fn choose(call: Call, payload: Payload) -> Answer {
    let form = Form::of(&call.request, payload).await?;
    let ticked =
        |kind: &str| form.names().filter_map(|name| name.strip_prefix(kind)).map(str::to_owned).collect();
    let choice = Choice { accounts: ticked(ACCOUNT), pages: ticked(PAGE) };
    let refused = if choice.accounts.is_empty() && choice.pages.is_empty() {
        Some(NotTaken::of_account(ConnectError::NothingChosen, call.words()))
    } else {
        match connect(&call, form.text("offer")?, choice).await {
            Ok(outcomes) => outcomes.into_iter().find_map(|outcome| {
                let error = outcome.connected.err()?;
                Some(NotTaken::of_account(error, call.words()).with(&outcome.network_id))
            }),
            Err(problem) => Some(problem.into()),
        }
    };
    match refused {
        None => Ok(see_other(PATH)),
        Some(not_taken) => render(&call, Some(not_taken), "").await,
    }
}

async fn connect(call: &Call, offer: String, choice: Choice) -> Result<Vec<ChosenOutcome>, Problem> {
    if choice.accounts.len() + choice.pages.len() > MOST {
        return Err(Problem::invalid(format!("choose {MOST} at most")));
    }
    let (acting, session) = (call.acting(), call.by.session.id);
    let connected = call.run(move |app| async move {
        let outcomes = app.dashboard.channels.connect_chosen.run(acting, session, &offer, choice).await?;
        for account in outcomes.iter().filter_map(|outcome| *outcome.connected.as_ref().ok()?) {
            read_new(&app, acting, account).await;
        }
        Ok::<_, ConnectError>(outcomes)
    });
    connected.await
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
