//! Connecting some of the accounts and pages that a token opens.

use actix_web::web::Data;
use domain::{
    audit::Acting,
    channels::{Choice, ChosenOutcome, ConnectError},
    ids::SessionId,
};
use tracing::warn;

use crate::{app::App, problem::Problem};

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
