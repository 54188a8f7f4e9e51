//! Products.

use std::borrow::Cow;

use domain::{
    systems::{
        Availability, DESCRIPTION_READ, LONGEST_TITLE, Listing, MAX_SEARCH_RESULTS, MAX_VARIANTS, Product,
        Variant, Why,
    },
    text::PlainText,
};

use crate::json::{
    Field, Node,
    values::{boolean, currency, id, integer, link, money, number, photo, string, text},
};

const MOST_CATEGORIES: usize = 20;
const MOST_OPTIONS: usize = 20;

/// Reads `GET /products`: the usable products. `None` if there are some and none is usable, lest it seem that
/// the shop has nothing.
pub(crate) fn products(node: &Node<'_, '_>) -> Option<Vec<Product>> {
    let [products] = node.fields(["products"])?;
    products.node()?.usable(MAX_SEARCH_RESULTS, |item| product(&item))
}

/// Reads a product. If all its variants are unusable it is so itself: it could only be ordered by the wrong
/// id.
pub(crate) fn product(node: &Node<'_, '_>) -> Option<Product> {
    let [
        own_id,
        title,
        price,
        in_stock,
        quantity,
        description,
        old_price,
        code,
        image,
        page,
        categories,
        all,
    ] = node.fields([
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
    ])?;
    let listing = listing([own_id, title, price, in_stock, quantity]);
    let variants = variants(&all);
    let old_price = old_price.optional(money);
    let description = description.optional(text(DESCRIPTION_READ));
    let (photo, link) = (image.optional(photo), page.optional(link));
    let currency = code.optional(currency);
    let categories = categories.optional_node();
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

/// Reads the variants; `None` if there are some and none is usable.
fn variants(field: &Field<'_, '_>) -> Option<Vec<Variant>> {
    let Some(node) = field.optional_node() else { return Some(Vec::new()) };
    node.usable(MAX_VARIANTS, |item| variant(&item))
}

fn variant(node: &Node<'_, '_>) -> Option<Variant> {
    let [own_id, title, price, in_stock, quantity, options] =
        node.fields(["id", "title", "price", "inStock", "quantity", "options"])?;
    let listing = listing([own_id, title, price, in_stock, quantity]);
    let options = options.optional_node().and_then(|options| options.members(MOST_OPTIONS, option));
    Some(Variant { listing: listing?, options: options.unwrap_or_default() })
}

/// Reads an option; its value, such as a size, is often a number.
fn option(name: &str, node: Node<'_, '_>) -> Option<(PlainText, PlainText)> {
    let value = node.value(|value| {
        let written = string(value).or_else(|_| number(value).map(Cow::Borrowed))?;
        PlainText::read(&written, LONGEST_TITLE).ok_or(Why::NotAllowed)
    });
    Some((PlainText::read(name, LONGEST_TITLE)?, value?))
}

fn listing([own_id, title, price, in_stock, quantity]: [Field<'_, '_>; 5]) -> Option<Listing> {
    let (id, title) = (own_id.required(id), title.required(text(LONGEST_TITLE)));
    let (price, in_stock) = (price.required(money), in_stock.required(boolean));
    let quantity = quantity.optional(integer);
    Some(Listing {
        id: id?,
        title: title?,
        price: price?,
        availability: Availability::of(in_stock?, quantity),
    })
}
