//! Recognition of the answers that the HTTP library writes by itself.

/// Bound above the longest of these answers, in bytes.
const MOST: usize = 256;
const BEGINNING: &[u8] = b"HTTP/1.";

/// Returns where the library's own answer begins, if the bytes end with one.
pub(super) fn ending(bytes: &[u8]) -> Option<usize> {
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let from = bytes.len().saturating_sub(MOST);
    let at = bytes.get(from..)?.windows(BEGINNING.len()).rposition(|window| window == BEGINNING)?;
    status(bytes.get(from + at..)?)?;
    Some(from + at)
}

/// Returns the status if the head is the library's own: a failure without a body and without any header of
/// ours.
pub(super) fn status(head: &[u8]) -> Option<u16> {
    let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
    let status =
        lines.next()?.split(' ').nth(1)?.parse().ok().filter(|status| (400..600).contains(status))?;
    let is_empty = lines.next()? == "content-length: 0";
    let of_library = |line: &str| ["connection: ", "date: "].iter().any(|name| line.starts_with(name));
    (is_empty && lines.all(|line| line.is_empty() || of_library(line))).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::{ending, status};

    const BARE: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\
                        date: Sun, 22 Nov 2026 09:00:00 GMT\r\n\r\n";

    #[test]
    fn an_answer_of_the_library_is_found_wherever_it_ends_the_bytes() {
        let kept = BARE.replace("connection: close\r\n", "").replace("/1.1 431", "/1.0 400");
        for (before, bare, wanted) in [
            ("", BARE, 431),
            ("", kept.as_str(), 400),
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", BARE, 431),
            (&"x".repeat(5_000), BARE, 431),
            (BARE, BARE, 431),
        ] {
            let written = format!("{before}{bare}");
            assert_eq!(ending(written.as_bytes()), Some(before.len()), "{written}");
            assert_eq!(status(bare.as_bytes()), Some(wanted));
        }
    }

    #[test]
    fn no_answer_of_ours_looks_like_one() {
        for ours in [
            "",
            "\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
            "HTTP/1.1 204 No Content\r\ndate: Sun, 22 Nov 2026 09:00:00 GMT\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\ndate: Sun, 22 Nov 2026 09:00:00 GMT\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nx-content-type-options: nosniff\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 7\r\n\r\nab\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
        ] {
            assert_eq!(ending(ours.as_bytes()), None, "{ours}");
        }
        assert_eq!(ending(&BARE.as_bytes()[..BARE.len() - 1]), None);
        assert_eq!(ending(format!("{BARE}x").as_bytes()), None);
    }
}
