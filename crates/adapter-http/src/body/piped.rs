//! A body that is read while it comes, by a thread that may wait for it.

use std::io::{self, BufRead, Read};

use actix_web::{
    HttpRequest,
    web::{Buf, Bytes, Payload},
};
use domain::attachments::ports::{MediaBytes, MediaError};
use futures_util::{StreamExt, stream};
use tokio::{sync::mpsc, task::unconstrained};

use super::{READ_TIMEOUT, too_slow, unread, within};
use crate::problem::Problem;

/// Pieces that have come and wait for the reader.
const AHEAD: usize = 4;

/// What comes of a body.
enum Piece {
    Bytes(Bytes),
    /// All of it has come.
    End,
}

/// Where a body is put in.
pub(crate) struct Feed(mpsc::Sender<Piece>);

/// Where it is read. A body that broke off is an error, never an end.
pub(crate) struct Piped {
    pieces: mpsc::Receiver<Piece>,
    rest: Bytes,
    ended: bool,
}

/// Both ends of a body.
pub(crate) fn piped() -> (Feed, Piped) {
    let (feed, pieces) = mpsc::channel(AHEAD);
    (Feed(feed), Piped { pieces, rest: Bytes::new(), ended: false })
}

/// Puts a body in as it comes, as long as it is read. Each piece of it may take [`READ_TIMEOUT`].
pub(crate) async fn feed(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
    Feed(into): Feed,
) -> Result<(), Problem> {
    within(request, limit)?;
    let mut left = limit;
    while let Some(piece) =
        tokio::time::timeout(READ_TIMEOUT, payload.next()).await.map_err(|_| too_slow())?
    {
        let piece = piece.map_err(|error| unread(&error))?;
        left = left.checked_sub(piece.len()).ok_or_else(|| Problem::too_large(limit))?;
        if into.send(Piece::Bytes(piece)).await.is_err() {
            return Ok(());
        }
    }
    // Nobody is there to hear it where the reader has given up, which it tells itself.
    let _ = into.send(Piece::End).await;
    Ok(())
}

impl Piped {
    /// The same as a stream, for who need not wait on a thread.
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
