//! Products that a shop sells, as its own system describes them at the moment it is asked.

mod browse;
mod own_synonyms;
pub mod ports;
pub mod search;
mod show;
mod total;

pub use browse::{BrowseCatalogue, FoundProducts, LONGEST_QUESTION, MOST_FOUND};
pub use own_synonyms::{
    InvalidSynonyms, LONGEST_WORD, MOST_GROUPS, MOST_WORDS, ManageSynonyms, OwnSynonyms, SynonymsError,
};
pub use show::{ShowError, ShowProduct, ShowRequest, Shown};
