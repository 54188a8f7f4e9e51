//! Links in a text: whatever a phone would make one of.

const SCHEMES: [&str; 4] = ["http:", "https:", "www.", "wa.me"];
/// People follow names that end like this without a scheme.
const ENDS: [&str; 14] = [
    ".com", ".net", ".org", ".iq", ".io", ".me", ".shop", ".store", ".co", ".link", ".app", ".info", ".ly",
    ".example",
];

/// Returns the text without its links, and these.
pub(in crate::assistant) fn without_links(text: &str) -> (String, Vec<String>) {
    let (mut rest, mut links) = (String::with_capacity(text.len()), Vec::new());
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word
            .trim()
            .trim_matches(['(', ')', '[', ']', '<', '>', '"', '«', '»', '،', ',', '!', '؟', '*', '_']);
        let bare = bare.trim_end_matches(['.', ':', ';', ')', ']']);
        // Words may be glued to a link.
        let bare = SCHEMES
            .iter()
            .filter_map(|scheme| bare.find(scheme))
            .min()
            .map_or(bare, |at| bare.split_at(at).1);
        let bare = bare.split_once("](").map_or(bare, |(_, link)| link);
        if is_link(bare) {
            links.push(bare.to_owned());
            rest.push(' ');
        } else {
            rest.push_str(word);
        }
    }
    (rest, links)
}

fn is_link(word: &str) -> bool {
    let lower = word.to_lowercase();
    let host = lower.split(['/', '?', '#']).next().unwrap_or_default();
    SCHEMES.iter().any(|scheme| lower.starts_with(scheme))
        || lower.contains("://")
        || (host.is_ascii() && host.len() > 4 && ENDS.iter().any(|end| host.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn whatever_a_phone_would_open_is_a_link() {
        for (text, links) in [
            ("شوف https://shop.example/p/1 هنا", &["https://shop.example/p/1"][..]),
            ("(https://shop.example/p/1).", &["https://shop.example/p/1"]),
            ("[هنا](https://evil.example/x)", &["https://evil.example/x"]),
            ("الرابط:https://evil.example", &["https://evil.example"]),
            ("evil.com/pay", &["evil.com/pay"]),
            ("wa.me/9647", &["wa.me/9647"]),
            ("سعره 15.500 فقط. شكرا", &[]),
        ] {
            assert_eq!(without_links(text).1, links, "{text}");
        }
    }
}
