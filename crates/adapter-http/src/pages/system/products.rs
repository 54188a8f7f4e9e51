//! `/system/products`: live look-up of the products of the workspace's shop.

use std::sync::Arc;

use actix_web::web::Path;
use domain::{
    catalogue::{
        FoundProducts, LONGEST_QUESTION,
        search::{Found, Match},
    },
    currency::Currency,
    external_id::ExternalId,
    systems::{Listing, Product, Variant},
    text::PlainText,
};
use serde::Serialize;

use super::super::act::{self, Answer, Call, Rows};
use crate::{app::App, dashboard::failure::SoughtKind, problem::Problem};

const PRODUCT: SoughtKind = SoughtKind("product");

/// A product as a customer may hear of it: how many there are is not told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProductBody {
    id: ExternalId,
    title: String,
    /// Decimal digits, as the shop wrote them.
    price: String,
    /// `in_stock`, `few_left` or `out_of_stock`.
    availability: &'static str,
    /// The price before the discount, always higher than the price; null where there is none.
    compare_at_price: Option<String>,
    currency: String,
    /// The first 400 characters.
    description: Option<String>,
    /// A photo that can be sent.
    image_url: Option<String>,
    url: Option<String>,
    categories: Vec<String>,
    /// What it comes in. A product that has variants is ordered by their ids.
    variants: Vec<VariantBody>,
}

/// One of the forms that a product comes in.
#[derive(Serialize)]
struct VariantBody {
    id: ExternalId,
    title: String,
    /// Decimal digits, as the shop wrote them.
    price: String,
    /// `in_stock`, `few_left` or `out_of_stock`.
    availability: &'static str,
    options: Vec<OptionBody>,
}

/// Such as a size.
#[derive(Serialize)]
struct OptionBody {
    name: String,
    value: String,
}

/// A product that was found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundBody {
    /// `strong`: it is what was asked for. `weak`: it is the closest there is.
    #[serde(rename = "match")]
    matched: &'static str,
    product: ProductBody,
}

fn texts(texts: Vec<PlainText>) -> Vec<String> {
    texts.into_iter().map(|text| text.as_str().to_owned()).collect()
}

impl VariantBody {
    fn of(variant: Variant, currency: Currency) -> Self {
        let option = |(name, value): (PlainText, PlainText)| OptionBody {
            name: name.as_str().to_owned(),
            value: value.as_str().to_owned(),
        };
        let Listing { id, title, price, availability } = variant.listing;
        Self {
            id,
            title: title.as_str().to_owned(),
            price: price.in_currency(currency).as_str().to_owned(),
            availability: availability.as_str(),
            options: variant.options.into_iter().map(option).collect(),
        }
    }
}

impl ProductBody {
    fn of(product: Product, currency: Currency) -> Self {
        let currency = product.currency.unwrap_or(currency);
        let compare_at_price =
            product.discounted_from().map(|price| price.in_currency(currency).as_str().to_owned());
        let Listing { id, title, price, availability } = product.listing;
        Self {
            id,
            title: title.as_str().to_owned(),
            price: price.in_currency(currency).as_str().to_owned(),
            availability: availability.as_str(),
            compare_at_price,
            currency: currency.to_string(),
            description: product.description.map(|text| text.as_str().to_owned()),
            image_url: product.photo.map(|photo| photo.as_str().to_owned()),
            url: product.link.map(|link| link.as_str().to_owned()),
            categories: texts(product.categories),
            variants: product.variants.into_iter().map(|it| VariantBody::of(it, currency)).collect(),
        }
    }
}

fn found(Found { product, matched }: Found, currency: Currency) -> FoundBody {
    let matched = match matched {
        Match::Strong => "strong",
        Match::Weak => "weak",
    };
    FoundBody { matched, product: ProductBody::of(product, currency) }
}

/// Finds products in the workspace's shop by what a customer writes, in Arabic or Latin letters; 20 at most,
/// the best first. Those that only come close are among them, and say so.
pub(in crate::pages) async fn search(call: Call) -> Answer {
    let form = format!("1 to {LONGEST_QUESTION} characters that show something");
    let read = |text: &str| PlainText::read_whole(text, LONGEST_QUESTION).filter(|(_, whole)| *whole);
    let asked = call.parameters()?.read("q", read, &form)?;
    let (asked, _) = asked.ok_or_else(|| Problem::invalid(format!("`q` must be {form}")))?;
    let workspace = call.workspace();
    let searching =
        move |app: Arc<App>| async move { app.dashboard.systems.browse.search(workspace, &asked).await };
    let searched = call.app.run(searching).await?;
    let FoundProducts { products, currency } = searched.map_err(|error| PRODUCT.failed(error))?;
    act::ok(&Rows { rows: products.into_iter().map(|product| found(product, currency)).collect() })
}

/// One product of the workspace's shop, with its variants.
pub(in crate::pages) async fn get(call: Call, path: Path<String>) -> Answer {
    let (workspace, id) = (call.workspace(), path.into_inner());
    let looking =
        move |app: Arc<App>| async move { app.dashboard.systems.browse.product(workspace, &id).await };
    let found = call.app.run(looking).await?;
    let (product, currency) = found.map_err(|error| PRODUCT.failed(error))?;
    act::ok(&ProductBody::of(product, currency))
}
