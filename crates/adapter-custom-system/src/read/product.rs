//! Products.

use domain::{
    catalogue::{
        Availability, DESCRIPTION_READ, LONGEST_TITLE, Listing, MAX_SEARCH_RESULTS, MAX_VARIANTS, Product,
        Variant,
    },
    systems::Why,
    text::PlainText,
};

use crate::json::{
    Node, Object,
    values::{boolean, currency, id, integer, link, money, number, photo, string, text},
};

const MOST_CATEGORIES: usize = 20;
const MOST_OPTIONS: usize = 20;

const PRODUCT: [&str; 12] = [
    "id",
    "title",
    "price",
    "inStock",
    "quantity",
    "description",
    "compareAtPrice",
    "currency",
    "imageUrl",
    "url",
    "categories",
    "variants",
];
const VARIANT: [&str; 6] = ["id", "title", "price", "inStock", "quantity", "options"];

/// `GET /products`: those that can be used.
pub(crate) fn products(node: &Node<'_, '_>) -> Option<Vec<Product>> {
    node.object(&["products"])?.node("products")?.items(MAX_SEARCH_RESULTS, |item| product(&item))
}

/// A product. One whose variants are all unusable is so itself: it could only be ordered by the wrong id.
pub(crate) fn product(node: &Node<'_, '_>) -> Option<Product> {
    let members = node.object(&PRODUCT)?;
    let listing = listing(&members);
    let variants = variants(&members);
    let old_price = members.optional("compareAtPrice", money);
    let description = members.optional("description", text(DESCRIPTION_READ));
    let (photo, link) = (members.optional("imageUrl", photo), members.optional("url", link));
    let currency = members.optional("currency", currency);
    let categories = members.optional_node("categories");
    let categories =
        categories.and_then(|all| all.items(MOST_CATEGORIES, |it| it.value(text(LONGEST_TITLE))));
    let mut product = Product::of(listing?).compared_with(old_price);
    product.description = description;
    product.currency = currency;
    product.photo = photo;
    product.link = link;
    product.categories = categories.unwrap_or_default();
    product.variants = variants?;
    Some(product)
}

/// `None` where there are some and none can be used.
fn variants(product: &Object<'_, '_>) -> Option<Vec<Variant>> {
    let Some(node) = product.optional_node("variants") else { return Some(Vec::new()) };
    let variants = node.items(MAX_VARIANTS, |item| Some(variant(&item)))?;
    let usable: Vec<_> = variants.iter().flatten().cloned().collect();
    (variants.is_empty() || !usable.is_empty()).then_some(usable)
}

fn variant(node: &Node<'_, '_>) -> Option<Variant> {
    let members = node.object(&VARIANT)?;
    let listing = listing(&members);
    let options = members.optional_node("options").and_then(|options| options.members(MOST_OPTIONS, option));
    Some(Variant { listing: listing?, options: options.unwrap_or_default() })
}

/// A size is often a number.
fn option(name: &str, node: Node<'_, '_>) -> Option<(PlainText, PlainText)> {
    let value = node.value(|raw| {
        let written = string(raw).or_else(|_| number(raw).map(str::to_owned))?;
        PlainText::read(&written, LONGEST_TITLE).ok_or(Why::NotAllowed)
    });
    Some((PlainText::read(name, LONGEST_TITLE)?, value?))
}

fn listing(members: &Object<'_, '_>) -> Option<Listing> {
    let (id, title) = (members.required("id", id), members.required("title", text(LONGEST_TITLE)));
    let (price, in_stock) = (members.required("price", money), members.required("inStock", boolean));
    let quantity = members.optional("quantity", integer);
    Some(Listing {
        id: id?,
        title: title?,
        price: price?,
        availability: Availability::of(in_stock?, quantity),
    })
}
