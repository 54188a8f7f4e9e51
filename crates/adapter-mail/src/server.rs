//! Handing one mail to the mail server.

use std::{error::Error as _, time::Duration};

use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    transport::smtp::{
        Error,
        client::{Certificate, Tls, TlsParameters},
    },
};
use secrecy::{ExposeSecret, SecretString};
use tls_trust::{Trust, untrusted};
use tokio::{runtime::Handle, task::spawn_blocking, time::timeout};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Time limit of a mail, from the connection to the server's last word.
pub(crate) const WHOLE: Duration = Duration::from_secs(30);

/// Time limit of a try without a mail.
const TRIED: Duration = Duration::from_secs(10);

pub(crate) struct MailServer {
    address: SecretString,
    host: String,
    encryption: Encryption,
    trust: Trust,
}

#[derive(Clone, Copy)]
enum Encryption {
    FromTheStart,
    Required,
    IfOffered,
    Never,
}

/// Error of a mail that was not accepted. The text is for the log and contains nothing of the server's, which
/// may repeat the mail.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotTaken {
    pub(crate) why: String,
    /// Whether it would be refused again.
    pub(crate) for_good: bool,
}

impl MailServer {
    /// Parses an address; `None` if it is invalid.
    pub(crate) fn at(address: &SecretString, trust: Trust) -> Option<Self> {
        let url: Url = address.expose_secret().parse().ok()?;
        let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, said)| said.into_owned());
        let encryption = match (url.scheme(), tls.as_deref()) {
            ("smtps", _) => Encryption::FromTheStart,
            ("smtp", Some("required")) => Encryption::Required,
            ("smtp", Some("opportunistic")) => Encryption::IfOffered,
            ("smtp", None) => Encryption::Never,
            _ => return None,
        };
        let host = url.host_str()?.to_owned();
        let server = Self { address: address.clone(), host, encryption, trust };
        server.transport().map(|_| server).ok()
    }

    /// Builds a transport for each mail, so that it uses the authorities trusted at that time.
    fn transport(&self) -> Result<AsyncSmtpTransport<Tokio1Executor>, Error> {
        let parameters = || {
            let mut tls = TlsParameters::builder(self.host.clone());
            for certificate in self.trust.named() {
                tls = tls.add_root_certificate(Certificate::from_der(certificate.to_vec())?);
            }
            tls.build()
        };
        let tls = match self.encryption {
            Encryption::FromTheStart => Tls::Wrapper(parameters()?),
            Encryption::Required => Tls::Required(parameters()?),
            Encryption::IfOffered => Tls::Opportunistic(parameters()?),
            Encryption::Never => Tls::None,
        };
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(self.address.expose_secret())?;
        Ok(transport.tls(tls).timeout(Some(WHOLE)).build())
    }

    pub(crate) async fn take(&self, message: &Message) -> Result<(), NotTaken> {
        let transport = self.transport().map_err(|error| NotTaken::of(&error))?;
        let message = message.clone();
        match aside(WHOLE, async move { transport.send(message).await }).await {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(NotTaken::of(&error)),
            None => Err(NotTaken { why: SILENT.to_owned(), for_good: false }),
        }
    }

    /// Connects, encrypts and signs in as for a mail, and hands none over. The error has no words of the
    /// server's.
    pub(crate) async fn try_out(&self) -> Result<(), String> {
        let transport = self.transport().map_err(|error| tried(&error))?;
        match aside(TRIED, async move { transport.test_connection().await }).await {
            Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err("the mail server ends the conversation".to_owned()),
            Some(Err(error)) => Err(tried(&error)),
            None => Err(SILENT.to_owned()),
        }
    }
}

/// Talks to a mail server on a thread that nobody else waits for, and no longer than `most`: lettre bounds
/// the bytes of a reply (100 kB), but parses all of its lines again with each new one, which takes seconds if
/// they are short. Its own limits are for single steps. `None` if it takes longer.
async fn aside<T: Send + 'static>(
    most: Duration,
    talk: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let given_up = CancellationToken::new();
    let _when_dropped = given_up.clone().drop_guard();
    let runtime = Handle::current();
    let talk = spawn_blocking(move || runtime.block_on(given_up.run_until_cancelled(talk)));
    timeout(most, talk).await.ok()?.ok()?
}

/// Describes why the mail server cannot be used, for the person who set it up.
fn tried(error: &Error) -> String {
    let status = error.status().map(|code| code.to_string()).unwrap_or_default();
    if matches!(status.as_str(), "530" | "534" | "535" | "538") {
        return format!("the mail server refuses the user and the password ({status})");
    }
    let why = NotTaken::of(error).why;
    let is_theirs = error.is_permanent() || error.is_transient() || error.is_response();
    if is_theirs || error.is_timeout() || untrusted(error).is_some() {
        return why;
    }
    let what = if error.is_client() { "the mail server cannot be used".to_owned() } else { why };
    // Text of the library or of the operating system.
    error.source().map_or_else(|| what.clone(), |cause| format!("{what}: {cause}"))
}

const SILENT: &str = "the mail server did not answer in time";

impl NotTaken {
    fn of(error: &Error) -> Self {
        if let Some(wrong) = untrusted(error) {
            let why = format!("the certificate of the mail server is not trusted: {wrong}");
            return Self { why, for_good: false };
        }
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
