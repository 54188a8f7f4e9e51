//! The HTTP framework alone: a route that answers with bytes prepared before.

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
    /// Address that it answers at, whatever the path.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Bare {
    /// Starts a server that answers every request with `answer`.
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

    /// Stops the server.
    pub async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn same(answer: Data<Bytes>) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(Bytes::clone(&answer))
}
