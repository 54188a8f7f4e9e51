//! Rules for a template that is created or changed.

pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 512 || !name.chars().all(valid) {
        return Err("Param name must be 1 to 512 lower-case letters, digits and underscores.".to_owned());
    }
    Ok(())
}

/// Checks the validity period against its range by category, in seconds (docs/run/networks.md, "Validity of
/// templates").
pub(crate) fn check_ttl(category: &str, seconds: i64) -> Result<(), String> {
    let (range, unlimited) = match category {
        "AUTHENTICATION" => (30..=900, true),
        "UTILITY" => (30..=43_200, true),
        _ => (43_200..=2_592_000, false),
    };
    if range.contains(&seconds) || (unlimited && seconds == -1) {
        return Ok(());
    }
    Err(format!(
        "Param message_send_ttl_seconds must be between {} and {} for the category {category}.",
        range.start(),
        range.end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_validity_period_has_a_range_for_each_category() {
        for (category, seconds, allowed) in [
            ("AUTHENTICATION", 29, false),
            ("AUTHENTICATION", 30, true),
            ("AUTHENTICATION", 900, true),
            ("AUTHENTICATION", 901, false),
            ("AUTHENTICATION", -1, true),
            ("UTILITY", 43_200, true),
            ("UTILITY", 43_201, false),
            ("MARKETING", 43_199, false),
            ("MARKETING", 2_592_000, true),
            ("MARKETING", -1, false),
        ] {
            assert_eq!(check_ttl(category, seconds).is_ok(), allowed, "{category} {seconds}");
        }
    }

    #[test]
    fn a_name_is_lower_case_letters_digits_and_underscores() {
        for (name, allowed) in [("order_ready_2", true), ("Order", false), ("", false), ("a-b", false)] {
            assert_eq!(check_name(name).is_ok(), allowed, "{name}");
        }
    }
}
