//! A proxy between the service and PostgreSQL that records statements, so that the reference runs the
//! service's own, with its values and types, and nobody has to keep a copy of them.
//!
//! Parses PostgreSQL's frontend protocol 3.0 (documentation, "Message Formats"), unencrypted, as clients on
//! loopback speak it.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    time::timeout,
};
use tokio_postgres::types::Type;

use super::value::{Value, value};

/// Time that an answer is held back after the last request: requests that do not depend on it come before it.
const SILENCE: Duration = Duration::from_millis(2);

/// A statement as it was executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// Text, with `$1`, `$2` ….
    pub text: String,
    /// Values in order.
    pub values: Vec<Value>,
}

/// Everything recorded since the last look.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// Statements in the order of execution.
    pub executed: Vec<Executed>,
    /// Number of times that the service waited for answers; the answers to statements sent together count
    /// once.
    pub round_trips: u32,
    problem: Option<String>,
}

/// A port of its own that forwards to PostgreSQL.
pub struct Tap {
    /// Address to connect to instead of PostgreSQL.
    pub address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    heard: Heard,
    options: String,
}

impl Tap {
    /// Starts recording connections to `server`.
    pub async fn start(server: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("the tap's socket")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Mutex::new(Shared::default()));
        let ours = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = Arc::clone(&ours);
                // Client and server notice broken connections themselves.
                tokio::spawn(async move {
                    let server = TcpStream::connect(server).await?;
                    let (answers, requests) = server.into_split();
                    let (client_requests, client_answers) = client.into_split();
                    let (asked, silence) = watch::channel(());
                    let mut session = Session::default();
                    tokio::spawn(hold_back(answers, client_answers, silence, Arc::clone(&session.answered)));
                    listen(client_requests, requests, &asked, &mut session, &shared).await
                });
            }
        });
        Ok(Self { address, shared })
    }

    /// Returns everything recorded since the last call.
    ///
    /// # Errors
    /// If a message could not be parsed.
    pub fn take(&self) -> anyhow::Result<Heard> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut heard = std::mem::take(&mut shared.heard);
        match heard.problem.take() {
            Some(problem) => Err(anyhow::Error::msg(problem)),
            None => Ok(heard),
        }
    }

    /// Returns the options of the last session that began, in `PGOPTIONS`' form.
    pub fn session_options(&self) -> String {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).options.clone()
    }
}

/// Reads the next bytes; at the end, shuts down the other side and returns nothing.
async fn read<'b>(
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    buffer: &'b mut [u8],
) -> std::io::Result<Option<&'b [u8]>> {
    let count = from.read(buffer).await?;
    if count == 0 {
        to.shutdown().await?;
    }
    Ok(buffer.get(..count).filter(|bytes| !bytes.is_empty()))
}

/// Forwards answers, each once nothing more is `asked`.
async fn hold_back(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut asked: watch::Receiver<()>,
    answered: Arc<AtomicBool>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    while let Some(bytes) = read(&mut from, &mut to, &mut buffer).await? {
        while let Ok(Ok(())) = timeout(SILENCE, asked.changed()).await {}
        answered.store(true, Ordering::Relaxed);
        to.write_all(bytes).await?;
    }
    Ok(())
}

async fn listen(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    asked: &watch::Sender<()>,
    session: &mut Session,
    shared: &Mutex<Shared>,
) -> std::io::Result<()> {
    let mut unread = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    while let Some(bytes) = read(&mut from, &mut to, &mut buffer).await? {
        unread.extend_from_slice(bytes);
        asked.send_replace(());
        {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            while let Some((kind, message)) = session.next(&mut unread) {
                session.hear(kind, &message, &mut shared);
            }
        }
        to.write_all(bytes).await?;
    }
    Ok(())
}

/// State of one connection, with its prepared statements.
struct Session {
    started: bool,
    /// Whether an answer has come since the last request.
    answered: Arc<AtomicBool>,
    statements: HashMap<String, (String, Vec<Type>)>,
}

impl Default for Session {
    fn default() -> Self {
        Self { started: false, answered: Arc::new(AtomicBool::new(true)), statements: HashMap::new() }
    }
}

impl Session {
    /// Takes a whole message from the unread bytes, once it is there: its kind, 0 for the first message, and
    /// its body.
    fn next(&mut self, unread: &mut Vec<u8>) -> Option<(u8, Vec<u8>)> {
        // Only the first message has no byte for its kind.
        let prefix = usize::from(self.started);
        let length = unread.get(prefix..prefix + 4)?.try_into().ok().map(u32::from_be_bytes)?;
        let end = prefix + usize::try_from(length).ok()?;
        if unread.len() < end {
            return None;
        }
        let rest = unread.split_off(end);
        let message = std::mem::replace(unread, rest);
        let kind = message.first().copied().filter(|_| self.started).unwrap_or(0);
        self.started = true;
        Some((kind, message.get(prefix + 4..).unwrap_or_default().to_vec()))
    }

    fn hear(&mut self, kind: u8, message: &[u8], shared: &mut Shared) {
        let mut reader = Reader(message);
        let heard = &mut shared.heard;
        let understood = match kind {
            0 => reader.options().map(|options| shared.options = options),
            b'P' => reader.parse().map(|(name, text, types)| {
                self.statements.insert(name, (text, types));
            }),
            b'B' => self.bind(&mut reader).map(|executed| heard.executed.push(executed)),
            b'Q' => reader.text().map(|text| {
                heard.executed.push(Executed { text, values: Vec::new() });
                heard.round_trips += self.waits();
            }),
            b'S' => {
                heard.round_trips += self.waits();
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(problem) = understood {
            heard.problem = Some(format!("{problem:#}"));
        }
    }

    /// Returns 1 if this request comes after an answer, else 0.
    fn waits(&self) -> u32 {
        self.answered.swap(false, Ordering::Relaxed).into()
    }

    fn bind(&self, reader: &mut Reader<'_>) -> anyhow::Result<Executed> {
        let _portal = reader.text()?;
        let name = reader.text()?;
        let (text, types) = self.statements.get(&name).context("a statement that was not prepared")?;
        let formats = (0..reader.short()?).map(|_| reader.short()).collect::<Result<Vec<_>, _>>()?;
        let mut values = Vec::new();
        for number in 0..usize::from(reader.short()?) {
            // No format means text, and a single one applies to all.
            let format = formats.get(number).or(formats.first().filter(|_| formats.len() == 1));
            let kind = types.get(number).context("a value without a type")?;
            let raw = reader.optional()?;
            values
                .push(value(kind, format == Some(&1), raw).with_context(|| format!("a value of `{text}`"))?);
        }
        Ok(Executed { text: text.clone(), values })
    }
}

/// Parses a message from its beginning.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> anyhow::Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).context("a message that is cut off")?;
        self.0 = rest;
        Ok(bytes)
    }

    fn short(&mut self) -> anyhow::Result<u16> {
        Ok(u16::from_be_bytes(self.bytes(2)?.try_into()?))
    }

    fn long(&mut self) -> anyhow::Result<u32> {
        Ok(u32::from_be_bytes(self.bytes(4)?.try_into()?))
    }

    fn text(&mut self) -> anyhow::Result<String> {
        let end = self.0.iter().position(|byte| *byte == 0).context("a text without an end")?;
        let text = self.bytes(end)?.to_vec();
        self.bytes(1)?;
        Ok(String::from_utf8(text)?)
    }

    /// Parses a value with its length before it; a length of -1 means none.
    fn optional(&mut self) -> anyhow::Result<Option<&'a [u8]>> {
        match self.long()? {
            u32::MAX => Ok(None),
            length => self.bytes(usize::try_from(length)?).map(Some),
        }
    }

    fn parse(&mut self) -> anyhow::Result<(String, String, Vec<Type>)> {
        let (name, text) = (self.text()?, self.text()?);
        let mut types = Vec::new();
        for _ in 0..self.short()? {
            let oid = self.long()?;
            types.push(Type::from_oid(oid).with_context(|| format!("type {oid} in `{text}`"))?);
        }
        Ok((name, text, types))
    }

    fn options(&mut self) -> anyhow::Result<String> {
        self.long()?;
        while !self.0.is_empty() {
            let name = self.text()?;
            if name.is_empty() {
                break;
            }
            let value = self.text()?;
            if name == "options" {
                return Ok(value);
            }
        }
        Ok(String::new())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{Executed, Session, Shared};
    use crate::reference::value::Value;

    fn message(kind: u8, body: &[&[u8]]) -> Vec<u8> {
        let body = body.concat();
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        let kind = if kind == 0 { &[][..] } else { &[kind][..] };
        [kind, &length, &body].concat()
    }

    #[test]
    fn statements_are_heard_with_their_values_however_the_bytes_are_cut() {
        let stream = [
            message(0, &[b"\0\x03\0\0user\0me\0options\0-c jit=off\0\0"]),
            message(b'P', &[b"s1\0SELECT $1, $2\0", b"\0\x02", &20_u32.to_be_bytes(), &25_u32.to_be_bytes()]),
            message(
                b'B',
                &[
                    b"\0s1\0",
                    b"\0\x01\0\x01",
                    b"\0\x02",
                    &8_u32.to_be_bytes(),
                    &7_i64.to_be_bytes(),
                    &u32::MAX.to_be_bytes(),
                    b"\0\0",
                ],
            ),
            message(b'S', &[]),
            message(b'Q', &[b"COMMIT\0"]),
        ]
        .concat();
        let heard = [
            Executed {
                text: "SELECT $1, $2".to_owned(),
                values: vec![
                    Value { kind: "int8".to_owned(), text: Some("7".to_owned()) },
                    Value { kind: "text".to_owned(), text: None },
                ],
            },
            Executed { text: "COMMIT".to_owned(), values: Vec::new() },
        ];
        for size in [1, 7, stream.len()] {
            let (mut session, mut shared) = (Session::default(), Shared::default());
            let mut unread = Vec::new();
            for bytes in stream.chunks(size) {
                unread.extend_from_slice(bytes);
                while let Some((kind, message)) = session.next(&mut unread) {
                    session.hear(kind, &message, &mut shared);
                }
            }
            assert_eq!(shared.heard.problem, None);
            assert_eq!(shared.heard.executed, heard);
            assert_eq!(
                (shared.heard.round_trips, shared.options.as_str()),
                (1, "-c jit=off"),
                "sent together"
            );
            session.answered.store(true, Ordering::Relaxed);
            session.hear(b'S', &[], &mut shared);
            assert_eq!(shared.heard.round_trips, 2, "sent after an answer");
        }
    }
}
