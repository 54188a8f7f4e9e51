//! The SQLSTATE in front of each error's message.
//!
//! Diesel passes on an error's message and not its SQLSTATE, and the message is in the server's language. So
//! the SQLSTATE is prepended to the message as it comes in: `53100 could not extend file …`.

#[cfg(feature = "testing")]
mod prepared;

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BufMut, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsStream};

const READ: usize = 8 * 1024;
/// Bytes of a message's head: its kind and its length.
const HEAD: usize = 5;
const ERROR: u8 = b'E';
/// Longest error that is changed; longer ones are passed on as they are.
const LONGEST: usize = 1024 * 1024;

/// A connection whose error messages begin with their SQLSTATE.
pub(crate) struct Stated<S> {
    inner: S,
    #[cfg(feature = "testing")]
    sent: prepared::Sent,
    space: Box<[u8]>,
    answers: Answers,
    ended: bool,
}

impl<S> Stated<S> {
    pub(super) fn over(inner: S) -> Self {
        Self {
            inner,
            #[cfg(feature = "testing")]
            sent: prepared::Sent::default(),
            space: vec![0; READ].into(),
            answers: Answers::default(),
            ended: false,
        }
    }
}

#[derive(Default)]
struct Answers {
    came: BytesMut,
    passed_on: BytesMut,
    rest: usize,
}

impl Answers {
    fn take(&mut self, bytes: &[u8]) {
        self.came.extend_from_slice(bytes);
        while !self.came.is_empty() {
            if self.rest > 0 {
                let now = self.came.split_to(self.rest.min(self.came.len()));
                self.rest -= now.len();
                self.passed_on.unsplit(now);
                continue;
            }
            let Some((&[kind, ref length @ ..], _)) = self.came.split_first_chunk::<HEAD>() else { return };
            let length: [u8; 4] = *length;
            let whole = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX).saturating_add(1);
            if kind != ERROR || !(HEAD..=LONGEST).contains(&whole) {
                self.rest = whole.max(HEAD);
                continue;
            }
            if self.came.len() < whole {
                return;
            }
            let mut message = self.came.split_to(whole);
            message.advance(HEAD);
            let fields = stated(&message).unwrap_or_else(|| message.to_vec());
            self.passed_on.put_u8(ERROR);
            self.passed_on.put_u32(u32::try_from(fields.len() + 4).unwrap_or(u32::MAX));
            self.passed_on.extend_from_slice(&fields);
        }
    }

    /// Passes on an incomplete message at the end of the stream.
    fn end(&mut self) {
        self.passed_on.unsplit(self.came.split());
    }
}

/// Prepends the SQLSTATE to the message among an error's fields; `None` if they are malformed.
fn stated(fields: &[u8]) -> Option<Vec<u8>> {
    let texts = || fields.split(|byte| *byte == 0);
    let state = texts().find_map(|text| text.strip_prefix(b"C"))?;
    let mut stated = Vec::with_capacity(fields.len() + state.len() + 1);
    // The last field is followed by one more zero byte.
    for text in texts().take_while(|text| !text.is_empty()) {
        if let Some(words) = text.strip_prefix(b"M") {
            stated.push(b'M');
            stated.extend_from_slice(state);
            stated.push(b' ');
            stated.extend_from_slice(words);
        } else {
            stated.extend_from_slice(text);
        }
        stated.push(0);
    }
    stated.push(0);
    Some(stated)
}

impl<S: AsyncRead + Unpin> AsyncRead for Stated<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { inner, space, answers, ended, .. } = self.get_mut();
        while answers.passed_on.is_empty() && !*ended {
            let mut read = ReadBuf::new(space);
            ready!(Pin::new(&mut *inner).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                *ended = true;
                answers.end();
            } else {
                answers.take(read.filled());
            }
        }
        let now = answers.passed_on.split_to(answers.passed_on.len().min(buffer.remaining()));
        buffer.put_slice(&now);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stated<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write(context, bytes);
        #[cfg(feature = "testing")]
        if let Poll::Ready(Ok(count)) = &written {
            this.sent.take(bytes.get(..*count).unwrap_or_default(), crate::recorded::keep_types);
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(context)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Stated<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.inner.channel_binding()
    }
}

#[cfg(test)]
mod tests {
    use super::Answers;

    fn message(kind: u8, rest: &[u8]) -> Vec<u8> {
        let mut message = vec![kind];
        message.extend(u32::try_from(rest.len() + 4).unwrap().to_be_bytes());
        message.extend(rest);
        message
    }

    const FULL: &[u8] = b"SFEHLER\0VERROR\0C53100\0MPlatte voll\0Fmd.c\0\0";
    const SAYS: &[u8] = b"SFEHLER\0VERROR\0C53100\0M53100 Platte voll\0Fmd.c\0\0";

    fn passed_on(came: &[u8], size: usize) -> Vec<u8> {
        let mut answers = Answers::default();
        came.chunks(size).for_each(|piece| answers.take(piece));
        answers.end();
        answers.passed_on.to_vec()
    }

    #[test]
    fn an_error_says_its_state_and_everything_else_is_as_it_was_however_it_comes() {
        let row = message(b'D', &[b'E'; 300]);
        let ready = message(b'Z', b"I");
        let came = [row.clone(), message(b'E', FULL), ready.clone(), message(b'C', b"")].concat();
        let wanted = [row, message(b'E', SAYS), ready, message(b'C', b"")].concat();
        for size in [1, 2, 4, 5, 6, 7, 64, 1000, came.len()] {
            assert_eq!(passed_on(&came, size), wanted, "{size}");
        }
    }

    #[test]
    fn what_is_no_error_as_it_should_be_and_what_breaks_off_is_passed_on() {
        let odd = message(b'E', b"Mno state\0\0");
        assert_eq!(passed_on(&odd, 3), odd);
        let half = &message(b'E', FULL)[..20];
        assert_eq!(passed_on(half, 7), half);
        let (mut huge, zero) = (vec![b'E', 0xff, 0xff, 0xff, 0xff], vec![b'E', 0, 0, 0, 0]);
        huge.extend([7; 100]);
        assert_eq!(passed_on(&huge, 9), huge);
        assert_eq!(passed_on(&zero, 1), zero);
    }
}
