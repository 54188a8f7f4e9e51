//! Faults of a product.

use serde_json::{Map, Value, json};

use super::fields::{objects, set, unset};
use crate::faults::Fault;

/// Spoils the first product of a list, since a wrong one must not affect the others.
pub(super) fn list(strikes: &impl Fn(Fault) -> bool, body: &mut Value) {
    let mut products = objects(body, "products");
    let first_id = products.first().and_then(|product| product.get("id").cloned());
    if let (Some(second), Some(id)) = (products.get_mut(1), first_id) {
        set(strikes, second, Fault::ProductIdTwice, "id", id);
    }
    if let Some(product) = products.first_mut() {
        fields(strikes, product);
    }
    if strikes(Fault::ProductsWithoutWrapper)
        && let Some(list) = body.get_mut("products")
    {
        *body = list.take();
    }
}

pub(super) fn one(strikes: &impl Fn(Fault) -> bool, body: &mut Value) {
    if let Some(product) = body.as_object_mut() {
        fields(strikes, product);
    }
    if strikes(Fault::ProductWrapped) {
        *body = json!({ "product": body.take() });
    }
}

fn fields(strikes: &impl Fn(Fault) -> bool, product: &mut Map<String, Value>) {
    unset(strikes, product, Fault::ProductIdMissing, "id");
    unset(strikes, product, Fault::MissingTitle, "title");
    let as_text = |value: Option<&Value>| json!(format!("{} د.ع", value.unwrap_or(&Value::Null)));
    let price = as_text(product.get("price"));
    set(strikes, product, Fault::PriceAsText, "price", price);
    set(strikes, product, Fault::PriceNegative, "price", json!(-1));
    set(strikes, product, Fault::InStockAsText, "inStock", json!("yes"));
    set(strikes, product, Fault::QuantityAsText, "quantity", json!("12"));
    if strikes(Fault::SoldOutInStock) {
        product.insert("inStock".to_owned(), json!(true));
        product.insert("quantity".to_owned(), json!(0));
    }
    set(strikes, product, Fault::DescriptionAsObject, "description", json!({ "ar": "وصف" }));
    set(strikes, product, Fault::CompareAtPriceAsText, "compareAtPrice", json!("16,000"));
    set(strikes, product, Fault::CompareAtPriceLower, "compareAtPrice", json!(1));
    set(strikes, product, Fault::ProductCurrencyNotIso, "currency", json!("دينار"));
    let photo = json!("http://cdn.rafidain-shop.example/photos/1.jpg");
    set(strikes, product, Fault::ImageOverHttp, "imageUrl", photo);
    set(strikes, product, Fault::UrlRelative, "url", json!("/p/1"));
    set(strikes, product, Fault::CategoriesAsText, "categories", json!("أطفال"));
    if let Some(variants) = product.get_mut("variants").and_then(Value::as_array_mut)
        && let Some(variant) = variants.first_mut().and_then(Value::as_object_mut)
    {
        unset(strikes, variant, Fault::VariantIdMissing, "id");
        unset(strikes, variant, Fault::VariantTitleMissing, "title");
        let price = as_text(variant.get("price"));
        set(strikes, variant, Fault::VariantPriceAsText, "price", price);
        unset(strikes, variant, Fault::VariantInStockMissing, "inStock");
        set(strikes, variant, Fault::VariantQuantityAsText, "quantity", json!("قليل"));
        set(strikes, variant, Fault::VariantOptionsAsList, "options", json!(["أحمر", "XL"]));
    }
    set(strikes, product, Fault::VariantsAsMap, "variants", json!({ "1001-2": { "price": 14500 } }));
}
