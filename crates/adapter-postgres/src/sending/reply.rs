//! Replies: the context of sending one, and the record of a refused one.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, OptionalExtension,
    QueryDsl, QueryResult, Queryable, Selectable, SelectableHelper, TextExpressionMethods, dsl::exists,
};
use diesel_async::AsyncPgConnection;
use domain::{
    channels::{ChannelKind, Connection},
    clock::stamp_after,
    contacts::Identity,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
    live::LiveKind,
    messages::{NetworkError, ReplyAuthor},
    sending::{ConversationParts, ReplyContext},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use crate::{
    attachments::files_of,
    contacts::ContactRow,
    conversations::{ConversationRow, current_conversation, group_name},
    error::{failed, unreadable},
    live::tell,
    schema::{
        channels, contacts, conversations, idempotency_keys, identities, members, messages,
        plan_reservations, sends, workspaces,
    },
    sending::PgSends,
    sql::{RunQueryDsl, storable},
    stored::parse_phone,
    workspaces::WorkspaceRow,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = channels)]
struct ConnectionRow {
    id: uuid::Uuid,
    kind: String,
    account_id: uuid::Uuid,
    network_id: String,
    phone: Option<String>,
    send_only: bool,
}

#[derive(Queryable)]
struct ContextRow {
    contact: ContactRow,
    conversation: ConversationRow,
    group: Option<String>,
    workspace: WorkspaceRow,
    connection: Option<ConnectionRow>,
    author_is_here: bool,
    customer_wrote_at: Option<OffsetDateTime>,
    /// The contact's latest user id at the network.
    user_id: Option<String>,
}

type ConversationOf = (ContactRow, ConversationRow, Option<String>);

impl PgSends {
    pub(super) async fn find_reply_context(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        author: ReplyAuthor,
    ) -> Result<Option<ReplyContext>, StoreError> {
        let connected = channels::workspace_id
            .eq(workspace.uuid())
            .and(channels::id.eq(conversations::channel_id))
            .and(channels::disconnected_at.is_null());
        let contact =
            contacts::workspace_id.eq(workspace.uuid()).and(contacts::id.eq(conversations::contact_id));
        let member = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.nullable().eq(author.member().map(MemberId::uuid)))
            .filter(members::left_at.is_null())
            .select(members::id);
        let user_id = identities::table
            .filter(identities::workspace_id.eq(workspace.uuid()))
            .filter(identities::contact_id.eq(conversations::contact_id))
            .filter(identities::kind.eq(conversations::channel.concat("_user")))
            .order((identities::recorded_at.desc(), identities::value.desc()))
            .select(identities::value);
        let mut connection = self.database.connection().await?;
        let row: Option<ContextRow> = conversations::table
            .inner_join(workspaces::table.on(workspaces::workspace_id.eq(workspace.uuid())))
            .inner_join(contacts::table.on(contact))
            .left_join(channels::table.on(connected))
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, conversation)))
            .select((
                ContactRow::as_select(),
                ConversationRow::as_select(),
                group_name(workspace),
                WorkspaceRow::as_select(),
                Option::<ConnectionRow>::as_select(),
                exists(member),
                conversations::customer_wrote_at,
                user_id.single_value(),
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        drop(connection);
        row.map(|row| row.read(workspace, author)).transpose()
    }

    pub(super) async fn find_conversation_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<ConversationParts, StoreError> {
        let connection = self.database.connection().await?;
        let (row, files) = try_join(
            async { find_conversation(&connection, workspace, conversation).await.map_err(failed) },
            files_of(&connection, workspace, message),
        )
        .await?;
        drop(connection);
        let Some((contact, conversation, group)) = row else { return Ok(ConversationParts::default()) };
        Ok(ConversationParts {
            contact: Some(contact.read()?),
            conversation: Some(conversation.read(group)?),
            files,
        })
    }

    /// Marks the reply as refused, releasing its key and place, and records it in the conversation.
    pub(super) async fn write_refused(
        &self,
        workspace: WorkspaceId,
        id: MessageId,
        error: &NetworkError,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let refused = refuse(&transaction, workspace, id, error, now);
        let first = try_join(refused, lock_conversation(&transaction, workspace, id));
        let (refused, conversation) = transaction.begin_with(first).await.map_err(failed)?;
        let Some((author, content)) = refused else { return Ok(()) };
        let mut flight = transaction.flight();
        if let Some((conversation, last_message_at, stamped_at)) = conversation {
            let at = stamp_after(stamped_at, now);
            let of_reply = conversations::table.find((workspace.uuid(), conversation));
            flight.add(diesel::update(of_reply).set((
                conversations::last_message_at.eq(last_message_at.max(at)),
                conversations::stamped_at.eq(at),
            )));
            flight.add(diesel::insert_into(messages::table).values((
                messages::workspace_id.eq(workspace.uuid()),
                messages::id.eq(id.uuid()),
                messages::conversation_id.eq(conversation),
                messages::role.eq(ReplyAuthor::of(author.map(Into::into)).role().as_str()),
                messages::sender_id.eq(author.map(|author| author.to_string())),
                messages::content.eq(content.unwrap_or_default()),
                messages::created_at.eq(at),
            )));
        }
        flight.add(
            diesel::delete(idempotency_keys::table)
                .filter(idempotency_keys::workspace_id.eq(workspace.uuid()))
                .filter(idempotency_keys::send_id.eq(id.uuid())),
        );
        flight.add(
            diesel::delete(plan_reservations::table)
                .filter(plan_reservations::workspace_id.eq(workspace.uuid()))
                .filter(plan_reservations::send_id.eq(id.uuid())),
        );
        let conversation = conversation.map(|(conversation, ..)| conversation.into());
        tell(&mut flight, workspace, LiveKind::MessageRecorded, &[(conversation, Some(id))]);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}

async fn find_conversation(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    conversation: ConversationId,
) -> QueryResult<Option<ConversationOf>> {
    let contact = contacts::workspace_id.eq(workspace.uuid()).and(contacts::id.eq(conversations::contact_id));
    conversations::table
        .inner_join(contacts::table.on(contact))
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq(current_conversation(workspace, conversation)))
        .select((ContactRow::as_select(), ConversationRow::as_select(), group_name(workspace)))
        .get_result(&mut connection)
        .await
        .optional()
}

/// Marks a reply in flight as refused; returns its author and content.
async fn refuse(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    id: MessageId,
    error: &NetworkError,
    now: OffsetDateTime,
) -> QueryResult<Option<(Option<uuid::Uuid>, Option<String>)>> {
    diesel::update(sends::table)
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.eq(id.uuid()))
        .filter(sends::state.eq("in_flight"))
        .set((
            sends::state.eq("refused"),
            sends::status.eq("failed"),
            sends::failed_at.eq(now),
            sends::settled_at.eq(now),
            sends::error.eq(storable(&error.message)),
            sends::error_code.eq(error.code),
        ))
        .returning((sends::author_id, sends::notice_content))
        .get_result(&mut connection)
        .await
        .optional()
}

/// Locks a reply's conversation; returns its id, its last message's time, and the latest time stamped in it.
async fn lock_conversation(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    reply: MessageId,
) -> QueryResult<Option<(uuid::Uuid, OffsetDateTime, Option<OffsetDateTime>)>> {
    let of_reply = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.eq(reply.uuid()))
        .select(sends::conversation_id)
        .single_value();
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.nullable().eq(of_reply))
        .select((conversations::id, conversations::last_message_at, conversations::stamped_at))
        .for_no_key_update()
        .get_result(&mut connection)
        .await
        .optional()
}

impl ContextRow {
    fn read(self, workspace: WorkspaceId, author: ReplyAuthor) -> Result<ReplyContext, StoreError> {
        let (contact, conversation) = (self.contact.read()?, self.conversation.read(self.group)?);
        let (phone, user_id) = (contact.phone.clone().map(Identity::Phone), self.user_id);
        let to = match conversation.channel_kind {
            ChannelKind::Whatsapp => phone.or_else(|| user_id.map(Identity::WhatsappUser)),
            ChannelKind::Messenger => user_id.map(Identity::MessengerUser),
            ChannelKind::Instagram => user_id.map(Identity::InstagramUser),
        };
        Ok(ReplyContext {
            plan: self.workspace.read(workspace)?.plan,
            author_is_here: self.author_is_here || author == ReplyAuthor::Assistant,
            contact,
            conversation,
            connection: self.connection.map(ConnectionRow::read).transpose()?,
            to,
            customer_wrote_at: self.customer_wrote_at,
        })
    }
}

impl ConnectionRow {
    fn read(self) -> Result<Connection, StoreError> {
        Ok(Connection {
            id: self.id.into(),
            kind: ChannelKind::read(&self.kind).ok_or_else(|| unreadable("channel"))?,
            account: self.account_id.into(),
            network_id: self.network_id,
            phone: self.phone.as_deref().map(parse_phone).transpose()?,
            send_only: self.send_only,
        })
    }
}
