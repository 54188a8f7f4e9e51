//! A mail server that keeps what it is given.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

use super::eventually;

/// What it was given, each as one text.
#[derive(Clone, Default)]
pub(crate) struct Mailbox {
    mails: Arc<Mutex<Vec<String>>>,
    url: String,
}

impl Mailbox {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mailbox = Self { url: format!("smtp://{}", listener.local_addr().unwrap()), ..Self::default() };
        let mails = Arc::clone(&mailbox.mails);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mails = Arc::clone(&mails);
                tokio::spawn(async move { take(stream, &mails).await });
            }
        });
        mailbox
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn mails(&self) -> Vec<String> {
        self.mails.lock().unwrap().clone()
    }

    /// What stands behind `path#` in the mails so far, once there are as many of them.
    pub(crate) async fn tokens(&self, path: &str, mails: usize) -> Vec<String> {
        let token = |mail: &String| {
            let (_, rest) = mail.split_once(&format!("{path}#"))?;
            Some(rest.chars().take_while(char::is_ascii_hexdigit).collect())
        };
        eventually("mail", async || {
            let tokens: Vec<String> = self.mails().iter().filter_map(token).collect();
            (tokens.len() >= mails).then_some(tokens)
        })
        .await
    }
}

async fn take(stream: TcpStream, mails: &Mutex<Vec<String>>) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut mail: Option<String> = None;
    let _ = writer.write_all(b"220 mail.example\r\n").await;
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = match (&mut mail, line.as_str()) {
            (Some(_), ".") => {
                mails.lock().unwrap().extend(mail.take());
                "250 taken"
            }
            (Some(mail), line) => {
                // A line that was broken for the way is one line.
                match line.strip_suffix('=') {
                    Some(broken) => mail.push_str(broken),
                    None => mail.extend([line, "\n"]),
                }
                continue;
            }
            (None, "DATA") => {
                mail = Some(String::new());
                "354 go on"
            }
            (None, _) => "250 ok",
        };
        if writer.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return;
        }
    }
}
