//! A body that is read while it comes, by a thread that may block.

use std::{
    io::{self, BufRead, Read},
    time::Duration,
};

use actix_web::{
    HttpRequest,
    web::{Buf, Bytes, Payload},
};
use domain::attachments::ports::{MediaBytes, MediaError};
use futures_util::{StreamExt, stream};
use tokio::{sync::mpsc, task::unconstrained, time::Instant};

use super::read::{READ_TIMEOUT, as_it_is, too_slow, unread, within};
use crate::problem::Problem;

/// Most pieces that wait for the reader.
const AHEAD: usize = 4;

enum Piece {
    Bytes(Bytes),
    /// The body is complete.
    End,
}

/// Writing end of a body.
pub(crate) struct Feed(mpsc::Sender<Piece>);

/// Reading end of a body. A body that broke off is an error, never an end.
pub(crate) struct Piped {
    pieces: mpsc::Receiver<Piece>,
    rest: Bytes,
    ended: bool,
}

/// Makes both ends of a body.
pub(crate) fn piped() -> (Feed, Piped) {
    let (feed, pieces) = mpsc::channel(AHEAD);
    (Feed(feed), Piped { pieces, rest: Bytes::new(), ended: false })
}

/// Least average rate of a client, in bytes a second, once [`READ_TIMEOUT`] is over: a slow drip would hold
/// its reader for as long as it likes.
const SLOWEST: u32 = 32 * 1024;

/// Writes a body as it comes, as long as it is read. Each piece may take [`READ_TIMEOUT`], and all together
/// that and a time that fits their size; the reader's own time is not counted.
pub(crate) async fn feed(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
    Feed(into): Feed,
) -> Result<(), Problem> {
    within(request, limit)?;
    as_it_is(request)?;
    let mut left = limit;
    let mut patience = Patience(READ_TIMEOUT);
    loop {
        let asked = Instant::now();
        let next = tokio::time::timeout(patience.for_a_piece(), payload.next());
        let Some(piece) = next.await.map_err(|_| too_slow())? else { break };
        let piece = piece.map_err(|error| unread(&error))?;
        patience.after(asked.elapsed(), piece.len());
        left = left.checked_sub(piece.len()).ok_or_else(|| Problem::too_large(limit))?;
        if into.send(Piece::Bytes(piece)).await.is_err() {
            return Ok(());
        }
    }
    // Fails if the reader has given up, which it reports itself.
    let _ = into.send(Piece::End).await;
    Ok(())
}

/// Time for which a client may still be waited for.
struct Patience(Duration);

impl Patience {
    /// Returns the time limit of one more piece.
    fn for_a_piece(&self) -> Duration {
        self.0.min(READ_TIMEOUT)
    }

    /// Takes off the wait for a piece and adds the time that its bytes earn.
    fn after(&mut self, waited: Duration, bytes: usize) {
        let earned = Duration::from_secs(1) * u32::try_from(bytes).unwrap_or(u32::MAX) / SLOWEST;
        self.0 = self.0.saturating_sub(waited) + earned;
    }
}

impl Piped {
    /// Returns the body as a stream, for readers that need no thread of their own.
    pub(crate) fn stream(self) -> MediaBytes {
        let next = |pieces: Option<mpsc::Receiver<Piece>>| async move {
            let mut pieces = pieces?;
            match pieces.recv().await {
                Some(Piece::Bytes(bytes)) => Some((Ok(bytes), Some(pieces))),
                Some(Piece::End) => None,
                None => Some((Err(MediaError::Passing("the body broke off".to_owned())), None)),
            }
        };
        stream::unfold(Some(self.pieces), next).boxed()
    }
}

impl BufRead for Piped {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.rest.is_empty() && !self.ended {
            // The runtime's budget is that of the task around, which would never be renewed in here.
            match pollster::block_on(unconstrained(self.pieces.recv())) {
                Some(Piece::Bytes(bytes)) => self.rest = bytes,
                Some(Piece::End) => self.ended = true,
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        Ok(&self.rest)
    }

    fn consume(&mut self, read: usize) {
        self.rest.advance(read.min(self.rest.len()));
    }
}

impl Read for Piped {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the pieces, of at most 10,000, that are waited for if each has this size and takes this long.
    fn pieces(bytes: usize, takes: Duration) -> usize {
        let mut patience = Patience(READ_TIMEOUT);
        (0..10_000)
            .take_while(|_| {
                let waited = patience.for_a_piece() >= takes;
                patience.after(takes, bytes);
                waited
            })
            .count()
    }

    #[test]
    fn a_slow_drip_is_cut_and_what_comes_fast_enough_may_take_its_time() {
        let second = Duration::from_secs(1);
        assert_eq!(pieces(1, 29 * second), 1);
        assert_eq!(pieces(1, second), 30);
        assert_eq!(pieces(16 * 1024, second), 59);
        assert_eq!(pieces(32 * 1024, second), 10_000);
        assert_eq!(pieces(1024 * 1024, 29 * second), 10_000);
        assert_eq!(pieces(1024 * 1024, 31 * second), 0, "a pause is a pause");
    }
}
