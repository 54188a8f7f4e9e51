//! The style. It stands in every page that a browser loads: a file of its own would have the first look at a page wait for
//! another answer of a slow line.

use std::sync::LazyLock;

const WRITTEN: &str = include_str!("../assets/page.css");

/// What a browser needs of it: neither comments nor what lines are indented by.
static LEAN: LazyLock<String> = LazyLock::new(|| {
    let lines = WRITTEN.lines().map(str::trim).filter(|line| !is_comment(line) && !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
});

/// Whether a line is nothing but a comment.
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
    fn the_style_loses_its_comments_and_indents_and_nothing_else() {
        let rules = |css: &str| css.matches('{').count();
        assert_eq!(rules(style()), rules(WRITTEN));
        assert!(!style().contains("/*") && !style().contains("\n "), "{}", style());
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
