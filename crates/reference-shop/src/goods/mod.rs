//! The shop's goods.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variant {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) price: i64,
    pub(crate) quantity: Option<i64>,
    pub(crate) in_stock: bool,
    pub(crate) options: Map<String, Value>,
}

/// A product of the catalogue. Prices in whole dinars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Product {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) price: i64,
    pub(crate) quantity: Option<i64>,
    pub(crate) in_stock: bool,
    pub(crate) description: Option<String>,
    pub(crate) compare_at_price: Option<i64>,
    pub(crate) categories: Vec<String>,
    pub(crate) variants: Vec<Variant>,
    pub(crate) photo: bool,
}

/// The catalogue by department. The checker's tests order and look up products of the first.
const DEPARTMENTS: [&str; 7] = [
    include_str!("products.json"),
    include_str!("food.json"),
    include_str!("care.json"),
    include_str!("home.json"),
    include_str!("devices.json"),
    include_str!("clothes.json"),
    include_str!("kids.json"),
];

/// Returns the whole catalogue as the shop opens.
pub(crate) fn opening() -> Vec<Product> {
    // The files are part of the program, and a test parses them.
    let department = |file: &&str| serde_json::from_str::<Vec<Product>>(file).unwrap_or_default();
    DEPARTMENTS.iter().flat_map(department).collect()
}

/// Returns the products whose title contains `q` byte for byte, in the order of the catalogue.
pub(crate) fn search<'a>(
    products: &'a [Product],
    q: &'a str,
    category: Option<&'a str>,
) -> impl Iterator<Item = &'a Product> {
    products.iter().filter(move |product| {
        product.title.contains(q)
            && category.is_none_or(|wanted| product.categories.iter().any(|it| it == wanted))
    })
}

impl Product {
    /// Renders the product as the contract shows it.
    pub(crate) fn shown(&self) -> Value {
        let id = &self.id;
        let photo = self.photo.then(|| format!("https://cdn.rafidain-shop.example/photos/{id}.jpg"));
        json!({
            "id": id,
            "title": self.title,
            "price": self.price,
            "inStock": self.in_stock,
            "quantity": self.quantity,
            "description": self.description,
            "compareAtPrice": self.compare_at_price,
            "currency": "IQD",
            "imageUrl": photo,
            "url": format!("https://rafidain-shop.example/p/{id}"),
            "categories": self.categories,
            "variants": self.variants,
        })
    }
}

/// Item that an order's line names, whose stock is counted down.
pub(crate) enum Item<'a> {
    Product(&'a mut Product),
    Variant(&'a str, &'a mut Variant),
}

impl Item<'_> {
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Product(product) => product.title.clone(),
            Self::Variant(of, variant) => format!("{of} – {}", variant.title),
        }
    }

    pub(crate) fn price(&self) -> i64 {
        match self {
            Self::Product(product) => product.price,
            Self::Variant(_, variant) => variant.price,
        }
    }

    fn stock(&mut self) -> (&mut bool, &mut Option<i64>) {
        match self {
            Self::Product(product) => (&mut product.in_stock, &mut product.quantity),
            Self::Variant(_, variant) => (&mut variant.in_stock, &mut variant.quantity),
        }
    }

    pub(crate) fn has(&self, wanted: i64) -> bool {
        let (in_stock, quantity) = match self {
            Self::Product(product) => (product.in_stock, product.quantity),
            Self::Variant(_, variant) => (variant.in_stock, variant.quantity),
        };
        in_stock && quantity.is_none_or(|there| there >= wanted)
    }

    pub(crate) fn change(&mut self, price: Option<i64>, in_stock: Option<bool>, quantity: Option<i64>) {
        if let Some(price) = price {
            match self {
                Self::Product(product) => product.price = price,
                Self::Variant(_, variant) => variant.price = price,
            }
        }
        let (is_there, there) = self.stock();
        if quantity.is_some() {
            *there = quantity;
        }
        *is_there = in_stock.or(quantity.map(|quantity| quantity > 0)).unwrap_or(*is_there);
    }

    /// Takes `by` pieces from the shelf; a negative number puts them back.
    pub(crate) fn take(&mut self, by: i64) {
        let (in_stock, quantity) = self.stock();
        if let Some(there) = quantity {
            *there -= by;
            *in_stock = *there > 0;
        }
    }
}

/// Finds the item with this id: a variant, or a product that has none.
pub(crate) fn find<'a>(products: &'a mut [Product], id: &str) -> Option<Item<'a>> {
    for product in products {
        if product.variants.is_empty() {
            if product.id == id {
                return Some(Item::Product(product));
            }
            continue;
        }
        let Product { title, variants, .. } = product;
        if let Some(variant) = variants.iter_mut().find(|variant| variant.id == id) {
            return Some(Item::Variant(title, variant));
        }
    }
    None
}

pub(crate) fn product_of<'a>(products: &'a mut [Product], id: &str) -> Option<&'a mut Product> {
    let is_it =
        |product: &&mut Product| product.id == id || product.variants.iter().any(|variant| variant.id == id);
    products.iter_mut().find(is_it)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_catalogue_is_whole_and_believable() {
        let products = opening();
        assert!(products.len() >= 390, "{}", products.len());
        let ids = products.iter().flat_map(|product| {
            std::iter::once(&product.id).chain(product.variants.iter().map(|variant| &variant.id))
        });
        let unique: BTreeSet<_> = ids.clone().collect();
        assert_eq!(unique.len(), ids.count());
        for product in &products {
            assert!(product.title.chars().any(|letter| ('\u{621}'..='\u{64a}').contains(&letter)));
            assert!(product.compare_at_price.is_none_or(|old| old > product.price), "{}", product.id);
            assert!(product.price > 0 && product.price % 250 == 0, "{}", product.id);
            assert_eq!(product.quantity == Some(0), !product.in_stock, "{}", product.id);
        }
        let has = |rule: fn(&Product) -> bool| products.iter().any(rule);
        assert!(has(|product| !product.in_stock));
        assert!(has(|product| product.quantity.is_none() && product.variants.is_empty()));
        assert!(has(|product| !product.variants.is_empty()));
    }
}
