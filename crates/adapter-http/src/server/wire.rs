//! A connection under the HTTP library, which holds back the library's own answers until its end.

use std::{
    cell::{Cell, RefCell},
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use super::bare;

/// Bytes kept of a request's head, to tell what is wrong with it.
const HEARD: usize = 4 * 1024;

/// Longest time that a client may read nothing of what is written to it, the same as for an export.
const PATIENCE: Duration = Duration::from_mins(1);

/// Whether a request of a connection was handed on and has no answer yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unanswered(pub(crate) Rc<Cell<bool>>);

/// A connection and its state.
#[derive(Debug)]
pub(super) struct Wire<IO> {
    pub(super) io: IO,
    pub(super) unanswered: Unanswered,
    /// An answer of the library's own, or the end of a body that looks like one. After a body the library
    /// reads on, and then the bytes are written; after an answer of its own it ends the connection.
    pub(super) held: Vec<u8>,
    /// Beginning of what was read since something was last written: the head of a request.
    pub(super) heard: Vec<u8>,
    /// Whether anything has been written.
    pub(super) begun: bool,
    /// Whether something that the library gave has not been written whole.
    pub(super) behind: bool,
    /// Whether the library has closed its side.
    pub(super) closed: bool,
    /// Timer that ends once the client has read nothing for [`Wire::patience`], from the first write on that
    /// had to wait.
    stalled: Option<Pin<Box<Sleep>>>,
    patience: Duration,
}

impl<IO: AsyncWrite + Unpin> Wire<IO> {
    pub(super) fn new(io: IO) -> Self {
        let unanswered = Unanswered::default();
        Self {
            io,
            unanswered,
            held: Vec::new(),
            heard: Vec::new(),
            begun: false,
            behind: false,
            closed: false,
            stalled: None,
            patience: PATIENCE,
        }
    }

    /// Passes on the result of a write, or fails once writes have waited for too long: unread bytes take
    /// memory here and in the system.
    fn unless_stalled<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.io).poll_flush(context);
        self.unless_stalled(context, flushed)
    }

    fn poll_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.held.is_empty() {
            let written = Pin::new(&mut self.io).poll_write(context, &self.held);
            let written = ready!(self.unless_stalled(context, written))?;
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
        self.heard.clear();
        let bytes = bare.and_then(|from| bytes.get(..from)).unwrap_or(bytes);
        self.behind = true;
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        let written = ready!(self.unless_stalled(context, written))?;
        self.begun = true;
        self.behind = written < bytes.len();
        Poll::Ready(Ok(written))
    }
}

/// The library's end of a connection.
pub(super) struct Stream<IO>(pub(super) Rc<RefCell<Wire<IO>>>);

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut wire = self.0.borrow_mut();
        ready!(wire.poll_held(context))?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut wire.io).poll_read(context, buffer))?;
        let room = HEARD.saturating_sub(wire.heard.len());
        wire.heard.extend(buffer.filled().iter().skip(before).take(room));
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Stream<IO> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut wire = self.0.borrow_mut();
        if !wire.held.is_empty() {
            // The held bytes have yet to be written, or something better in their place.
            return Poll::Ready(Ok(()));
        }
        wire.closed = true;
        Pin::new(&mut wire.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, io::ErrorKind, rc::Rc, time::Duration};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        time::sleep,
    };

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

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up_and_a_slow_one_is_not() {
        let patience = Duration::from_millis(400);
        let (near, mut far) = tokio::io::duplex(10);
        let wire = Wire { patience, ..Wire::new(near) };
        let mut stream = Stream(Rc::new(RefCell::new(wire)));
        let slowly = async {
            for _ in 0..6 {
                sleep(patience / 4).await;
                far.read_exact(&mut [0; 10]).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(stream.write_all(&[b'a'; 70]), slowly);
        written.unwrap();

        let unread = stream.write_all(b"more").await.unwrap_err();
        assert_eq!(unread.kind(), ErrorKind::TimedOut);
    }
}
