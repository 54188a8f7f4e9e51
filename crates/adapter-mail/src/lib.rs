//! Mail to members, over SMTP.
//!
//! Invariants: a mail's link is in no error and no log; TLS is that of the address that was configured.

mod text;

use std::time::Duration;

use async_trait::async_trait;
use domain::access::{
    members::{
        EmailAddress,
        ports::{InvitationMail, MailFailed, Mailer},
    },
    resets::ports::ResetMail,
};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
};
use secrecy::{ExposeSecret, SecretString};

/// How long the mail server may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Mail cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailSetupError {
    /// The server's address.
    #[error(
        "must be an address such as smtps://user:password@mail.example or smtp://mail.example?tls=required"
    )]
    Server,
    /// The sender's address.
    #[error("must be an e-mail address, such as Palm Store <no-reply@shop.example>")]
    Sender,
}

/// [`Mailer`] over SMTP.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    sender: Mailbox,
}

impl SmtpMailer {
    /// Hands mail to `server`, an `smtps://` or `smtp://` address that may hold a user and a password.
    ///
    /// # Errors
    /// See [`MailSetupError`].
    pub fn new(server: &SecretString, sender: &str) -> Result<Self, MailSetupError> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(server.expose_secret());
        let transport = transport.map_err(|_| MailSetupError::Server)?.timeout(Some(TIMEOUT)).build();
        Ok(Self { transport, sender: sender.parse().map_err(|_| MailSetupError::Sender)? })
    }

    fn message(&self, to: &EmailAddress, (subject, body): (String, String)) -> Option<Message> {
        Message::builder()
            .from(self.sender.clone())
            .to(Mailbox::new(None, to.as_str().parse().ok()?))
            .subject(subject)
            .header(ContentType::TEXT_PLAIN)
            .body(body)
            .ok()
    }

    async fn send(&self, to: &EmailAddress, text: (String, String)) -> Result<(), MailFailed> {
        let message =
            self.message(to, text).ok_or_else(|| MailFailed("the mail cannot be written".to_owned()))?;
        self.transport.send(message).await.map(drop).map_err(|error| {
            // The server's own words may repeat the mail.
            let status = error.status().map(|code| format!(" ({code})")).unwrap_or_default();
            let what = match () {
                () if error.is_permanent() => "the mail server refused it",
                () if error.is_transient() => "the mail server cannot take it now",
                () if error.is_timeout() => "the mail server did not answer in time",
                () => "the mail server cannot be reached",
            };
            MailFailed(format!("{what}{status}"))
        })
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn invite(&self, mail: &InvitationMail) -> Result<(), MailFailed> {
        self.send(&mail.to.email, text::invitation(mail)).await
    }

    async fn reset(&self, mail: &ResetMail) -> Result<(), MailFailed> {
        self.send(&mail.to, text::reset(mail)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::{
        io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
        net::TcpListener,
        sync::Mutex,
    };

    use super::*;
    use crate::text::tests::{a_mail, a_reset};

    /// A mail server that takes one mail, or answers `refusal` to its recipient; what it was told.
    async fn server(refusal: Option<&'static str>) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&told);
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = stream.into_split();
            writer.write_all(b"220 mail.example\r\n").await.unwrap();
            let mut lines = BufReader::new(reader).lines();
            let mut in_mail = false;
            while let Ok(Some(line)) = lines.next_line().await {
                let answer = match line.as_str() {
                    "." => Some("250 taken"),
                    _ if in_mail => None,
                    "DATA" => Some("354 go on"),
                    _ if line.starts_with("RCPT") => Some(refusal.unwrap_or("250 ok")),
                    _ => Some("250 ok"),
                };
                in_mail = (in_mail || line == "DATA") && line != ".";
                kept.lock().await.push(line);
                if let Some(answer) = answer {
                    let _ = writer.write_all(format!("{answer}\r\n").as_bytes()).await;
                }
            }
        });
        (url, told)
    }

    fn mailer(url: &str) -> SmtpMailer {
        SmtpMailer::new(&url.to_owned().into(), "Messages <no-reply@palm.example>").unwrap()
    }

    #[tokio::test]
    async fn an_invitation_reaches_its_address_with_its_link() {
        let (url, told) = server(None).await;
        mailer(&url).invite(&a_mail("en")).await.unwrap();
        let told = told.lock().await.join("\n");
        assert!(told.contains("RCPT TO:<omar@palm.example>"), "{told}");
        assert!(told.contains("https://messages.example/dashboard/invitation#00ff"), "{told}");
    }

    #[tokio::test]
    async fn a_link_for_another_password_reaches_its_address() {
        let (url, told) = server(None).await;
        mailer(&url).reset(&a_reset("en")).await.unwrap();
        let told = told.lock().await.join("\n");
        assert!(told.contains("RCPT TO:<omar@palm.example>"), "{told}");
        assert!(told.contains("https://messages.example/dashboard/password-reset#00ff"), "{told}");
    }

    #[tokio::test]
    async fn a_failure_is_told_without_the_server_s_words() {
        let (url, _) = server(Some("550 no omar@palm.example here")).await;
        let failed = mailer(&url).invite(&a_mail("ar")).await.unwrap_err();
        assert_eq!(failed.0, "the mail server refused it (550)");
        let failed = mailer("smtp://127.0.0.1:1").invite(&a_mail("ar")).await.unwrap_err();
        assert_eq!(failed.0, "the mail server cannot be reached");
    }

    #[test]
    fn what_cannot_be_an_address_is_refused_before_anything_is_sent() {
        let new = |server: &str, sender: &str| SmtpMailer::new(&server.to_owned().into(), sender).err();
        assert_eq!(new("mail.example", "a@b.example"), Some(MailSetupError::Server));
        assert_eq!(new("smtp://mail.example", "nobody"), Some(MailSetupError::Sender));
    }
}
