//! `/system/products`: live look-up of the products of the workspace's shop.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Path},
};
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

use super::failure::SoughtKind;
use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

const PRODUCT: SoughtKind = SoughtKind("product");

/// A product as a customer may hear of it: how many there are is not told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProductBody {
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
pub(crate) struct VariantBody {
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
pub(crate) struct OptionBody {
    name: String,
    value: String,
}

/// A product that was found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundBody {
    /// `strong`: it is what was asked for. `weak`: it is the closest there is.
    #[serde(rename = "match")]
    matched: &'static str,
    product: ProductBody,
}

/// What a search found, the best first.
#[derive(Serialize)]
pub(crate) struct FoundPage {
    rows: Vec<FoundBody>,
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

impl From<FoundProducts> for FoundPage {
    fn from(FoundProducts { products, currency }: FoundProducts) -> Self {
        let row = |Found { product, matched }| FoundBody {
            matched: match matched {
                Match::Strong => "strong",
                Match::Weak => "weak",
            },
            product: ProductBody::of(product, currency),
        };
        Self { rows: products.into_iter().map(row).collect() }
    }
}

/// Finds products in the workspace's shop by what a customer writes, in Arabic or Latin letters; 20 at most,
/// the best first. Those that only come close are among them, and say so.
pub(crate) async fn search(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<FoundPage>, Problem> {
    let form = format!("1 to {LONGEST_QUESTION} characters that show something");
    let read = |text: &str| PlainText::read_whole(text, LONGEST_QUESTION).filter(|(_, whole)| *whole);
    let asked = Parameters::of(&request)?.read("q", read, &form)?;
    let (asked, _) = asked.ok_or_else(|| Problem::invalid(format!("`q` must be {form}")))?;
    let found =
        app.run(
            move |app| async move { app.dashboard.systems.browse.search(by.session.workspace, &asked).await },
        );
    Ok(Json(found.await?.map_err(|error| PRODUCT.failed(error))?.into()))
}

/// One product of the workspace's shop, with its variants.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    path: Path<String>,
) -> Result<Json<ProductBody>, Problem> {
    let id = path.into_inner();
    let found = app
        .run(move |app| async move { app.dashboard.systems.browse.product(by.session.workspace, &id).await });
    let (product, currency) = found.await?.map_err(|error| PRODUCT.failed(error))?;
    Ok(Json(ProductBody::of(product, currency)))
}
