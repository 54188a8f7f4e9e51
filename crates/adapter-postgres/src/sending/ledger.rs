//! A row of the ledger, joined with what a settled send has left in the inbox.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, Queryable,
    Selectable,
};
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::{Context, DeliveryStatus, Marks, Message, MessageMeta, Progress, Role, TemplateRef},
    phone::PhoneNumber,
    sending::{ConversationEntry, Intent, LedgerEntry, Reply, SendResult, SendState, TemplateSend},
    webhooks::Customer,
};
use time::OffsetDateTime;

use crate::{
    error::unreadable,
    schema::{contacts, messages, sends},
};

/// What a send is read from.
pub(crate) struct LedgerRow {
    id: uuid::Uuid,
    channel_id: uuid::Uuid,
    from_phone: Option<String>,
    template_name: Option<String>,
    template_language: Option<String>,
    reference: Option<String>,
    state: String,
    recipient: Option<String>,
    recipient_name: Option<String>,
    content: Option<String>,
    contact_id: Option<uuid::Uuid>,
    conversation_id: Option<uuid::Uuid>,
    author_id: Option<uuid::Uuid>,
    status: String,
    delivered_at: Option<OffsetDateTime>,
    read_at: Option<OffsetDateTime>,
    failed_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    message_created_at: Option<OffsetDateTime>,
}

/// A send as it is written.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
pub(crate) struct SendRow {
    id: uuid::Uuid,
    channel_id: uuid::Uuid,
    from_phone: Option<String>,
    template_name: Option<String>,
    template_language: Option<String>,
    reference: Option<String>,
    state: String,
    notice_to: Option<String>,
    notice_name: Option<String>,
    notice_content: Option<String>,
    contact_id: Option<uuid::Uuid>,
    conversation_id: Option<uuid::Uuid>,
    author_id: Option<uuid::Uuid>,
    status: String,
    delivered_at: Option<OffsetDateTime>,
    read_at: Option<OffsetDateTime>,
    failed_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
}

/// What a [`LedgerRow`] is made of, out of [`ledger_of`].
#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
pub(crate) struct LedgerParts {
    #[diesel(embed)]
    send: SendRow,
    #[diesel(
        select_expression = (messages::content, messages::created_at).nullable(),
        select_expression_type = diesel::dsl::Nullable<(messages::content, messages::created_at)>
    )]
    message: Option<(String, OffsetDateTime)>,
    #[diesel(
        select_expression = (contacts::name, contacts::phone).nullable(),
        select_expression_type = diesel::dsl::Nullable<(contacts::name, contacts::phone)>
    )]
    contact: Option<(Option<String>, Option<String>)>,
}

/// A workspace's sends, each with its message and its contact. While a send is under way its notice is in the ledger;
/// afterwards it is in these.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn ledger_of(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let contact: diesel::dsl::Nullable<contacts::id> = contacts::id.nullable();
    sends::table
        .left_join(messages::table.on(messages::workspace_id.eq(workspace).and(messages::id.eq(sends::id))))
        .left_join(
            contacts::table.on(contacts::workspace_id.eq(workspace).and(contact.eq(sends::contact_id))),
        )
        .filter(sends::workspace_id.eq(workspace))
}

impl From<LedgerParts> for LedgerRow {
    fn from(LedgerParts { send, message, contact }: LedgerParts) -> Self {
        let (content, message_created_at) = message.unzip();
        let (name, phone) = contact.unwrap_or_default();
        Self {
            id: send.id,
            channel_id: send.channel_id,
            from_phone: send.from_phone,
            template_name: send.template_name,
            template_language: send.template_language,
            reference: send.reference,
            state: send.state,
            recipient: send.notice_to.or(phone),
            recipient_name: send.notice_name.or(name),
            content: send.notice_content.or(content),
            contact_id: send.contact_id,
            conversation_id: send.conversation_id,
            author_id: send.author_id,
            status: send.status,
            delivered_at: send.delivered_at,
            read_at: send.read_at,
            failed_at: send.failed_at,
            created_at: send.created_at,
            message_created_at,
        }
    }
}

impl LedgerRow {
    /// The person it went to, once that is recorded.
    pub(crate) fn customer(&self) -> Result<Option<Customer>, StoreError> {
        let Some(id) = self.contact_id else { return Ok(None) };
        Ok(Some(Customer { id: id.into(), name: self.recipient_name.clone(), phone: self.recipient()? }))
    }

    pub(crate) fn entry(self, workspace: WorkspaceId) -> Result<LedgerEntry, StoreError> {
        let to = self.recipient()?;
        let from = self.from_phone.as_deref().map(read_phone).transpose()?;
        let id = MessageId::from(self.id);
        let template = self.template_name.zip(self.template_language);
        let template = template.map(|(name, language)| TemplateRef { name, language });
        let message = self.conversation_id.zip(self.content.clone()).zip(self.message_created_at);
        let message = message.map(|((conversation, content), created_at)| Message {
            id,
            conversation: conversation.into(),
            role: Role::Team,
            sender_id: self.author_id.map(|author| author.to_string()),
            content,
            attachments: Vec::new(),
            transcription: None,
            created_at,
            meta: template
                .clone()
                .map(|template| MessageMeta { template, reference: self.reference.clone() }),
            context: Context::default(),
            marks: Marks::default(),
        });
        let state = match self.state.as_str() {
            "in_flight" => SendState::InFlight,
            "refused" => SendState::Refused,
            _ => SendState::Sent(Box::new(SendResult {
                id,
                from: from.clone(),
                contact: self.contact_id.map(Into::into),
                conversation: self.conversation_id.map(Into::into),
                reference: self.reference.clone(),
                message,
            })),
        };
        let progress = Progress {
            status: DeliveryStatus::read(&self.status).ok_or_else(|| unreadable("status"))?,
            delivered_at: self.delivered_at,
            read_at: self.read_at,
            failed_at: self.failed_at,
        };
        // A member's template is a notice, too.
        let conversation = self.conversation_id.zip(self.contact_id).zip(self.author_id);
        let conversation = conversation.filter(|_| template.is_none());
        let conversation_entry = match (conversation, to, self.content) {
            (Some(((conversation, contact), author)), phone, Some(text)) => ConversationEntry::Reply(Reply {
                conversation: conversation.into(),
                contact: contact.into(),
                phone,
                author: author.into(),
                text,
                upload: None,
            }),
            (None, Some(to), Some(content)) => {
                let author = self.author_id.map(Into::into);
                ConversationEntry::TemplateSend(TemplateSend {
                    to,
                    name: self.recipient_name,
                    content,
                    author,
                })
            }
            _ => ConversationEntry::Nothing,
        };
        let intent = Intent {
            id,
            workspace,
            channel: self.channel_id.into(),
            from,
            template,
            reference: self.reference,
            conversation_entry,
            created_at: self.created_at,
        };
        Ok(LedgerEntry { intent, state, progress })
    }

    fn recipient(&self) -> Result<Option<PhoneNumber>, StoreError> {
        self.recipient.as_deref().map(read_phone).transpose()
    }
}

/// A number as it is kept.
pub(crate) fn read_phone(kept: &str) -> Result<PhoneNumber, StoreError> {
    PhoneNumber::from_e164(kept).map_err(|_| unreadable("phone number"))
}
