//! A row of the ledger, joined with what a settled send has left in the inbox.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, Queryable,
    QueryableByName, Selectable,
    sql_types::{Nullable, Text, Timestamptz, Uuid},
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

/// Sends of a workspace, each with the message and the contact that it has left. While a send is under way its notice is
/// in the ledger; afterwards it is in these.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn entries(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let contact: diesel::dsl::Nullable<contacts::id> = contacts::id.nullable();
    sends::table
        .left_join(messages::table.on(messages::workspace_id.eq(workspace).and(messages::id.eq(sends::id))))
        .left_join(
            contacts::table.on(contacts::workspace_id.eq(workspace).and(contact.eq(sends::contact_id))),
        )
        .filter(sends::workspace_id.eq(workspace))
}

/// What the ledger itself has of a send.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
pub(super) struct SendRow {
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

/// Content and time of the message that a send has left.
#[derive(Queryable, Selectable)]
#[diesel(table_name = messages)]
pub(super) struct MessageRow {
    content: String,
    created_at: OffsetDateTime,
}

/// Name and number of the contact that it went to.
#[derive(Queryable, Selectable)]
#[diesel(table_name = contacts)]
pub(super) struct RecipientRow {
    name: Option<String>,
    phone: Option<String>,
}

/// The start of a query for [`LedgerRow`], with the table of sends, or what stands for it, under the name `send`.
/// While a send is under way its notice is in the ledger; afterwards it is in the message and the contact. These are
/// looked up row by row, whatever the size of the tables was when the plan was made.
macro_rules! ledger {
    ($($more_columns:literal)?) => {
        $crate::sending::ledger!(@ "sends" $(, $more_columns)?)
    };
    (@ $sends:expr $(, $more_columns:literal)?) => {
        concat!(
            "SELECT send.id, send.channel_id, send.from_phone, send.template_name, send.template_language,
                send.reference, send.state, coalesce(send.notice_to, contact.phone) AS recipient,
                coalesce(send.notice_name, contact.name) AS recipient_name,
                coalesce(send.notice_content, message.content) AS content, send.contact_id,
                send.conversation_id, send.author_id, send.status, send.delivered_at, send.read_at, send.failed_at,
                send.created_at, message.created_at AS message_created_at",
            $($more_columns,)?
            " FROM ", $sends, " send
              LEFT JOIN LATERAL (
                  SELECT content, created_at FROM messages
                  WHERE messages.workspace_id = send.workspace_id AND messages.id = send.id LIMIT 1
              ) message ON true
              LEFT JOIN LATERAL (
                  SELECT name, phone FROM contacts
                  WHERE contacts.workspace_id = send.workspace_id AND contacts.id = send.contact_id LIMIT 1
              ) contact ON true"
        )
    };
}
pub(crate) use ledger;

/// A send and what it has left.
pub(super) type EntryRow = (SendRow, Option<MessageRow>, Option<RecipientRow>);

#[derive(QueryableByName)]
pub(crate) struct LedgerRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    from_phone: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    template_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    template_language: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    reference: Option<String>,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Nullable<Text>)]
    recipient: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    recipient_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    content: Option<String>,
    #[diesel(sql_type = Nullable<Uuid>)]
    contact_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    conversation_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    author_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    delivered_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    read_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    failed_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    message_created_at: Option<OffsetDateTime>,
}

impl LedgerRow {
    /// What a row of [`entries`] says.
    pub(super) fn of((send, message, contact): EntryRow) -> Self {
        let (content, message_created_at) = message.map(|row| (row.content, row.created_at)).unzip();
        let (name, phone) = contact.map(|row| (row.name, row.phone)).unzip();
        Self {
            id: send.id,
            channel_id: send.channel_id,
            from_phone: send.from_phone,
            template_name: send.template_name,
            template_language: send.template_language,
            reference: send.reference,
            state: send.state,
            recipient: send.notice_to.or(phone.flatten()),
            recipient_name: send.notice_name.or(name.flatten()),
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
