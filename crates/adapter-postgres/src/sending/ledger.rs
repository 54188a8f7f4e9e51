//! Rows of the ledger, joined with what settled sends have left in the inbox.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, Queryable,
    Selectable,
};
use domain::{
    errors::StoreError,
    events::Customer,
    ids::{MessageId, WorkspaceId},
    messages::{
        Context, DeliveryStatus, Marks, Message, MessageMeta, Progress, ReplyAuthor, Role, TemplateRef,
    },
    phone::PhoneNumber,
    sending::{ConversationEntry, Intent, LedgerEntry, Reply, SendResult, SendState, TemplateSend},
};
use time::OffsetDateTime;

use crate::{
    error::unreadable,
    schema::{contacts, messages, sends},
    stored::parse_phone,
};

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

#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
pub(crate) struct LedgerRow {
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

/// Selects a workspace's sends with their messages and contacts. While a send is under way its content is in
/// the ledger, and afterwards in these.
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

impl LedgerRow {
    /// Returns the send's recipient; `None` until one is recorded.
    pub(crate) fn customer(&self) -> Result<Option<Customer>, StoreError> {
        let Some(id) = self.send.contact_id else { return Ok(None) };
        Ok(Some(Customer { id: id.into(), name: self.recipient_name(), phone: self.recipient()? }))
    }

    pub(crate) fn entry(self, workspace: WorkspaceId) -> Result<LedgerEntry, StoreError> {
        let (to, name) = (self.recipient()?, self.recipient_name());
        let Self { send, message, .. } = self;
        let (content, message_created_at) = message.unzip();
        let content = send.notice_content.or(content);
        let from = send.from_phone.as_deref().map(parse_phone).transpose()?;
        let id = MessageId::from(send.id);
        let template = send.template_name.zip(send.template_language);
        let template = template.map(|(name, language)| TemplateRef { name, language });
        let author = ReplyAuthor::of(send.author_id.map(Into::into));
        // A template sent by a program has no author either.
        let role = if template.is_none() { author.role() } else { Role::Team };
        let message = send.conversation_id.zip(content.clone()).zip(message_created_at);
        let message = message.map(|((conversation, content), created_at)| Message {
            id,
            conversation: conversation.into(),
            role,
            sender_id: send.author_id.map(|author| author.to_string()),
            content,
            attachments: Vec::new(),
            transcription: None,
            created_at,
            sent_at: None,
            meta: template
                .clone()
                .map(|template| MessageMeta { template, reference: send.reference.clone() }),
            context: Context::default(),
            marks: Marks::default(),
            system_message: None,
        });
        let state = match send.state.as_str() {
            "in_flight" => SendState::InFlight,
            "refused" => SendState::Refused,
            _ => SendState::Sent(Box::new(SendResult {
                id,
                from: from.clone(),
                contact: send.contact_id.map(Into::into),
                conversation: send.conversation_id.map(Into::into),
                reference: send.reference.clone(),
                message,
            })),
        };
        let progress = Progress {
            status: DeliveryStatus::read(&send.status).ok_or_else(|| unreadable("status"))?,
            delivered_at: send.delivered_at,
            read_at: send.read_at,
            failed_at: send.failed_at,
        };
        // Templates of members are template sends too.
        let conversation = send.conversation_id.zip(send.contact_id);
        let conversation = conversation.filter(|_| template.is_none());
        let conversation_entry = match (conversation, to, content) {
            (Some((conversation, contact)), phone, Some(text)) => ConversationEntry::Reply(Reply {
                conversation: conversation.into(),
                contact: contact.into(),
                phone,
                author,
                text,
                upload: None,
            }),
            (None, Some(to), Some(content)) => {
                let author = send.author_id.map(Into::into);
                ConversationEntry::TemplateSend(TemplateSend { to, name, content, author })
            }
            _ => ConversationEntry::Nothing,
        };
        let intent = Intent {
            id,
            workspace,
            channel: send.channel_id.into(),
            from,
            template,
            reference: send.reference,
            conversation_entry,
            created_at: send.created_at,
        };
        Ok(LedgerEntry { intent, state, progress })
    }

    fn recipient(&self) -> Result<Option<PhoneNumber>, StoreError> {
        let phone = self.contact.as_ref().and_then(|(_, phone)| phone.as_deref());
        self.send.notice_to.as_deref().or(phone).map(parse_phone).transpose()
    }

    fn recipient_name(&self) -> Option<String> {
        let name = self.contact.as_ref().and_then(|(name, _)| name.as_ref());
        self.send.notice_name.as_ref().or(name).cloned()
    }
}
