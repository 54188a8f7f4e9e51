//! Combination of the networks: Meta's three have one webhook, and each has one way to send over it.

use std::sync::Arc;

use adapter_messenger::PageNetwork;
use adapter_whatsapp::WhatsAppNetwork;
use async_trait::async_trait;
use bytes::Bytes;
use domain::{
    assistant::ports::TypingIndicator,
    attachments::{
        MediaSource, StoredAttachment,
        ports::{Fetched, MediaError, MediaOrigin, NetworkMedia},
    },
    channels::{ChannelKind, ports::NetworkError},
    conversations::{DueReceipt, ReadMark, ShowTyping, ports::NetworkReceipts},
    ids::{ConversationId, WorkspaceId},
    inbound::{
        Head, NetworkUpdate,
        ports::{NetworkWebhook, UnreadablePayload},
    },
    messages::NetworkMessageId,
    sending::{
        FileMessage, PhotoMessage, Recipient, TemplateMessage, TextMessage, UploadedFile,
        ports::{AcceptedMessage, MessagingNetwork, SendFailure},
    },
};
use graph_client::{signature, webhook::Gate};
use secrecy::SecretString;
use tracing::debug;

use crate::counters;

/// The one webhook of an app at Meta: each post goes to the reader of its kind of object.
pub struct MetaWebhook {
    pub gate: Gate,
    /// Tells the echoes of our own sends from others'.
    pub app_id: Option<u64>,
}

impl NetworkWebhook for MetaWebhook {
    fn name(&self) -> &'static str {
        Gate::NAME
    }

    fn path(&self) -> &'static str {
        Gate::PATH
    }

    fn shake_hands(&self, head: &Head) -> Option<String> {
        self.gate.answer(|name| head.query(name)).map(str::to_owned)
    }

    fn may_be_signed(&self, head: &Head) -> bool {
        head.header(Gate::SIGNATURE).is_some_and(signature::has_form)
    }

    fn verify(&self, head: &Head, raw: Bytes) -> Option<Bytes> {
        self.gate.is_signed(&raw, head.header(Gate::SIGNATURE)?).then_some(raw)
    }

    fn network(&self, payload: &[u8]) -> Option<ChannelKind> {
        adapter_whatsapp::webhook::network(payload).or_else(|| adapter_messenger::webhook::network(payload))
    }

    fn read(&self, payload: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
        match self.network(payload) {
            Some(ChannelKind::Messenger | ChannelKind::Instagram) => {
                adapter_messenger::webhook::read(payload, self.app_id)
            }
            // A post without a known kind is read by one of them, which says what it lacks.
            Some(ChannelKind::Whatsapp) | None => adapter_whatsapp::webhook::read(payload),
        }
    }
}

/// Signs of typing, whose failures are counted and cost nothing.
pub struct CountedTyping(pub ShowTyping);

#[async_trait]
impl TypingIndicator for CountedTyping {
    async fn show(&self, workspace: WorkspaceId, conversation: ConversationId) {
        if let Err(error) = self.0.run(workspace, conversation).await {
            counters::typing_failed().increment(1);
            debug!(%workspace, %conversation, %error, "that somebody is typing was not shown");
        }
    }
}

/// All networks: each message goes over the recipient's network, each file comes from where it was sent.
pub struct Networks {
    pub whatsapp: Arc<WhatsAppNetwork>,
    /// Also for Instagram accounts.
    pub pages: Arc<PageNetwork>,
}

impl Networks {
    fn of(&self, network: ChannelKind) -> &dyn MessagingNetwork {
        match network {
            ChannelKind::Whatsapp => &*self.whatsapp,
            ChannelKind::Messenger | ChannelKind::Instagram => &*self.pages,
        }
    }
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
        self.of(message.to.channel()).send_text(from_network_id, token, message).await
    }

    async fn upload_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<Option<UploadedFile>, SendFailure> {
        self.of(to.channel()).upload_file(from_network_id, token, to, file).await
    }

    async fn send_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &FileMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        self.of(message.to.channel()).send_file(from_network_id, token, message).await
    }

    async fn send_photo(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &PhotoMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        self.of(message.to.channel()).send_photo(from_network_id, token, message).await
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

    async fn show_typing(&self, mark: &DueReceipt) -> Result<(), NetworkError> {
        let DueReceipt { network_id, token, .. } = mark;
        match &mark.mark {
            ReadMark::Message(message) => self.whatsapp.show_typing(network_id, token, message).await,
            ReadMark::Person(person) => self.pages.show_typing(token, person).await,
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
