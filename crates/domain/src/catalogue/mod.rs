//! Products that a shop sells, as its own system describes them at the moment it is asked.

mod availability;
mod browse;
mod money;
mod own_synonyms;
pub mod ports;
mod product;
pub mod search;
mod show;
mod total;

pub use availability::Availability;
pub use browse::{BrowseCatalogue, FoundProducts, LONGEST_QUESTION, MOST_FOUND};
pub use money::Money;
pub use own_synonyms::{
    InvalidSynonyms, LONGEST_WORD, MOST_GROUPS, MOST_WORDS, ManageSynonyms, OwnSynonyms, SynonymsError,
};
pub use product::{
    DESCRIPTION_READ, LONGEST_TITLE, Listing, MAX_SEARCH_LIMIT, MAX_SEARCH_RESULTS, MAX_VARIANTS, Product,
    ProductQuery, Variant,
};
pub use show::{ShowError, ShowProduct, ShowRequest, Shown};
