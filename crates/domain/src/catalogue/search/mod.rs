//! Finding products by what people write: Iraqi or standard Arabic, Latin letters, slips and plurals.
//!
//! A shop's own search is asked with the words and, where that finds little, with [`variants`] of them; what comes back is
//! ordered by [`rank`], which fuses three readings of the same words: light stems, trigrams, and the consonants that a
//! word has in either script. Weak matches are labelled and never dropped.

mod features;
mod rank;
mod script;
mod skeleton;
mod stem;
mod synonyms;
#[cfg(test)]
mod tests;
mod variants;
mod words;

pub use rank::{Match, Ranked, rank};
pub use synonyms::Synonyms;
pub use variants::{MAX_VARIANTS_ASKED, variants};
