//! A receiver on loopback that answers every request in one way.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
};

/// How it answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    /// With these bytes; then it closes.
    Whole(&'static str),
    /// With these bytes; then it keeps the connection open and says no more.
    Unfinished(&'static str),
    /// A 200 whose body goes on and on, a byte at a time.
    Trickle,
}

/// A receiver's address, and the requests sent to it.
pub(crate) struct Receiver {
    pub(crate) url: String,
    requests: UnboundedReceiver<Vec<u8>>,
}

impl Receiver {
    pub(crate) async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks/in?token=in-the-url", listener.local_addr().unwrap());
        let (seen, requests) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer, seen.clone()));
            }
        });
        Self { url, requests }
    }

    /// The next request, raw.
    pub(crate) async fn request(&mut self) -> Vec<u8> {
        self.requests.recv().await.unwrap()
    }

    /// Whether no further request has come.
    pub(crate) fn is_quiet(&self) -> bool {
        self.requests.is_empty()
    }
}

/// Tells of each request after the answer to it has begun.
async fn serve(mut stream: TcpStream, answer: Answer, seen: UnboundedSender<Vec<u8>>) {
    let request = read_request(&mut stream).await;
    match answer {
        Answer::Whole(bytes) => {
            stream.write_all(bytes.as_bytes()).await.unwrap();
            seen.send(request).unwrap();
        }
        Answer::Unfinished(bytes) => {
            stream.write_all(bytes.as_bytes()).await.unwrap();
            seen.send(request).unwrap();
            std::future::pending::<()>().await;
        }
        Answer::Trickle => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await.unwrap();
            seen.send(request).unwrap();
            // As many as stay below the cap on bodies.
            for _ in 0..10_000 {
                if stream.write_all(b"1\r\n.\r\n").await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
            std::future::pending::<()>().await;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    loop {
        assert!(stream.read_buf(&mut request).await.unwrap() > 0, "the request was cut");
        let Some(head) = request.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&request[..head]).to_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        if request.len() == head + 4 + length.map_or(0, |length| length.parse::<usize>().unwrap()) {
            return request;
        }
    }
}
