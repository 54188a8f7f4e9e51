//! Combination of the networks: one app has one webhook for all of them, and one way to send over each.

use std::sync::Arc;

use adapter_messenger::{PageNetwork, PageWebhook};
use adapter_whatsapp::{WhatsAppNetwork, WhatsAppWebhook};
use async_trait::async_trait;
use domain::{
    attachments::{
        MediaSource, StoredAttachment,
        ports::{Fetched, MediaError, MediaOrigin, NetworkMedia},
    },
    channels::{ChannelKind, ports::NetworkError},
    conversations::{DueReceipt, ReadMark, ports::NetworkReceipts},
    inbound::{
        NetworkUpdate,
        ports::{NetworkWebhook, UnreadablePayload},
    },
    messages::NetworkMessageId,
    sending::{
        FileMessage, PhotoMessage, Recipient, TemplateMessage, TextMessage, UploadedFile,
        ports::{AcceptedMessage, MessagingNetwork, SendFailure},
    },
};
use secrecy::SecretString;

/// Webhook of all networks: each post goes to the reader of its kind of object.
pub struct MetaWebhook {
    pub whatsapp: WhatsAppWebhook,
    /// Also for Instagram accounts.
    pub pages: PageWebhook,
}

impl NetworkWebhook for MetaWebhook {
    fn accepts_handshake(&self, token: &str) -> bool {
        self.whatsapp.accepts_handshake(token)
    }

    fn is_signed(&self, raw: &[u8], signature: &str) -> bool {
        self.whatsapp.is_signed(raw, signature)
    }

    fn network(&self, raw: &[u8]) -> Option<ChannelKind> {
        self.whatsapp.network(raw).or_else(|| self.pages.network(raw))
    }

    fn read(&self, raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
        match self.network(raw) {
            Some(ChannelKind::Messenger | ChannelKind::Instagram) => self.pages.read(raw),
            // A post without a known kind is read by one of them, which says what it lacks.
            Some(ChannelKind::Whatsapp) | None => self.whatsapp.read(raw),
        }
    }
}

/// All networks: each message goes over the recipient's network, each file comes from where it was sent.
pub struct Networks {
    pub whatsapp: Arc<WhatsAppNetwork>,
    /// Also for Instagram accounts.
    pub pages: Arc<PageNetwork>,
}

#[async_trait]
impl MessagingNetwork for Networks {
    async fn send_template(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TemplateMessage,
    ) -> Result<AcceptedMessage, SendFailure> {
        self.whatsapp.send_template(from_network_id, token, message).await
    }

    async fn send_text(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TextMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        match message.to.channel() {
            ChannelKind::Whatsapp => self.whatsapp.send_text(from_network_id, token, message).await,
            ChannelKind::Messenger | ChannelKind::Instagram => {
                self.pages.send_text(from_network_id, token, message).await
            }
        }
    }

    async fn upload_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<Option<UploadedFile>, SendFailure> {
        match to.channel() {
            ChannelKind::Whatsapp => self.whatsapp.upload_file(from_network_id, token, to, file).await,
            ChannelKind::Messenger | ChannelKind::Instagram => {
                self.pages.upload_file(from_network_id, token, to, file).await
            }
        }
    }

    async fn send_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &FileMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        match message.to.channel() {
            ChannelKind::Whatsapp => self.whatsapp.send_file(from_network_id, token, message).await,
            ChannelKind::Messenger | ChannelKind::Instagram => {
                self.pages.send_file(from_network_id, token, message).await
            }
        }
    }

    async fn send_photo(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &PhotoMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        match message.to.channel() {
            ChannelKind::Whatsapp => self.whatsapp.send_photo(from_network_id, token, message).await,
            ChannelKind::Messenger | ChannelKind::Instagram => {
                self.pages.send_photo(from_network_id, token, message).await
            }
        }
    }
}

#[async_trait]
impl NetworkReceipts for Networks {
    async fn mark_read(&self, due: &DueReceipt) -> Result<(), NetworkError> {
        match &due.mark {
            ReadMark::Message(message) => self.whatsapp.mark_read(&due.network_id, &due.token, message).await,
            ReadMark::Person(person) => self.pages.mark_seen(&due.token, person).await,
        }
    }
}

#[async_trait]
impl NetworkMedia for Networks {
    async fn fetch(&self, origin: &MediaOrigin, source: &MediaSource) -> Result<Fetched, MediaError> {
        match origin.channel {
            ChannelKind::Whatsapp => self.whatsapp.fetch(origin, source).await,
            ChannelKind::Messenger | ChannelKind::Instagram => self.pages.fetch(origin, source).await,
        }
    }
}
