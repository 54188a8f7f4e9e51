//! Products that a shop sells, as its own system describes them at the moment it is asked.

mod browse;
mod manage_synonyms;
mod own_synonyms;
pub mod ports;
pub mod search;
mod show;
mod total;

pub use browse::{BrowseCatalogue, FoundProducts, LONGEST_QUESTION, MOST_FOUND};
pub use manage_synonyms::{ManageSynonyms, SynonymsError};
pub use own_synonyms::{InvalidSynonyms, LONGEST_WORD, MOST_GROUPS, MOST_WORDS, OwnSynonyms};
pub use show::{ShowError, ShowProduct, ShowRequest, Shown};
