//! Links in a text: whatever a phone would make one of.

const SCHEMES: [&str; 4] = ["http:", "https:", "www.", "wa.me"];
/// Endings of names that people follow without a scheme.
const ENDS: [&str; 34] = [
    "com", "net", "org", "iq", "io", "me", "shop", "store", "co", "link", "app", "info", "ly", "example",
    "xyz", "site", "online", "website", "dev", "ai", "biz", "click", "cloud", "krd", "ru", "tk", "gl", "gg",
    "cc", "ws", "sa", "ae", "jo", "ir",
];
/// Characters around a name, or between it and what it is glued to.
const AROUND: &str = "(),;:|\"<>[]{}*";

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
        let found = links_in(bare);
        rest.push_str(if found.is_empty() { word } else { " " });
        links.extend(found.into_iter().map(str::to_owned));
    }
    (rest, links)
}

fn links_in(word: &str) -> Vec<&str> {
    let lower = word.to_lowercase();
    if SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) || lower.contains("://") {
        return vec![word];
    }
    let parts = word.split(|c: char| !c.is_ascii() || AROUND.contains(c));
    parts.filter(|part| is_named_host(&part.to_lowercase())).collect()
}

/// Returns whether it is the name of a host, by its end or by the path after it.
fn is_named_host(part: &str) -> bool {
    let (host, path) = part.split_once(['/', '?', '#']).unwrap_or((part, ""));
    let Some((name, end)) = host.rsplit_once('.') else { return false };
    let is_name = name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && end.len() >= 2
        && end.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name && (!path.is_empty() || ENDS.contains(&end))
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
            ("t.me/shop", &["t.me/shop"]),
            ("راسلنا t.me", &["t.me"]),
            ("youtu.be/abc", &["youtu.be/abc"]),
            ("Evil.XYZ", &["Evil.XYZ"]),
            ("evil.online/pay?x=1", &["evil.online/pay?x=1"]),
            ("الموقع:evil.com", &["evil.com"]),
            ("ادفع،evil.site:8080/pay", &["evil.site"]),
            ("pay@evil.com", &["pay@evil.com"]),
            ("shop.iq,evil.com", &["shop.iq", "evil.com"]),
            ("سعره 15.500 فقط. شكرا", &[]),
            ("2.5kg/pack", &[]),
            ("9 a.m./5 p.m.", &[]),
            ("15,000 د.ع/كغم", &[]),
            ("e.g. milk, v1.2, Node.js", &[]),
            ("متوفر.هلا بيك", &[]),
        ] {
            assert_eq!(without_links(text).1, links, "{text}");
        }
    }
}
