//! The adapter of a network that is made up: terminals in shops, at which visitors type.
//!
//! Nothing of it is as Meta has it. Each terminal is an account with a path and a secret of its own; time,
//! account and body are signed together; and the body does not name the account. Its people are stored as
//! those of Messenger are, whose kind of channel it borrows.

use std::collections::HashMap;

use async_trait::async_trait;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use domain::{
    channels::{
        ChannelKind,
        ports::{ListedPage, NetworkError, NetworkPages, OwnedPage},
    },
    clock::Clock,
    contacts::Identity,
    inbound::{
        ConversationUpdate, Head, NetworkUpdate, Person, UpdateKind, Written,
        ports::{NetworkWebhook, UnreadablePayload},
    },
    messages::Context,
};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use server::system::SystemClock;
use time::{Duration, OffsetDateTime};

pub(super) const SIGNATURE: &str = "x-kiosk-signature";

/// The terminals' keys, by the names of their accounts.
pub(super) struct Kiosks(HashMap<&'static str, hmac::Key>);

/// What a terminal posts.
#[derive(Deserialize)]
struct Typed {
    id: String,
    visitor: String,
    name: String,
    #[serde(with = "time::serde::timestamp")]
    at: OffsetDateTime,
    text: String,
}

impl Kiosks {
    pub(super) fn new(accounts: &[(&'static str, &str)]) -> Self {
        let key = |secret: &str| hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        Self(accounts.iter().map(|(account, secret)| (*account, key(secret))).collect())
    }

    pub(super) fn sign(&self, account: &str, at: OffsetDateTime, body: &[u8]) -> String {
        let at = at.unix_timestamp().to_string();
        let tag = hmac::sign(&self.0[account], &signed(&at, account, body));
        format!("t={at},v1={}", HEXLOWER.encode(tag.as_ref()))
    }

    /// Answers the handshake, as the terminal checks it.
    pub(super) fn answer(&self, account: &str, nonce: &str) -> Option<String> {
        Some(HEXLOWER.encode(hmac::sign(self.0.get(account)?, nonce.as_bytes()).as_ref()))
    }
}

fn signed(at: &str, account: &str, body: &[u8]) -> Vec<u8> {
    [at.as_bytes(), b".", account.as_bytes(), b".", body].concat()
}

fn parts(head: &Head) -> Option<(&str, Vec<u8>)> {
    let (at, tag) = head.header(SIGNATURE)?.strip_prefix("t=")?.split_once(",v1=")?;
    Some((at, HEXLOWER.decode(tag.as_bytes()).ok()?))
}

fn is_recent(at: &str) -> bool {
    let at = at.parse().ok().and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok());
    at.is_some_and(|at| (SystemClock.now() - at).abs() <= Duration::minutes(5))
}

/// An account's name among the channels of all networks.
fn channel(account: &str) -> String {
    format!("kiosk-{account}")
}

impl NetworkWebhook for Kiosks {
    fn name(&self) -> &'static str {
        "kiosk"
    }

    fn path(&self) -> &'static str {
        "/networks/kiosk/{account}"
    }

    fn shake_hands(&self, head: &Head) -> Option<String> {
        self.answer(head.path("account")?, head.query("nonce")?)
    }

    fn may_be_signed(&self, head: &Head) -> bool {
        parts(head).is_some()
    }

    fn verify(&self, head: &Head, raw: Bytes) -> Option<Bytes> {
        let (account, (at, tag)) = (head.path("account")?, parts(head)?);
        hmac::verify(self.0.get(account)?, &signed(at, account, &raw), &tag).ok()?;
        is_recent(at).then(|| [account.as_bytes(), b"\n", &raw].concat().into())
    }

    fn network(&self, _: &[u8]) -> Option<ChannelKind> {
        Some(ChannelKind::Messenger)
    }

    fn read(&self, payload: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
        let unreadable = || UnreadablePayload("it is not what a terminal posts".to_owned());
        let payload = std::str::from_utf8(payload).map_err(|_| unreadable())?;
        let (account, typed) = payload.split_once('\n').ok_or_else(unreadable)?;
        let typed: Typed = serde_json::from_str(typed).map_err(|_| unreadable())?;
        let person = Person {
            identities: vec![Identity::MessengerUser(format!("kiosk-{}", typed.visitor))],
            name: Some(typed.name),
            avatar_url: None,
        };
        let written = Written {
            network_id: typed.id.into(),
            content: typed.text,
            media: Vec::new(),
            context: Context::default(),
        };
        let update = ConversationUpdate { person, at: typed.at, what: UpdateKind::Wrote(written) };
        Ok(vec![NetworkUpdate::Conversation { channel_network_id: channel(account), update }])
    }
}

#[async_trait]
impl NetworkPages for Kiosks {
    async fn page(&self, token: &SecretString) -> Result<ListedPage, NetworkError> {
        let (network_id, name) = (channel(token.expose_secret()), Some("Beside the entrance".to_owned()));
        Ok(ListedPage { network_id, name, instagram_network_id: None })
    }

    async fn pages(&self, _: &SecretString) -> Result<Vec<OwnedPage>, NetworkError> {
        Ok(Vec::new())
    }

    async fn subscribe_page(&self, _: &str, _: &SecretString) -> Result<(), NetworkError> {
        Ok(())
    }
}
