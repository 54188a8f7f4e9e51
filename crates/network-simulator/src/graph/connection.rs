//! The connection of a request, for the faults that cut it.

use std::any::Any;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;

use actix_web::HttpRequest;
use actix_web::dev::Extensions;

struct Connection(TcpStream);

/// Stores a second handle on a connection, so that a request on it can find it.
pub(crate) fn remember(io: &dyn Any, extensions: &mut Extensions) {
    if let Some(stream) = io.downcast_ref::<actix_web::rt::net::TcpStream>()
        && let Ok(handle) = stream.as_fd().try_clone_to_owned()
    {
        extensions.insert(Connection(TcpStream::from(handle)));
    }
}

/// Cuts the connection of a request: the client gets not a byte of an answer.
pub(crate) fn cut(request: &HttpRequest) {
    if let Some(Connection(stream)) = request.conn_data() {
        // Fails only if the connection has ended already.
        let _gone = stream.shutdown(Shutdown::Both);
    }
}
