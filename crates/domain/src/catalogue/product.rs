//! A product, with what a customer may hear of it.

use super::{Availability, Money};
use crate::{
    systems::{Currency, ExternalId, PhotoUrl, WebLink},
    text::PlainText,
};

/// So many characters are read of a description.
pub const DESCRIPTION_READ: usize = 400;
/// So many characters are read of a title, an option or a category.
pub const LONGEST_TITLE: usize = 200;
/// A search asks for at most so many products.
pub const MAX_SEARCH_LIMIT: u8 = 50;
/// Products that are read of a search's answer: four times what was asked for, since the number is only a hint.
pub const MAX_SEARCH_RESULTS: usize = 200;
/// So many variants are read of a product.
pub const MAX_VARIANTS: usize = 100;

/// A product and a variant have this in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// It is the system's id, by which it is ordered.
    pub id: ExternalId,
    /// It has [`LONGEST_TITLE`] characters at most.
    pub title: PlainText,
    pub price: Money,
    pub availability: Availability,
}

/// It is a product of the workspace's system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// It is its id, title, price and availability. A product that has variants is ordered by theirs.
    pub listing: Listing,
    /// It is the beginning, [`DESCRIPTION_READ`] characters at most.
    pub description: Option<PlainText>,
    /// It is the old price; see [`Product::discounted_from`].
    compare_at: Option<Money>,
    /// Its prices are in this currency, where it is another than the system's.
    pub currency: Option<Currency>,
    /// It is a photo to send.
    pub photo: Option<PhotoUrl>,
    /// It is a page to open.
    pub link: Option<WebLink>,
    /// It is filed there.
    pub categories: Vec<PlainText>,
    /// There are [`MAX_VARIANTS`] at most.
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

    /// Returns the same with an old price; one that is not higher is none.
    pub fn compared_with(self, old: Option<Money>) -> Self {
        Self { compare_at: old.filter(|old| *old > self.listing.price), ..self }
    }

    /// Returns the price before its discount, which is always higher than the price.
    pub const fn discounted_from(&self) -> Option<&Money> {
        self.compare_at.as_ref()
    }

    /// Lists what can be named in an order.
    pub fn orderable(&self) -> impl Iterator<Item = &Listing> {
        let own = self.variants.is_empty().then_some(&self.listing);
        own.into_iter().chain(self.variants.iter().map(|variant| &variant.listing))
    }
}

/// It is one of the forms that a product comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// It has the variant's id, title, price and availability.
    pub listing: Listing,
    /// They are such as a size: the option's name and its value.
    pub options: Vec<(PlainText, PlainText)>,
}

/// A system's search is asked this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductQuery {
    pub words: PlainText,
    /// So many products are asked for; [`MAX_SEARCH_LIMIT`] at most are.
    pub limit: u8,
    /// Only products that are filed there are asked for.
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
