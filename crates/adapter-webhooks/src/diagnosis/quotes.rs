//! Quotation marks around what was copied with them.

/// Returns the text between a pair of quotes.
pub(super) fn unquoted(text: &str) -> Option<&str> {
    let within = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).or_else(|| within('`'))
}
