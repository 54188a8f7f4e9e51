//! Loopback servers that flood their callers, on threads of their own: as fast as the machine allows.

use std::{
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// Bytes written at once.
const WRITTEN: usize = 256 * 1024;

/// How a server mistreats its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Endless interim answers.
    Interims,
    /// Endless fields of one head.
    Fields,
    /// An endless body.
    Body,
    /// An endless body in chunks of one byte.
    Crumbs,
    /// A compressed body of endless zeros.
    Bomb,
    /// A body of one byte a second.
    Drip,
    /// A connection reset in the middle of the request.
    Reset,
    /// Endless TLS records that agree on nothing.
    Hello,
    /// Endless lines of one reply of a mail server.
    Greeting,
}

impl Flood {
    /// Floods of servers that are called by HTTP.
    pub const OF_HTTP: [Self; 8] = [
        Self::Interims,
        Self::Fields,
        Self::Body,
        Self::Crumbs,
        Self::Bomb,
        Self::Drip,
        Self::Reset,
        Self::Hello,
    ];

    /// Returns the scheme of the address that brings the flood about.
    pub const fn scheme(self) -> &'static str {
        if matches!(self, Self::Hello) { "https" } else { "http" }
    }

    /// Returns the beginning, sent once, and the part that is repeated.
    fn bytes(self) -> (Vec<u8>, Vec<u8>) {
        let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let whole = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n";
        let (once, again): (String, Vec<u8>) = match self {
            Self::Interims => (String::new(), b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec()),
            Self::Fields => ("HTTP/1.1 200 OK\r\n".to_owned(), b"x-filler: nothing at all\r\n".to_vec()),
            Self::Body | Self::Drip => (format!("{whole}\r\n"), b"[".to_vec()),
            Self::Crumbs => (chunked.to_owned(), b"1\r\n[\r\n".to_vec()),
            Self::Bomb => return bomb(format!("{whole}content-encoding: gzip\r\n\r\n")),
            Self::Reset => (String::new(), Vec::new()),
            Self::Hello => {
                // A message longer than any handshake, over any number of records.
                let record =
                    |beginning: [u8; 4]| [&[22, 3, 3, 0x40, 0][..], &beginning, &[0; 0x4000 - 4]].concat();
                return (record([2, 0, 0xff, 0xff]), record([0; 4]));
            }
            Self::Greeting => (String::new(), b"220-welcome\r\n".to_vec()),
        };
        (once.into_bytes(), again)
    }
}

/// Returns endless zeros as a gzip stream: a literal, then match after match of 258 bytes at distance one, in
/// the block with the fixed codes.
fn bomb(head: String) -> (Vec<u8>, Vec<u8>) {
    let begin = [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0];
    let repeat = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];
    let pack = |bits: Vec<u8>| -> Vec<u8> {
        bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit)).collect()
    };
    // The stream repeats every 13 bytes from its 11th bit on; the part sent once ends at a byte's end.
    let stream: Vec<u8> = begin.into_iter().chain(repeat.into_iter().cycle().take(8 * 13 * 2)).collect();
    let (once, rest) = stream.split_at(8 * 13);
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let again = rest.iter().copied().take(8 * 13).collect();
    ([head.into_bytes(), gzip.to_vec(), pack(once.to_vec())].concat(), pack(again))
}

/// A server that floods, until the process ends.
#[derive(Debug, Clone, Copy)]
pub struct Flooder {
    /// Loopback address of the server, which listens on every interface.
    pub address: SocketAddr,
    flood: Flood,
}

impl Flooder {
    /// Starts to listen.
    pub fn start(flood: Flood) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, listener.local_addr()?.port()));
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                // A caller may leave at any time.
                thread::spawn(move || serve(flood, connection));
            }
        });
        Ok(Self { address, flood })
    }

    /// Returns the server's URL.
    pub fn url(&self) -> String {
        format!("{}://{}/", self.flood.scheme(), self.address)
    }
}

fn serve(flood: Flood, mut connection: TcpStream) -> io::Result<()> {
    match flood {
        Flood::Greeting => {}
        Flood::Reset => {
            // Unread bytes make the system reset the connection.
            return connection.read_exact(&mut [0; 10]);
        }
        _ => {
            let mut asked = vec![0; 64 * 1024];
            let _ = connection.read(&mut asked)?;
        }
    }
    let (once, again) = flood.bytes();
    connection.write_all(&once)?;
    let (piece, pause) = match flood {
        Flood::Drip => (again, Duration::from_secs(1)),
        _ => (again.repeat(WRITTEN / again.len().max(1)), Duration::ZERO),
    };
    loop {
        connection.write_all(&piece)?;
        thread::sleep(pause);
    }
}
