//! `GET /me/refused-sign-ins`.

use actix_web::web::{Data, Json};
use domain::access::sessions::RefusedSignIns;
use serde::Serialize;
use time::OffsetDateTime;

use crate::{app::App, problem::Problem, session::SignedIn};

/// Tries to sign in as oneself that were refused: all of a kind within a quarter of an hour, or an hour for
/// codes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefusedBody {
    /// What did not fit: `password`, or `code` after the right password.
    asked: String,
    /// Whether there had been too many before, so that they were not looked at.
    locked: bool,
    /// How many.
    tries: u64,
    #[serde(with = "domain::clock::timestamp")]
    first_at: OffsetDateTime,
    last_at: String,
    address: Option<String>,
}

/// The last ones.
#[derive(Serialize)]
pub(crate) struct RefusedListBody {
    rows: Vec<RefusedBody>,
}

impl From<RefusedSignIns> for RefusedBody {
    fn from(refused: RefusedSignIns) -> Self {
        let RefusedSignIns { asked, locked, tries, first_at, last_at, address } = refused;
        let address = address.map(|address| address.to_string());
        Self { asked, locked, tries, first_at, last_at, address }
    }
}

/// The last tries to sign in as oneself that were refused, newest first, at most 20.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<RefusedListBody>, Problem> {
    let found = app.run(move |app| async move { app.dashboard.refusals.of(&by.session).await });
    Ok(Json(RefusedListBody { rows: found.await??.into_iter().map(RefusedBody::from).collect() }))
}
