//! The style of all pages. It stands in every page that a browser loads: for a file of its own, the first
//! page would have to wait for another answer over a slow line.

use std::sync::LazyLock;

const WRITTEN: &str = include_str!("../assets/page.css");

/// Spaces that are there only for readers of the source.
const SPACES: [(&str, &str); 6] =
    [("; ", ";"), (": ", ":"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}")];

/// The style as a browser needs it: without comments, and without spaces that mean nothing.
static LEAN: LazyLock<String> = LazyLock::new(|| {
    let lines = WRITTEN.lines().map(str::trim).filter(|line| !is_comment(line) && !line.is_empty());
    let lean = |line: &str| SPACES.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
    lines.map(|line| lean(line) + "\n").collect()
});

/// Returns whether a line is nothing but a comment.
fn is_comment(line: &str) -> bool {
    line.starts_with("/*") && line.find("*/") == line.len().checked_sub(2)
}

/// Returns the style of all pages.
pub fn style() -> &'static str {
    &LEAN
}

#[cfg(test)]
mod tests {
    use super::{WRITTEN, is_comment, style};

    #[test]
    fn the_style_loses_comments_and_spaces_and_nothing_else() {
        let bare = |css: &str| css.split_whitespace().collect::<String>();
        let written: String =
            WRITTEN.lines().filter(|line| !is_comment(line.trim())).flat_map(|line| [line, "\n"]).collect();
        assert_eq!(bare(style()), bare(&written));
        assert!(!style().contains("/*"), "a comment has a line of its own");
        for (line, is) in
            [("/* One. */", true), ("/* One. */ a {", false), ("a { /* One. */", false), ("*/", false)]
        {
            assert_eq!(is_comment(line), is, "{line}");
        }
    }

    #[test]
    fn the_style_can_stand_in_a_page() {
        assert!(!style().contains("</"));
    }
}
