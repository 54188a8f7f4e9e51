//! `/broadcast-prices`: prices of the network's messages, as owners entered them.

use std::collections::BTreeMap;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::broadcasts::{Prices, amount};
use serde::{Deserialize, Serialize};

use crate::{app::App, body, problem::Problem, session::SignedIn};

/// What messages cost.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PricesBody {
    /// Three letters; empty where nothing is written down.
    currency: String,
    /// By category, `marketing` and `utility`, in digits.
    prices: BTreeMap<String, String>,
}

impl From<Prices> for PricesBody {
    fn from(prices: Prices) -> Self {
        let written = |(category, micros)| (category, amount(micros));
        Self { currency: prices.currency, prices: prices.by_category.into_iter().map(written).collect() }
    }
}

/// What messages cost by category, as it was written down.
pub(crate) async fn get(app: Data<App>, by: SignedIn) -> Result<Json<PricesBody>, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move { app.dashboard.broadcasts.manage.prices(workspace).await });
    Ok(Json(found.await??.map(PricesBody::from).unwrap_or_default()))
}

/// Writes down what messages cost. Previews reckon with it; nobody is charged by it.
pub(crate) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let PricesBody { currency, prices } = body::json(&request, payload).await?.fields;
    let prices = Prices::read(&currency, &prices).map_err(|error| Problem::invalid(error.to_string()))?;
    let acting = by.acting();
    let set =
        app.run(move |app| async move { app.dashboard.broadcasts.manage.set_prices(acting, &prices).await });
    set.await??;
    Ok(HttpResponse::NoContent().finish())
}
