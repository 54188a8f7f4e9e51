//! A connection under the HTTP library, which keeps what the library answers by itself to the end.

use std::{
    cell::{Cell, RefCell},
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::bare;

/// Whether a request of a connection was handed on and has no answer yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unanswered(pub(crate) Rc<Cell<bool>>);

/// A connection and what has become of it.
#[derive(Debug)]
pub(super) struct Wire<IO> {
    pub(super) io: IO,
    pub(super) unanswered: Unanswered,
    /// An answer of the library's, or the end of a body that looks like one. The library reads on after a body, and
    /// then it is written; after an answer of its own it ends the connection.
    pub(super) held: Vec<u8>,
    /// Whether anything has been written.
    pub(super) begun: bool,
    /// Whether something that the library gave has not been written whole.
    pub(super) behind: bool,
    /// Whether the library has closed its side.
    pub(super) closed: bool,
}

impl<IO: AsyncWrite + Unpin> Wire<IO> {
    pub(super) fn new(io: IO) -> Self {
        let unanswered = Unanswered::default();
        Self { io, unanswered, held: Vec::new(), begun: false, behind: false, closed: false }
    }

    fn poll_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.held.is_empty() {
            let written = ready!(Pin::new(&mut self.io).poll_write(context, &self.held))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.begun = true;
            self.held.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_held(context))?;
        let bare = bare::ending(bytes);
        if bare == Some(0) {
            self.held = bytes.to_vec();
            // If it was a body, reading on writes it.
            context.waker().wake_by_ref();
            return Poll::Ready(Ok(bytes.len()));
        }
        let bytes = bare.and_then(|from| bytes.get(..from)).unwrap_or(bytes);
        self.behind = true;
        let written = ready!(Pin::new(&mut self.io).poll_write(context, bytes))?;
        self.begun = true;
        self.behind = written < bytes.len();
        Poll::Ready(Ok(written))
    }
}

/// What the library is given of a connection.
pub(super) struct Stream<IO>(pub(super) Rc<RefCell<Wire<IO>>>);

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut wire = self.0.borrow_mut();
        ready!(wire.poll_held(context))?;
        Pin::new(&mut wire.io).poll_read(context, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Stream<IO> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0.borrow_mut().io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut wire = self.0.borrow_mut();
        if !wire.held.is_empty() {
            // What is held has yet to be written, or something better in its place.
            return Poll::Ready(Ok(()));
        }
        wire.closed = true;
        Pin::new(&mut wire.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::{Stream, Wire};

    const BARE: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";

    #[tokio::test]
    async fn what_looks_like_an_answer_of_the_library_is_held_until_it_reads_on() {
        let (near, mut far) = tokio::io::duplex(1_024);
        let wire = Rc::new(RefCell::new(Wire::new(near)));
        let mut stream = Stream(Rc::clone(&wire));
        stream.write_all(&[b"a body, ", BARE].concat()).await.unwrap();
        stream.flush().await.unwrap();
        let mut read = [0; 100];
        assert_eq!(far.read(&mut read).await.unwrap(), 8);
        assert_eq!(wire.borrow().held, BARE);
        far.write_all(b"more").await.unwrap();
        assert_eq!(stream.read(&mut read).await.unwrap(), 4);
        assert_eq!(far.read(&mut read).await.unwrap(), BARE.len());
        assert!(wire.borrow().held.is_empty());

        stream.write_all(BARE).await.unwrap();
        stream.write_all(b", and more").await.unwrap();
        assert_eq!(far.read(&mut read).await.unwrap(), BARE.len() + 10);
    }

    #[tokio::test]
    async fn what_is_held_at_the_end_is_left_to_whoever_ends_the_connection() {
        let (near, mut far) = tokio::io::duplex(1_024);
        let wire = Rc::new(RefCell::new(Wire::new(near)));
        let mut stream = Stream(Rc::clone(&wire));
        stream.write_all(BARE).await.unwrap();
        stream.shutdown().await.unwrap();
        drop(stream);
        let wire = Rc::into_inner(wire).unwrap().into_inner();
        assert!(wire.held == BARE && !wire.begun && !wire.closed);
        drop(wire);
        assert_eq!(far.read(&mut [0; 10]).await.unwrap(), 0, "nothing was written");
    }
}
