//! Counting of what comes over one connection.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;

use crate::{
    error::TooMuch,
    head::{HeadScan, begins_request},
};

/// Bytes that a connection may read before it yields to others.
pub const TURN: usize = 64 * 1024;
/// Most bytes before TLS is agreed on; a chain of certificates has a few thousand.
const HANDSHAKE_BYTES: usize = 128 * 1024;

/// Bytes that have come since the last request began, and their bound.
#[derive(Debug)]
pub(crate) struct Tally {
    come: AtomicUsize,
    most: AtomicUsize,
}

impl Tally {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { come: AtomicUsize::default(), most: AtomicUsize::new(most) })
    }

    pub(crate) fn of_handshake() -> Arc<Self> {
        Self::new(HANDSHAKE_BYTES)
    }

    /// Counts anew, up to `most`.
    pub(crate) fn restart(&self, most: usize) {
        self.come.store(0, Ordering::Relaxed);
        self.most.store(most, Ordering::Relaxed);
    }

    fn count(&self, bytes: usize) -> Result<(), TooMuch> {
        let come = self.come.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if come > self.most.load(Ordering::Relaxed) { Err(TooMuch) } else { Ok(()) }
    }
}

/// A connection below its encryption, which counts what comes and yields to others.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    tally: Arc<Tally>,
    /// Bytes read since the last yield.
    since_turn: usize,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream, tally: Arc<Tally>) -> Self {
        Self { stream, tally, since_turn: 0 }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        if wire.since_turn >= TURN {
            wire.since_turn = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let length = buffer.remaining().min(TURN);
        let mut piece = ReadBuf::new(buffer.initialize_unfilled_to(length));
        let polled = Pin::new(&mut wire.stream).poll_read(context, &mut piece);
        let come = piece.filled().len();
        if polled.is_pending() {
            wire.since_turn = 0;
        }
        ready!(polled)?;
        buffer.advance(come);
        wire.since_turn += come;
        Poll::Ready(wire.tally.count(come).map_err(io::Error::from))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// A connection in plain text, with or without TLS below.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {
    /// Returns whether both sides agreed on HTTP/2.
    fn is_http2(&self) -> bool {
        false
    }
}

impl Stream for Wire {}

impl Stream for TlsStream<Wire> {
    fn is_http2(&self) -> bool {
        self.get_ref().1.alpn_protocol() == Some(b"h2")
    }
}

/// A connection above its encryption, which follows the answers on it.
pub(crate) struct Answers {
    stream: Box<dyn Stream>,
    tally: Arc<Tally>,
    /// Largest answer on the wire, in bytes.
    most: usize,
    scan: HeadScan,
}

impl Answers {
    pub(crate) fn plain(wire: Wire, most: usize) -> Self {
        let tally = Arc::clone(&wire.tally);
        Self { stream: Box::new(wire), tally, most, scan: HeadScan::over() }
    }

    pub(crate) fn encrypted(stream: TlsStream<Wire>, most: usize) -> Self {
        let tally = Arc::clone(&stream.get_ref().0.tally);
        if stream.is_http2() {
            // Many answers share the connection, each bounded by its caller and its head by the library.
            tally.restart(usize::MAX);
        }
        Self { stream: Box::new(stream), tally, most, scan: HeadScan::over() }
    }

    /// Expects a head if `bytes` begin a request.
    fn note_sent(&mut self, bytes: &[u8]) {
        if self.scan.is_over() && begins_request(bytes) && !self.stream.is_http2() {
            self.scan = HeadScan::default();
            self.tally.restart(self.most);
        }
    }
}

impl Connection for Answers {
    fn connected(&self) -> Connected {
        let connected = Connected::new();
        if self.stream.is_http2() { connected.negotiated_h2() } else { connected }
    }
}

impl AsyncRead for Answers {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let answers = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut answers.stream).poll_read(context, buffer))?;
        let come = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(answers.scan.take(come).map_err(io::Error::from))
    }
}

impl AsyncWrite for Answers {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let answers = self.get_mut();
        answers.note_sent(bytes);
        Pin::new(&mut answers.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let answers = self.get_mut();
        if let Some(first) = slices.first() {
            answers.note_sent(first);
        }
        Pin::new(&mut answers.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
