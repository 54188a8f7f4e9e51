//! Products, with what a customer may hear of them.

use super::availability::Availability;
use crate::{
    currency::Currency,
    external_id::ExternalId,
    link::{PhotoUrl, WebLink},
    money::Money,
    text::PlainText,
};

/// Characters that are read of a description.
pub const DESCRIPTION_READ: usize = 400;
/// Characters that are read of a title, an option or a category.
pub const LONGEST_TITLE: usize = 200;
/// Most products that a search asks for.
pub const MAX_SEARCH_LIMIT: u8 = 50;
/// Most products that are read of a search's answer: four times what was asked for, since that number is only
/// a hint.
pub const MAX_SEARCH_RESULTS: usize = 200;
/// Most variants that are read of a product.
pub const MAX_VARIANTS: usize = 100;

/// What a product and a variant have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The system's id, by which it is ordered.
    pub id: ExternalId,
    /// [`LONGEST_TITLE`] characters at most.
    pub title: PlainText,
    pub price: Money,
    pub availability: Availability,
}

/// A product of the workspace's system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// A product with variants is ordered by theirs.
    pub listing: Listing,
    /// Beginning of the description, [`DESCRIPTION_READ`] characters at most.
    pub description: Option<PlainText>,
    /// Old price, always higher than the price.
    compare_at: Option<Money>,
    /// Currency of its prices; `None` for the system's.
    pub currency: Option<Currency>,
    pub photo: Option<PhotoUrl>,
    pub link: Option<WebLink>,
    pub categories: Vec<PlainText>,
    /// [`MAX_VARIANTS`] at most.
    pub variants: Vec<Variant>,
}

impl Product {
    /// Makes a product of which only what is required is known.
    pub const fn of(listing: Listing) -> Self {
        Self {
            listing,
            description: None,
            compare_at: None,
            currency: None,
            photo: None,
            link: None,
            categories: Vec::new(),
            variants: Vec::new(),
        }
    }

    /// Sets the old price; one that is not higher than the price is dropped.
    pub fn compared_with(self, old: Option<Money>) -> Self {
        Self { compare_at: old.filter(|old| *old > self.listing.price), ..self }
    }

    /// Returns the old price, which is always higher than the price.
    pub const fn discounted_from(&self) -> Option<&Money> {
        self.compare_at.as_ref()
    }

    /// Lists what can be ordered: the variants, or the product if it has none.
    pub fn orderable(&self) -> impl Iterator<Item = &Listing> {
        let own = self.variants.is_empty().then_some(&self.listing);
        own.into_iter().chain(self.variants.iter().map(|variant| &variant.listing))
    }
}

/// One of the forms that a product comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    pub listing: Listing,
    /// Names and values, such as of a size.
    pub options: Vec<(PlainText, PlainText)>,
}

/// A question to a system's search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductQuery {
    pub words: PlainText,
    /// Number of products to ask for, [`MAX_SEARCH_LIMIT`] at most.
    pub limit: u8,
    pub category: Option<PlainText>,
}

#[cfg(test)]
mod tests {
    use super::{Availability, ExternalId, Listing, Money, PlainText, Product, Variant};

    fn listing(id: &str, price: &str) -> Listing {
        Listing {
            id: ExternalId::of_text(id).unwrap(),
            title: PlainText::read("حليب", 200).unwrap(),
            price: Money::of_number(price).unwrap(),
            availability: Availability::In,
        }
    }

    #[test]
    fn only_a_higher_old_price_is_a_discount() {
        for (price, old, shown) in [
            ("1000", Some("1500"), Some("1500")),
            ("1000", Some("1000"), None),
            ("1000", Some("1000.00"), None),
            ("1000", Some("999.99"), None),
            ("9", Some("10"), Some("10")),
            ("1000", None, None),
        ] {
            let old = old.map(|old| Money::of_number(old).unwrap());
            let product = Product::of(listing("1", price)).compared_with(old);
            assert_eq!(product.discounted_from().map(Money::as_str), shown);
        }
    }

    #[test]
    fn a_product_is_ordered_by_its_variants_or_else_by_its_own_id() {
        let ids = |product: &Product| -> Vec<String> {
            product.orderable().map(|listing| listing.id.as_str().to_owned()).collect()
        };
        let plain = Product::of(listing("1", "5"));
        assert_eq!(ids(&plain), ["1"]);
        let variants = vec![Variant { listing: listing("2", "5"), options: vec![] }];
        assert_eq!(ids(&Product { variants, ..plain }), ["2"]);
    }
}
