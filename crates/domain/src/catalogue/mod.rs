//! What a shop sells, as its own system says at the moment it is asked.

mod availability;
mod money;
mod product;
pub mod search;

pub use availability::Availability;
pub use money::Money;
pub use product::{
    DESCRIPTION_READ, LONGEST_TITLE, Listing, MAX_SEARCH_LIMIT, MAX_SEARCH_RESULTS, MAX_VARIANTS, Product,
    ProductQuery, Variant,
};
