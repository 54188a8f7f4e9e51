//! Products and variants.

use serde_json::Value;

use super::{
    Judged, NamedObject, is_amount, is_currency, is_https, is_id, is_text, is_texts, is_web_address, unique,
};

/// Judges a whole list.
pub(crate) fn list(products: &[Value]) -> Judged {
    let mut judged = Judged::default();
    let many = products.len();
    let limit = if many <= 50 { Ok(()) } else { Err(format!("{many} products were answered")) };
    judged.see("products.limit", limit);
    judged.see("products.unique", unique(products.iter(), "products"));
    for (at, product) in products.iter().enumerate() {
        one(&mut judged, product, &format!("products[{at}]"));
    }
    judged
}

/// Judges one product, whose path is `name`.
pub(crate) fn one(judged: &mut Judged, product: &Value, name: &str) {
    let Some(object) = product.as_object() else {
        judged.see("products.answer", Err(format!("{name} is no object")));
        return;
    };
    let named = NamedObject { object, name };
    judged.see("product.id", named.needs("id", "text or a number", is_id));
    judged.see("product.title", named.needs("title", "a text", is_text));
    judged.see("product.price", named.needs("price", "a number of at least 0", is_amount));
    judged.see("product.in_stock", named.needs("inStock", "a boolean", Value::is_boolean));
    judged.see("product.quantity", named.may_have("quantity", "a whole number", Value::is_i64));
    judged.see("product.stock", stock(&named));
    judged.see("product.description", named.may_have("description", "a text", Value::is_string));
    judged.see("product.compare_at_price", named.may_have("compareAtPrice", "a number", is_amount));
    judged.see("product.discount", discount(&named));
    judged.see("product.currency", named.may_have("currency", "an ISO 4217 code", is_currency));
    judged.see("product.image", named.may_have("imageUrl", "an https address", is_https));
    judged.see("product.url", named.may_have("url", "a whole address", is_web_address));
    judged.see("product.categories", named.may_have("categories", "a list of texts", is_texts));
    let objects = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_object));
    judged.see("product.variants", named.may_have("variants", "a list of objects", objects));
    let variants = object.get("variants").and_then(Value::as_array);
    for (at, variant) in variants.into_iter().flatten().enumerate() {
        if let Some(object) = variant.as_object() {
            let name = format!("{name}.variants[{at}]");
            self::variant(judged, NamedObject { object, name: &name });
        }
    }
}

fn variant(judged: &mut Judged, named: NamedObject<'_>) {
    judged.see("variant.id", named.needs("id", "text or a number", is_id));
    judged.see("variant.title", named.needs("title", "a text", is_text));
    judged.see("variant.price", named.needs("price", "a number of at least 0", is_amount));
    judged.see("variant.in_stock", named.needs("inStock", "a boolean", Value::is_boolean));
    judged.see("variant.quantity", named.may_have("quantity", "a whole number", Value::is_i64));
    let map = |value: &Value| {
        value.as_object().is_some_and(|map| map.values().all(|value| !value.is_object() && !value.is_array()))
    };
    judged.see("variant.options", named.may_have("options", "a map of names to values", map));
}

fn stock(named: &NamedObject<'_>) -> Result<(), String> {
    let sold_out = named.get("quantity").and_then(Value::as_i64).is_some_and(|there| there <= 0);
    let in_stock = named.get("inStock").and_then(Value::as_bool) == Some(true);
    if sold_out && in_stock {
        Err(format!("{} is in stock with a quantity of 0", named.name))
    } else {
        Ok(())
    }
}

fn discount(named: &NamedObject<'_>) -> Result<(), String> {
    let amount = |field| named.get(field).and_then(Value::as_f64);
    match (amount("price"), amount("compareAtPrice")) {
        (Some(price), Some(old)) if old < price => {
            Err(format!("{}.compareAtPrice is below its price", named.name))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(change: &Value) -> Vec<&'static str> {
        let mut product = json!({ "id": 7, "title": "شاي", "price": 5250, "inStock": true });
        let map = product.as_object_mut().unwrap();
        map.extend(change.as_object().unwrap().clone());
        list(&[product]).wrong()
    }

    #[test]
    fn the_least_and_the_most_that_a_product_can_have_are_right() {
        assert_eq!(wrong(&json!({})), Vec::<&str>::new());
        let most = json!({
            "id": "a", "price": 5.25, "quantity": null, "description": null, "compareAtPrice": 6, "currency": "USD",
            "imageUrl": "https://shop.example/a.jpg", "url": "http://shop.example/a", "categories": [], "new": [1],
            "variants": [{ "id": 1, "title": "S", "price": 0, "inStock": false, "options": { "size": 41 } }],
        });
        assert_eq!(wrong(&most), Vec::<&str>::new());
    }

    #[test]
    fn each_wrong_field_has_its_check() {
        for (change, check) in [
            (json!({ "id": null }), "product.id"),
            (json!({ "title": " " }), "product.title"),
            (json!({ "price": "5250" }), "product.price"),
            (json!({ "inStock": 1 }), "product.in_stock"),
            (json!({ "quantity": 1.5 }), "product.quantity"),
            (json!({ "quantity": 0 }), "product.stock"),
            (json!({ "compareAtPrice": 10 }), "product.discount"),
            (json!({ "imageUrl": "//shop.example/a.jpg" }), "product.image"),
            (json!({ "categories": [1] }), "product.categories"),
            (json!({ "variants": [1] }), "product.variants"),
        ] {
            assert_eq!(wrong(&change), [check], "{change}");
        }
    }
}
