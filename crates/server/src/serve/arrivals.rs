//! Connections that arrive at a listener which is about to close.

use std::{io, net::TcpListener, time::Duration};

use socket2::Socket;

/// Time for connections that have arrived to be accepted.
const LET_IN: Duration = Duration::from_millis(200);

/// A listener whose connections are accepted elsewhere. Closed at once, it would have the system reset those
/// that have arrived and were not accepted yet: a proxy that has sent a request on one cannot send it again
/// elsewhere.
#[derive(Debug)]
pub(super) struct Arrivals(Socket);

impl Arrivals {
    pub(super) fn of(listener: &TcpListener) -> io::Result<Self> {
        Ok(Self(Socket::from(listener.try_clone()?)))
    }

    /// Lets nobody arrive any more, and waits until those that have are accepted. Newcomers meanwhile get no
    /// answer, try again after a second as TCP does, and then find the listener closed.
    pub(super) async fn end(self) {
        if self.ignore_newcomers().is_ok() {
            tokio::time::sleep(LET_IN).await;
        }
    }

    /// Drops each segment that would open a connection (SYN, in the fourteenth byte of TCP's header) and lets
    /// all others pass.
    #[cfg(target_os = "linux")]
    fn ignore_newcomers(&self) -> io::Result<()> {
        use socket2::SockFilter;
        const LOAD_BYTE: u16 = 0x30;
        const JUMP_IF_SET: u16 = 0x45;
        const RETURN: u16 = 0x06;
        self.0.attach_filter(&[
            SockFilter::new(LOAD_BYTE, 0, 0, 13),
            SockFilter::new(JUMP_IF_SET, 0, 1, 0x02),
            SockFilter::new(RETURN, 0, 0, 0),
            SockFilter::new(RETURN, 0, 0, u32::MAX),
        ])
    }

    #[cfg(not(target_os = "linux"))]
    fn ignore_newcomers(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream,
    };

    use super::*;

    #[tokio::test]
    async fn who_has_arrived_is_served_and_who_comes_later_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut arrived = TcpStream::connect(address).unwrap();
        let ending = tokio::spawn(Arrivals::of(&listener).unwrap().end());
        tokio::time::sleep(LET_IN / 4).await;
        let late = std::thread::spawn(move || TcpStream::connect(address).map_err(|error| error.kind()));
        let (mut taken, _) = listener.accept().unwrap();
        ending.await.unwrap();
        drop(listener);
        arrived.write_all(b"ask").unwrap();
        let mut asked = [0; 3];
        taken.read_exact(&mut asked).unwrap();
        assert_eq!(&asked, b"ask");
        assert_eq!(late.join().unwrap().unwrap_err(), io::ErrorKind::ConnectionRefused);
    }
}
