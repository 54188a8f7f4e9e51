//! Mail to members, over SMTP.
//!
//! Invariants: nobody waits for the mail server but the [`Outbox`]; a mail's link is in no error, in no log
//! and in no database; TLS is that of the configured address.

mod outbox;
mod server;
mod text;

use std::{sync::Arc, time::SystemTime};

use async_trait::async_trait;
use domain::{
    access::{
        AlertMail,
        members::ports::{InvitationMail, MailFailed, Mailer},
        resets::ports::ResetMail,
    },
    clock::Clock,
    email::EmailAddress,
    ids::IdSource,
};
use lettre::{
    Address, Message,
    address::Envelope,
    message::{Mailbox, MultiPart},
};
use secrecy::SecretString;
use tls_trust::Trust;
use tokio::sync::mpsc;
use uuid::Uuid;

use self::{
    outbox::{Letter, MOST},
    server::MailServer,
    text::Words,
};

pub use outbox::Outbox;

/// Reason why mail cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailSetupError {
    /// The server's address is invalid.
    #[error(
        "must be an address such as smtps://user:password@mail.example or smtp://mail.example?tls=required"
    )]
    Server,
    /// The sender's address is invalid.
    #[error("must be an e-mail address, such as Palm Store <no-reply@shop.example>")]
    Sender,
}

/// Reason why mail cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TryOutError {
    /// The server's address is invalid.
    #[error("the mail server's address {}", MailSetupError::Server)]
    Address,
    /// The sender's address is invalid.
    #[error("the sender {}", MailSetupError::Sender)]
    Sender,
    /// The mail server cannot be used, in words for an operator.
    #[error("{0}")]
    Server(String),
}

/// Tries the mail server up to a mail's first line: connection, encryption, user and password.
pub async fn try_out(server: &SecretString, sender: &str, trust: Trust) -> Result<(), TryOutError> {
    let server = MailServer::at(server, trust).ok_or(TryOutError::Address)?;
    let _: Mailbox = sender.parse().map_err(|_| TryOutError::Sender)?;
    server.try_out().await.map_err(TryOutError::Server)
}

/// [`Mailer`] over SMTP: writes mails, and leaves them to the [`Outbox`].
pub struct SmtpMailer {
    sender: Mailbox,
    letters: mpsc::Sender<Letter>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl SmtpMailer {
    /// Creates a mailer for mails of `sender`, and the outbox that hands them to `server`, an `smtps://` or
    /// `smtp://` address that may contain a user and a password, as long as it runs.
    pub fn new(
        server: &SecretString,
        sender: &str,
        trust: Trust,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<(Self, Outbox), MailSetupError> {
        let server = MailServer::at(server, trust).ok_or(MailSetupError::Server)?;
        let sender = sender.parse().map_err(|_| MailSetupError::Sender)?;
        let (letters, waiting) = mpsc::channel(MOST);
        let outbox = Outbox::new(waiting, server, Arc::clone(&clock));
        Ok((Self { sender, letters, clock, ids }, outbox))
    }

    /// Leaves a mail to the outbox; returns its id in the log.
    fn post(&self, to: &EmailAddress, words: &Words) -> Result<Uuid, MailFailed> {
        let id = self.ids.next();
        let message = self.message(id, to, words);
        let message = message.ok_or_else(|| MailFailed("the mail cannot be written".to_owned()))?;
        let full = |_| MailFailed("too many mails wait for the mail server".to_owned());
        self.letters.try_send(Letter { id, message }).map_err(full)?;
        Ok(id)
    }

    fn message(&self, id: Uuid, to: &EmailAddress, words: &Words) -> Option<Message> {
        let to = address(to)?;
        // Parsed back from the headers, an address in quotation marks would be lost.
        let envelope = Envelope::new(Some(self.sender.email.clone()), vec![to.clone()]).ok()?;
        Message::builder()
            .envelope(envelope)
            .from(self.sender.clone())
            .to(Mailbox::new(None, to))
            .subject(words.subject.clone())
            .date(SystemTime::from(self.clock.now()))
            .message_id(Some(format!("<{id}@{}>", self.sender.email.domain())))
            .multipart(MultiPart::alternative_plain_html(words.text(), words.html()))
            .ok()
    }
}

/// Converts an address to the form that mail servers accept. A part before the `@` that today's rules refuse,
/// such as one with two dots in a row, is the same mailbox in quotation marks (RFC 5321, 4.1.2).
fn address(of: &EmailAddress) -> Option<Address> {
    let (user, host) = of.as_str().rsplit_once('@')?;
    Address::new(user, host).or_else(|_| Address::new(format!("\"{user}\""), host)).ok()
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn invite(&self, mail: &InvitationMail) -> Result<(), MailFailed> {
        let id = self.post(&mail.to.email, &text::invitation(mail))?;
        tracing::info!(mail = %id, invitation = %mail.to.id, workspace = %mail.to.workspace, "an invitation is mailed");
        Ok(())
    }

    async fn reset(&self, mail: &ResetMail) -> Result<(), MailFailed> {
        let id = self.post(&mail.to, &text::reset(mail))?;
        tracing::info!(mail = %id, "a link for another password is mailed");
        Ok(())
    }

    async fn alert(&self, mail: &AlertMail) -> Result<(), MailFailed> {
        let id = self.post(&mail.to, &text::alert(mail))?;
        tracing::info!(mail = %id, kind = mail.alert.kind.as_str(), "what has become of a channel is mailed");
        Ok(())
    }
}

#[cfg(test)]
mod tests;
