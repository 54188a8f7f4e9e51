//! Handing one mail to the mail server.

use std::time::Duration;

use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor, transport::smtp::Error};
use secrecy::{ExposeSecret, SecretString};

/// How long the mail server may take over a mail, from the connection to its last word.
pub(crate) const WHOLE: Duration = Duration::from_secs(30);

/// The mail server.
pub(crate) struct MailServer(AsyncSmtpTransport<Tokio1Executor>);

/// A mail was not taken. The words are for the log and none of them is the server's, which may repeat the mail.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotTaken {
    pub(crate) why: String,
    /// Whether it would be refused again.
    pub(crate) for_good: bool,
}

impl MailServer {
    /// `None` when the address is none.
    pub(crate) fn at(address: &SecretString) -> Option<Self> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(address.expose_secret()).ok()?;
        Some(Self(transport.timeout(Some(WHOLE)).build()))
    }

    pub(crate) async fn take(&self, message: &Message) -> Result<(), NotTaken> {
        // The transport bounds its steps, each alone.
        match tokio::time::timeout(WHOLE, self.0.send(message.clone())).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(NotTaken::of(&error)),
            Err(_) => Err(NotTaken { why: SILENT.to_owned(), for_good: false }),
        }
    }
}

const SILENT: &str = "the mail server did not answer in time";

impl NotTaken {
    fn of(error: &Error) -> Self {
        let status = error.status().map(|code| format!(" ({code})")).unwrap_or_default();
        let what = match () {
            () if error.is_permanent() => "the mail server refused it",
            () if error.is_transient() => "the mail server cannot take it now",
            () if error.is_timeout() => SILENT,
            () => "the mail server cannot be reached",
        };
        Self { why: format!("{what}{status}"), for_good: error.is_permanent() }
    }
}
