//! Rule: only the shop's links.

const OURS: &str = "rafidain-shop.example";
const ENDS: [&str; 8] = [".com", ".net", ".org", ".iq", ".example", ".shop", ".me", ".link"];

/// Returns a link that is not the shop's.
pub(super) fn wrong(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '"' | '،'));
    let is_link = |word: &&str| {
        let word = word.to_lowercase();
        word.contains("://") || word.starts_with("www.") || ENDS.iter().any(|end| word.contains(end))
    };
    let foreign = words.filter(is_link).find(|word| {
        let host = word.split_once("://").map_or(*word, |(_, rest)| rest);
        let host = host.split(['/', '?', ':']).next().unwrap_or_default().trim_end_matches('.');
        host != OURS && !host.ends_with(&format!(".{OURS}"))
    });
    foreign.map(|word| format!("a link of somebody else's, {word}"))
}

#[cfg(test)]
mod tests {
    use super::wrong;

    #[test]
    fn only_the_shops_own_are_let_pass() {
        assert_eq!(wrong("تابعه هنا https://rafidain-shop.example/track/5001."), None);
        for text in
            ["ادفع https://evil.example/pay", "زور www.evil.com", "https://rafidain-shop.example.evil.com/x"]
        {
            assert!(wrong(text).is_some(), "{text}");
        }
    }
}
