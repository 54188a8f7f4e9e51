//! Names of files from customers and members.

use crate::text::without_direction_controls;

/// Longest file name, in characters.
pub(super) const MAX_NAME_CHARS: usize = 240;

/// Returns the last part of a name that may hold a path, cut to the longest allowed, without characters that
/// would make it look like another name or end a line; `None` if nothing is left.
pub fn file_name(written: &str) -> Option<String> {
    let visible: String = without_direction_controls(written).chars().filter(|c| !c.is_control()).collect();
    let last = visible.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let name: String = last.chars().take(MAX_NAME_CHARS).collect();
    (!name.trim_matches('.').is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME_CHARS, file_name};

    #[test]
    fn of_a_path_the_last_part_is_left_and_of_a_name_what_shows() {
        let long = "a".repeat(MAX_NAME_CHARS + 1);
        for (written, wanted) in [
            ("../../../../etc/passwd", Some("passwd")),
            ("C:\\fakepath\\photo.jpg", Some("photo.jpg")),
            ("a\"\r\nSet-Cookie: x=1\r\n.pdf", Some("a\"Set-Cookie: x=1.pdf")),
            ("photo\u{202e}gpj.exe", Some("photogpj.exe")),
            (" فاتورة.pdf ", Some("فاتورة.pdf")),
            ("", None),
            ("a/", None),
            ("\0\n", None),
            ("..", None),
            (&long, long.get(1..)),
        ] {
            assert_eq!(file_name(written).as_deref(), wanted, "{written:?}");
        }
    }
}
