//! Products and their variants.

use super::check::{Check, must, should};

pub(super) const CHECKS: &[Check] = &[
    must(
        "products.answer",
        "GET /products answers 200 with an object that has the list `products`.",
        "Answer {\"products\": [ … ]}, with an empty list where nothing fits.",
    ),
    should(
        "products.limit",
        "At most 50 products are answered.",
        "Stop at `limit`, and at 50 where it is larger.",
    ),
    must(
        "products.unique",
        "No two products of an answer have one id.",
        "Join the list so that each product is in it once.",
    ),
    must(
        "products.search",
        "A word of a product's title finds the product.",
        "Decode `q` as UTF-8 and look for it within titles.",
    ),
    should(
        "products.narrow",
        "A word that no product has does not find everything.",
        "Use `q`: with an answer to everything the service cannot tell that something is not sold.",
    ),
    must(
        "product.answer",
        "GET /products/{id} answers 200 with the product itself.",
        "Answer the product's object, not wrapped and not in a list.",
    ),
    must(
        "product.same",
        "GET /products/{id} answers the product of that id.",
        "Look the product up by the id that the list gives.",
    ),
    must(
        "product.unknown",
        "A product that does not exist is answered 404.",
        "Answer 404, not 200 with null or an empty object.",
    ),
    must("product.id", "A product has an `id`, text or number.", "Send the id that orders are to name."),
    must("product.title", "A product has a `title`.", "Send a text that is not blank."),
    must(
        "product.price",
        "`price` is a number of at least 0, without unit or formatting.",
        "Send 14500, not \"14,500 IQD\".",
    ),
    must(
        "product.in_stock",
        "`inStock` is true or false.",
        "Send a boolean: whether it can be sold right now.",
    ),
    must(
        "product.quantity",
        "`quantity` is a whole number or null.",
        "Send a number; leave it out where stock is not counted.",
    ),
    should(
        "product.stock",
        "What is in stock has a quantity above 0.",
        "Send inStock false with quantity 0; where stock is not counted, leave the quantity out.",
    ),
    must(
        "product.description",
        "`description` is plain text or null.",
        "Send one text without markup; 400 characters of it are read.",
    ),
    must(
        "product.compare_at_price",
        "`compareAtPrice` is a number or null.",
        "Send the old price as a number.",
    ),
    should(
        "product.discount",
        "`compareAtPrice` is higher than `price`; otherwise no discount is shown.",
        "Send the price before the discount, or null.",
    ),
    must(
        "product.currency",
        "A product's `currency` is an ISO 4217 code.",
        "Send the three letters, or leave it out.",
    ),
    must(
        "product.image",
        "`imageUrl` is an https address, for networks fetch photos from it.",
        "Send the whole https address of the photo, or null.",
    ),
    must(
        "product.url",
        "`url` is an address that the customer can open.",
        "Send the whole address, with https://, or null.",
    ),
    must(
        "product.categories",
        "`categories` is a list of texts.",
        "Send an array, with one text for each category.",
    ),
    must(
        "product.variants",
        "`variants` is a list of objects.",
        "Send an array; leave it out where there are none.",
    ),
    must("variant.id", "A variant has an `id`, text or number.", "Send the id that orders are to name."),
    must("variant.title", "A variant has a `title`.", "Send a text that is not blank, such as the size."),
    must(
        "variant.price",
        "A variant's `price` is a number of at least 0.",
        "Send a number, also where it is the product's own.",
    ),
    must("variant.in_stock", "A variant's `inStock` is true or false.", "Send a boolean with each variant."),
    must(
        "variant.quantity",
        "A variant's `quantity` is a whole number or null.",
        "Send a number, or leave it out.",
    ),
    must(
        "variant.options",
        "`options` maps an option's name to its value.",
        "Send an object such as {\"size\": \"42\"}.",
    ),
];
