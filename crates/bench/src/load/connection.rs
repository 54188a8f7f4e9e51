//! An HTTP/1.1 connection with as little work per request as possible, since the client shares the machine
//! with the service it measures.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// A connection that is kept open.
pub struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

/// Status and body of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    pub status: u16,
    pub body: &'a [u8],
}

impl Connection {
    /// Connects.
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("connecting to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::with_capacity(64 * 1024) })
    }

    /// Sends a request as it stands and reads the whole answer, which must have a length.
    pub async fn ask(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
        self.read.clear();
        self.stream.write_all(request).await?;
        let (head, length, status) = loop {
            self.more().await?;
            if let Some(head) = self.read.windows(END_OF_HEAD.len()).position(|four| four == END_OF_HEAD) {
                let (status, length) = parse(self.read.get(..head).unwrap_or_default())?;
                break (head + END_OF_HEAD.len(), length, status);
            }
        };
        while self.read.len() < head + length {
            self.more().await?;
        }
        Ok(Answer { status, body: self.read.get(head..head + length).unwrap_or_default() })
    }

    async fn more(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.read).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

/// Parses the status and the body's length from an answer's head.
fn parse(head: &[u8]) -> anyhow::Result<(u16, usize)> {
    let head = std::str::from_utf8(head).context("an answer's head is no text")?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).context("no status")?;
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .context("an answer without Content-Length")?;
    Ok((status, length.1.trim().parse().context("Content-Length is no number")?))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_head_tells_status_and_length_in_any_spelling() {
        let head = b"HTTP/1.1 201 Created\r\nDate: x\r\nCONTENT-length:  12";
        assert_eq!(parse(head).unwrap(), (201, 12));
        assert!(parse(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked").is_err());
    }
}
