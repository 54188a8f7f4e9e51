//! Search for products, and in texts, by what people write: Iraqi or standard Arabic, Latin letters, slips
//! and plurals.
//!
//! A shop's own search is asked with the words and, where that finds little, with [`variants`] of them
//! ([`find`]). The answers are ordered by [`rank`], which fuses three readings of the same words: light
//! stems, spelling, and sound in either script. Weak matches are labelled and never dropped. Texts are found
//! by the same readings ([`rank_texts`]).

mod asked;
mod features;
mod find;
mod lists;
mod rank;
mod script;
mod service;
mod skeleton;
mod spelling;
mod stem;
mod synonyms;
#[cfg(test)]
mod tests;
mod texts;
mod variants;
mod ways;
mod words;

pub use asked::question;
pub use find::{ENOUGH_STRONG, Found, find};
pub use rank::{Match, Ranked, rank};
pub use synonyms::Synonyms;
pub use texts::{Text, rank_texts};
pub use variants::{MAX_VARIANTS_ASKED, variants};
