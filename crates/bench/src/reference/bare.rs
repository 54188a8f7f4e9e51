//! The HTTP framework alone: a route that answers bytes which are there already.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::header::ContentType,
    web::{self, Bytes, Data},
};
use anyhow::Context;

/// A server with as many workers as the service has, in the bench's own process.
pub struct Bare {
    /// Where it answers, whatever the path.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Bare {
    /// Answers every request with these bytes.
    ///
    /// # Errors
    /// When no socket can be had.
    pub fn start(answer: Vec<u8>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("the bare route's socket")?;
        let address = listener.local_addr()?;
        let answer = Data::new(Bytes::from(answer));
        let server =
            HttpServer::new(move || App::new().app_data(answer.clone()).default_service(web::to(same)))
                .workers(std::thread::available_parallelism().map_or(1, usize::from))
                .disable_signals()
                .listen(listener)?
                .run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { address, handle })
    }

    /// Ends it.
    pub async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn same(answer: Data<Bytes>) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(Bytes::clone(&answer))
}
