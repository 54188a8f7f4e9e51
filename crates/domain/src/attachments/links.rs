//! Links to files that this service serves itself.

use std::sync::Arc;

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::{
    byte_range::AskedBytes,
    object_key::ObjectKey,
    ports::{AttachmentLinks, FoundPart, LINK_LIFETIME, MediaError, ObjectStore, StoredObject, StoredPart},
};
use crate::{clock::Clock, hex::hex, vault::Vault};

/// Signer and judge of links, with the server's secret.
#[derive(Clone)]
pub struct SignedLinks {
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
    /// Address at which customers' systems reach this service.
    pub public_url: Url,
}

/// Reason that a link opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeadLink {
    /// Made elsewhere, or altered.
    #[error("this link was not made by this service")]
    Forged,
    #[error("this link has expired")]
    Expired,
}

impl SignedLinks {
    fn of(&self, key: &ObjectKey) -> String {
        let expires = (self.clock.now() + LINK_LIFETIME).unix_timestamp();
        let signature = hex(&self.sign(key, expires));
        let base = self.public_url.as_str().trim_end_matches('/');
        format!("{base}/attachments/{key}?expires={expires}&signature={signature}")
    }

    /// Checks that the parts of a link belong together, and that it has not expired.
    pub fn judge(&self, key: &ObjectKey, expires: &str, signature: &str) -> Result<(), DeadLink> {
        let seconds: i64 = expires.parse().map_err(|_| DeadLink::Forged)?;
        // Compared through another keyed hash, so that the time it takes tells nothing of the signature.
        let veiled = |text: &str| self.vault.keyed_hash("attachment-link-comparison", text.as_bytes());
        if seconds.to_string() != expires || veiled(&hex(&self.sign(key, seconds))) != veiled(signature) {
            return Err(DeadLink::Forged);
        }
        let good_until = OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| DeadLink::Forged)?;
        if self.clock.now() < good_until { Ok(()) } else { Err(DeadLink::Expired) }
    }

    fn sign(&self, key: &ObjectKey, expires: i64) -> [u8; 32] {
        self.vault.keyed_hash("attachment-link", format!("{expires}:{key}").as_bytes())
    }
}

#[async_trait]
impl AttachmentLinks for SignedLinks {
    async fn link(&self, key: &ObjectKey) -> Result<String, MediaError> {
        Ok(self.of(key))
    }
}

/// Reason that a file cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    DeadLink(#[from] DeadLink),
    #[error("there is no such file")]
    Missing,
    #[error("the file has {size} bytes, and none of those that are asked for")]
    Beyond {
        /// Size of the whole file, in bytes.
        size: u64,
    },
    #[error(transparent)]
    Store(#[from] MediaError),
}

/// A file, or the part of it that was asked for.
pub enum OpenedFile {
    Whole(StoredObject),
    Part(StoredPart),
}

/// Use case that opens a file for anyone with a link to it (`GET /attachments/{key}`).
pub struct OpenAttachment {
    pub links: SignedLinks,
    pub objects: Arc<dyn ObjectStore>,
}

impl OpenAttachment {
    /// Opens the file, or the part of it that is asked for.
    pub async fn run(
        &self,
        key: &ObjectKey,
        expires: &str,
        signature: &str,
        asked: Option<AskedBytes>,
    ) -> Result<OpenedFile, OpenError> {
        self.links.judge(key, expires, signature)?;
        let Some(asked) = asked else {
            return self.objects.open(key).await?.map(OpenedFile::Whole).ok_or(OpenError::Missing);
        };
        match self.objects.open_part(key, asked).await?.ok_or(OpenError::Missing)? {
            FoundPart::Of(part) => Ok(OpenedFile::Part(part)),
            FoundPart::Beyond(size) => Err(OpenError::Beyond { size }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use proptest::prelude::*;
    use url::Url;

    use super::{DeadLink, SignedLinks};
    use crate::{
        attachments::{ContentType, ObjectKey},
        testing::{ManualClock, a_moment, a_vault, a_workspace},
    };

    fn links(clock: &Arc<ManualClock>, public_url: &str) -> SignedLinks {
        let clock: Arc<ManualClock> = Arc::clone(clock);
        SignedLinks { vault: Arc::new(a_vault()), clock, public_url: public_url.parse().unwrap() }
    }

    fn key(position: u16) -> ObjectKey {
        let message = uuid::Uuid::from_u128(7).into();
        ObjectKey::of(&a_vault(), a_workspace().id, message, position, ContentType::read("image/png"))
    }

    /// Splits a link into its expiry and its signature.
    fn parts(link: &str) -> (String, String) {
        let link: Url = link.parse().unwrap();
        let part = |name: &str| link.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        (part("expires"), part("signature"))
    }

    #[test]
    fn a_link_is_good_for_a_day_and_for_its_own_file() {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let links = links(&clock, "https://chat.example/base/");
        let link = links.of(&key(0));
        assert!(link.starts_with(&format!("https://chat.example/base/attachments/{}?", key(0))), "{link}");
        let (expires, signature) = parts(&link);
        assert_eq!(links.judge(&key(0), &expires, &signature), Ok(()));
        assert_eq!(links.judge(&key(1), &expires, &signature), Err(DeadLink::Forged));
        clock.advance(Duration::from_hours(24) - Duration::from_secs(1));
        assert_eq!(links.judge(&key(0), &expires, &signature), Ok(()));
        clock.advance(Duration::from_secs(1));
        assert_eq!(links.judge(&key(0), &expires, &signature), Err(DeadLink::Expired));
    }

    #[test]
    fn a_link_whose_end_is_put_off_is_forged() {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let links = links(&clock, "https://chat.example");
        let (expires, signature) = parts(&links.of(&key(0)));
        let later = (expires.parse::<i64>().unwrap() + 1).to_string();
        let (padded, signed) = (format!("0{expires}"), format!("+{expires}"));
        for expires in [later.as_str(), padded.as_str(), signed.as_str(), "", "soon", "9223372036854775807"] {
            assert_eq!(links.judge(&key(0), expires, &signature), Err(DeadLink::Forged), "{expires}");
        }
        assert_eq!(links.judge(&key(0), &expires, &signature.to_uppercase()), Err(DeadLink::Forged));
    }

    proptest! {
        #[test]
        fn no_text_opens_anything(expires in ".{0,30}", signature in ".{0,70}") {
            let clock = Arc::new(ManualClock::at(a_moment()));
            let judged = links(&clock, "https://chat.example").judge(&key(0), &expires, &signature);
            prop_assert!(judged.is_err());
        }
    }
}
