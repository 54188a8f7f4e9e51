//! For tests: the types of statements' values, read from the messages that prepare them.

use bytes::BytesMut;

const PARSE: u8 = b'P';
/// Bytes of a message's length, which counts itself.
const LENGTH: usize = 4;

/// Bytes sent by a connection. The first message has no kind.
#[derive(Default)]
pub(super) struct Sent {
    under_way: BytesMut,
    has_begun: bool,
}

impl Sent {
    pub(super) fn take(&mut self, bytes: &[u8], keep: impl Fn(&str, &[u32])) {
        self.under_way.extend_from_slice(bytes);
        loop {
            let head = usize::from(self.has_begun) + LENGTH;
            let Some(length) = self.under_way.get(head - LENGTH..).and_then(<[u8]>::first_chunk) else {
                return;
            };
            let rest = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let whole = head.saturating_add(rest.saturating_sub(LENGTH));
            if self.under_way.len() < whole {
                return;
            }
            let message = self.under_way.split_to(whole);
            if self.has_begun
                && message.first() == Some(&PARSE)
                && let Some((text, types)) = message.get(head..).and_then(statement)
            {
                keep(text, &types);
            }
            self.has_begun = true;
        }
    }
}

fn statement(message: &[u8]) -> Option<(&str, Vec<u32>)> {
    let mut texts = message.splitn(3, |byte| *byte == 0);
    let (_name, text, rest) = (texts.next()?, texts.next()?, texts.next()?);
    let (_count, types) = rest.split_first_chunk::<2>()?;
    let types = types.as_chunks().0.iter().map(|number| u32::from_be_bytes(*number)).collect();
    Some((str::from_utf8(text).ok()?, types))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::Sent;

    fn message(kind: &[u8], rest: &[u8]) -> Vec<u8> {
        let length = u32::try_from(rest.len() + 4).unwrap().to_be_bytes();
        [kind, &length, rest].concat()
    }

    #[test]
    fn a_statement_s_types_are_read_however_it_is_sent() {
        let sent = [
            message(b"", b"user\0PPPP\0\0"),
            message(b"Q", b"SELECT 1\0"),
            message(b"P", b"s0\0SELECT $1, $2\0\0\x02\0\0\x0b\x86\0\0\0\x19"),
            message(b"S", b""),
            message(b"P", b"\0COMMIT\0\0\0"),
        ]
        .concat();
        for size in [1, 3, 7, sent.len()] {
            let (mut reader, kept) = (Sent::default(), RefCell::new(Vec::new()));
            for piece in sent.chunks(size) {
                reader.take(piece, |text, types| kept.borrow_mut().push((text.to_owned(), types.to_vec())));
            }
            let wanted = [("SELECT $1, $2".to_owned(), vec![2950, 25]), ("COMMIT".to_owned(), Vec::new())];
            assert_eq!(kept.into_inner(), wanted, "{size}");
        }
    }
}
