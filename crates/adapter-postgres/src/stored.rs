//! Values of columns that several nouns read or write.

use domain::{
    errors::StoreError,
    messages::{Context, words_of},
    phone::PhoneNumber,
};

use crate::error::unreadable;

pub(crate) fn parse_phone(stored: &str) -> Result<PhoneNumber, StoreError> {
    PhoneNumber::from_e164(stored).map_err(|_| unreadable("phone number"))
}

/// Parses a message's context; NULL stands for an empty one.
pub(crate) fn parse_context(stored: Option<serde_json::Value>) -> Result<Context, StoreError> {
    let parse = |stored| serde_json::from_value(stored).map_err(|_| unreadable("context"));
    stored.map_or_else(|| Ok(Context::default()), parse)
}

/// Returns the words that a message is searched by.
pub(crate) fn searchable_words(content: &str, transcription: Option<&str>) -> String {
    transcription.map_or_else(|| words_of(content), |spoken| words_of(&format!("{content}\n{spoken}")))
}
