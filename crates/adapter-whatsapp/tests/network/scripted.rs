//! A server that answers each request with the next line of its script and records the requests.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use url::Url;

/// An answer: status and body. `None` hangs up without one.
pub(crate) type Answer = Option<(u16, String)>;

fn on_the_wire((status, body): (u16, String)) -> String {
    format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut fields = self.headers.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

pub(crate) struct Scripted {
    pub(crate) url: Url,
    asked: Arc<Mutex<Vec<Asked>>>,
    server: JoinHandle<()>,
}

impl Scripted {
    /// Answers with these in turn, then with an empty 200.
    pub(crate) async fn start(script: Vec<Answer>) -> Self {
        Self::serve(script.into_iter().map(|answer| answer.map(on_the_wire)).collect()).await
    }

    /// Answers the first request with these bytes.
    pub(crate) async fn raw(answer: &str) -> Self {
        Self::serve(VecDeque::from([Some(answer.to_owned())])).await
    }

    async fn serve(mut script: VecDeque<Option<String>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let server = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let Some(request) = read(&mut stream).await else { continue };
                log.lock().unwrap().push(request);
                let empty = || Some(on_the_wire((200, String::new())));
                if let Some(answer) = script.pop_front().unwrap_or_else(empty) {
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            }
        });
        Self { url, asked, server }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A whole request; `None` when the other side hung up before its end.
async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut raw = Vec::new();
    loop {
        if let Some(at) = raw.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(raw[..at].to_vec()).unwrap();
            let (line, headers) = head.split_once("\r\n").unwrap();
            let mut asked =
                Asked { line: line.to_owned(), headers: headers.to_owned(), body: raw[at + 4..].to_vec() };
            let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
            if asked.body.len() >= length {
                asked.body.truncate(length);
                return Some(asked);
            }
        }
        if stream.read_buf(&mut raw).await.ok()? == 0 {
            return None;
        }
    }
}
