//! From a socket to a connection: encrypted or not, with the SQLSTATE in each error.

use std::{future::Future, io, pin::Pin};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_postgres::{
    Socket,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::states::Stated;

/// Request for TLS: its length, and the number that identifies it.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// Turns sockets into connections. The library takes it for a connector that starts TLS without asking the
/// server first, so every socket passes here; it asks by itself.
#[derive(Clone)]
pub(super) struct Connector {
    /// `None` for no encryption.
    pub(super) tls: Option<MakeRustlsConnect>,
    /// Whether to continue unencrypted if the server does not offer TLS.
    pub(super) open_if_not_offered: bool,
    /// Whether to start TLS without asking.
    pub(super) unasked: bool,
}

type Rustls = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;

pub(super) struct Handshake {
    tls: Option<Rustls>,
    open_if_not_offered: bool,
    unasked: bool,
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Stated<Wire>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        let make = |tls: &mut MakeRustlsConnect| MakeTlsConnect::<Socket>::make_tls_connect(tls, host);
        let tls = self.tls.as_mut().map(make).transpose().map_err(io::Error::other)?;
        Ok(Handshake { tls, open_if_not_offered: self.open_if_not_offered, unasked: self.unasked })
    }
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Stated<Wire>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stated<Wire>>> + Send>>;

    fn connect(self, mut socket: Socket) -> Self::Future {
        Box::pin(async move {
            let Some(tls) = self.tls else { return Ok(Stated::over(Wire::open(socket))) };
            if !self.unasked {
                socket.write_all(&SSL_REQUEST).await?;
                if socket.read_u8().await? != b'S' {
                    return if self.open_if_not_offered {
                        Ok(Stated::over(Wire::open(socket)))
                    } else {
                        Err(io::Error::other("the server does not offer TLS"))
                    };
                }
            }
            let encrypted = tls.connect(socket).await.map_err(io::Error::other)?;
            Ok(Stated::over(Wire(Box::new(encrypted))))
        })
    }
}

trait Stream: TlsStream + Unpin + Send {}

impl<S: TlsStream + Unpin + Send> Stream for S {}

pub(super) struct Wire(Box<dyn Stream>);

impl Wire {
    pub(super) fn open<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(socket: S) -> Self {
        Self(Box::new(Open(socket)))
    }
}

struct Open<S>(S);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Open<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl TlsStream for Wire {
    fn channel_binding(&self) -> ChannelBinding {
        self.0.channel_binding()
    }
}

macro_rules! passes_on {
    ($outer:ty $(, $generic:ident)?) => {
        impl $(<$generic: AsyncRead + Unpin>)? AsyncRead for $outer {
            fn poll_read(
                self: Pin<&mut Self>,
                context: &mut std::task::Context<'_>,
                buffer: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<io::Result<()>> {
                Pin::new(&mut self.get_mut().0).poll_read(context, buffer)
            }
        }

        impl $(<$generic: AsyncWrite + Unpin>)? AsyncWrite for $outer {
            fn poll_write(
                self: Pin<&mut Self>,
                context: &mut std::task::Context<'_>,
                bytes: &[u8],
            ) -> std::task::Poll<io::Result<usize>> {
                Pin::new(&mut self.get_mut().0).poll_write(context, bytes)
            }

            fn poll_flush(
                self: Pin<&mut Self>,
                context: &mut std::task::Context<'_>,
            ) -> std::task::Poll<io::Result<()>> {
                Pin::new(&mut self.get_mut().0).poll_flush(context)
            }

            fn poll_shutdown(
                self: Pin<&mut Self>,
                context: &mut std::task::Context<'_>,
            ) -> std::task::Poll<io::Result<()>> {
                Pin::new(&mut self.get_mut().0).poll_shutdown(context)
            }
        }
    };
}

passes_on!(Open<S>, S);
passes_on!(Wire);
