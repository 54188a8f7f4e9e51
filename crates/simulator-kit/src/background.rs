//! A server on a thread of its own.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::rt::System;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

pub const WORKERS: usize = 2;
/// Longer than a client keeps an idle connection, so that none is closed while a request is being written.
pub const KEEP_ALIVE: Duration = Duration::from_mins(5);

/// Reason why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// The address is taken or belongs to another machine.
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    /// The server's thread could not be started, or ended before it was up.
    #[error("the server's thread did not start")]
    Thread(#[source] Option<io::Error>),
}

/// A running server. Ends when it is stopped or dropped.
#[derive(Debug)]
pub struct Background {
    address: SocketAddr,
    server: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts the server that `make` makes, on the thread of that name, and returns once it listens, with
    /// what `make` returns beside it. Any runtime may call it: the server has its own.
    pub async fn start<T, E>(
        name: &str,
        listen: SocketAddr,
        make: impl FnOnce(TcpListener, SocketAddr) -> Result<(T, Server), E> + Send + 'static,
    ) -> Result<(T, Self), E>
    where
        T: Send + 'static,
        E: From<NotStarted> + Send + 'static,
    {
        let listen_error = |source| NotStarted::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        let (report, started) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || run(|| make(listener, address), report))
            .map_err(|error| NotStarted::Thread(Some(error)))?;
        let (beside, server) = started.await.map_err(|_ended| NotStarted::Thread(None))??;
        Ok((beside, Self { address, server, thread: Some(thread) }))
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the server at once: open connections are closed.
    pub async fn stop(mut self) {
        self.server.stop(false).await;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended too.
            let _ended = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // The command is given at once; only its completion would be awaited.
        drop(self.server.stop(false));
    }
}

type Report<T, E> = oneshot::Sender<Result<(T, ServerHandle), E>>;

/// Runs the thread: its own runtime, so that neither the caller's kind nor its end matters.
fn run<T, E: From<NotStarted>>(make: impl FnOnce() -> Result<(T, Server), E>, report: Report<T, E>) {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _gone = report.send(Err(NotStarted::Thread(Some(error)).into()));
            return;
        }
    };
    System::with_tokio_rt(|| runtime).block_on(async move {
        match make() {
            Ok((beside, server)) => {
                // If the owner has gone meanwhile, dropping the handle stops the server.
                let _gone = report.send(Ok((beside, server.handle())));
                if let Err(error) = server.await {
                    tracing::error!(%error, "a simulator's server failed");
                }
            }
            Err(error) => {
                let _gone = report.send(Err(error));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpStream};

    use actix_web::{App, HttpResponse, HttpServer, web};

    use super::{Background, NotStarted, Server, SocketAddr, TcpListener};

    fn serve(listener: TcpListener, address: SocketAddr) -> Result<((), Server), NotStarted> {
        let server = HttpServer::new(|| App::new().route("/", web::get().to(HttpResponse::Ok)));
        let server = server.workers(1).disable_signals().listen(listener);
        Ok(((), server.map_err(|source| NotStarted::Listen { address, source })?.run()))
    }

    #[tokio::test]
    async fn a_server_listens_once_it_has_started_and_no_more_once_it_has_stopped() {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let ((), server) = Background::start("a server", free, serve).await.unwrap();
        let address = server.address();
        assert!(TcpStream::connect(address).is_ok());
        let taken = Background::start("another", address, serve).await.map(drop);
        assert!(matches!(taken, Err(NotStarted::Listen { .. })));
        server.stop().await;
        assert!(TcpStream::connect(address).is_err());
    }
}
