//! The team's lists of conversations.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod statement;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName,
    sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    channels::ChannelKind,
    contacts::Search,
    conversation::ConversationStatus,
    conversations::{
        inbox::{
            Attention, InboxContact, InboxCounts, InboxFilter, InboxOrder, InboxRow, MOST_UNREAD,
            PREVIEW_CHARS, Preview, PreviewKind, ReadState, View,
        },
        ports::{FoundConversations, InboxLists},
    },
    errors::StoreError,
    ids::{ConversationId, GroupId, MemberId, MessageId, WorkspaceId},
    live::LiveKind,
    messages::{Role, stand_ins},
    paging::{PageRequest, Position},
    tag::Tag,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{alias::current_conversation, row::ConversationRow};
use crate::{
    attachments::read_missing,
    contacts::{counted, pattern},
    conversations::PgConversations,
    error::{failed, is_missing_reference, unreadable},
    live,
    schema::{conversations, messages, seen_conversations},
    sql::{RunQueryDsl, insert, statement},
    stored::parse_phone,
};

/// Most conversations or people found by a tag or a search that are sorted, in some milliseconds.
const FEW: i64 = 4_000;
/// Most conversations of a view walked for one page if a tag or a search finds more than that.
const WALKED: i64 = 5_000;

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    reached_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Uuid>)]
    reached_id: Option<uuid::Uuid>,
    #[diesel(embed)]
    conversation: Option<FoundRow>,
}

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(embed)]
    conversation: ConversationRow,
    #[diesel(sql_type = Nullable<Text>)]
    group_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    contact_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    contact_phone: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    contact_avatar_url: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    customer_wrote_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    waiting_since: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    number: Option<String>,
    #[diesel(embed)]
    read: ReadRow,
    #[diesel(sql_type = Array<Text>)]
    tags: Vec<String>,
    #[diesel(sql_type = Nullable<Text>)]
    message_role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    message_content: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    message_created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    message_sender_id: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    message_is_template: Option<bool>,
    #[diesel(sql_type = Nullable<Text>)]
    message_file: Option<String>,
    #[diesel(sql_type = Array<Text>)]
    message_missing: Vec<String>,
    #[diesel(embed)]
    notice: NoticeRow,
}

/// Newest message of a conversation, if it is the system's.
#[derive(QueryableByName)]
struct NoticeRow {
    #[diesel(sql_type = Nullable<Text>, column_name = notice_content)]
    content: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>, column_name = notice_created_at)]
    created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>, column_name = notice_sender_id)]
    sender_id: Option<String>,
    #[diesel(sql_type = Nullable<Jsonb>, column_name = notice_notice)]
    notice: Option<serde_json::Value>,
}

impl NoticeRow {
    fn read(self) -> Result<Option<Preview>, StoreError> {
        let Some((text, created_at)) = self.content.zip(self.created_at) else { return Ok(None) };
        let system_message = self.notice.map(serde_json::from_value).transpose();
        Ok(Some(Preview {
            role: Role::System,
            sender_id: self.sender_id,
            kind: PreviewKind::SystemMessage,
            text,
            system_message: system_message.map_err(|_| unreadable("notice"))?,
            created_at,
        }))
    }
}

#[derive(QueryableByName)]
struct ReadRow {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    seen_at: Option<OffsetDateTime>,
    #[diesel(sql_type = BigInt)]
    unread: i64,
}

#[derive(QueryableByName)]
struct CountsRow {
    #[diesel(sql_type = BigInt)]
    mine: i64,
    #[diesel(sql_type = BigInt)]
    unassigned: i64,
    #[diesel(sql_type = BigInt)]
    open: i64,
    #[diesel(sql_type = Array<Uuid>)]
    groups: Vec<uuid::Uuid>,
    #[diesel(sql_type = Array<BigInt>)]
    of_groups: Vec<i64>,
}

impl ReadRow {
    fn read(self) -> Result<ReadState, StoreError> {
        Ok(ReadState { seen_at: self.seen_at, unread: read_count(self.unread)? })
    }
}

fn read_count(count: i64) -> Result<u32, StoreError> {
    u32::try_from(count).map_err(|_| unreadable("count"))
}

impl FoundRow {
    fn read(self) -> Result<InboxRow, StoreError> {
        let conversation = self.conversation.read(self.group_name)?;
        let contact = InboxContact {
            id: conversation.contact,
            name: self.contact_name,
            phone: self.contact_phone.as_deref().map(parse_phone).transpose()?,
            avatar_url: self.contact_avatar_url,
        };
        let role =
            self.message_role.as_deref().map(|role| Role::read(role).ok_or_else(|| unreadable("role")));
        let message = role.transpose()?.zip(self.message_content).zip(self.message_created_at);
        let missing = read_missing(&self.message_missing)?;
        let file = read_missing(self.message_file.as_slice())?.into_iter().next();
        let sender_id = self.message_sender_id;
        let is_template = self.message_is_template.unwrap_or_default();
        let last_message = message.map(|((role, text), created_at)| {
            let text = if text.is_empty() { stand_ins(&missing) } else { text };
            let kind = match file {
                _ if is_template => PreviewKind::Template,
                Some(file) => PreviewKind::File(file),
                None => PreviewKind::Text,
            };
            Preview { role, sender_id, kind, text, system_message: None, created_at }
        });
        Ok(InboxRow {
            conversation,
            contact,
            tags: self.tags,
            last_message,
            notice: self.notice.read()?,
            read: self.read.read()?,
            customer_wrote_at: self.customer_wrote_at,
            waiting_since: self.waiting_since,
            number: self.number.as_deref().map(parse_phone).transpose()?,
        })
    }
}

#[async_trait]
impl InboxLists for PgConversations {
    async fn inbox(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        filter: &InboxFilter,
        page: PageRequest,
    ) -> Result<FoundConversations, StoreError> {
        let parts = filter.search.as_ref().map(Search::parts);
        let patterns: Option<Vec<String>> =
            parts.map(|parts| parts.iter().map(|part| pattern(part)).collect());
        let rows = i64::from(page.limit.rows()) + 1;
        let mut connection = self.database.connection().await?;
        let mut listed = statement(statement::page(filter.view, filter.order, self.database.topology()))
            .of(workspace)
            .bind::<Nullable<Timestamptz>, _>("at", page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>("id", page.after.map(|after| after.id))
            .bind::<BigInt, _>("rows", rows)
            .bind::<Nullable<Text>, _>("status", filter.status.map(ConversationStatus::as_str))
            .bind::<Nullable<Text>, _>("network", filter.channel.map(ChannelKind::as_str))
            .bind::<Nullable<Text>, _>("tag", filter.tag.as_ref().map(Tag::folded))
            .bind::<Nullable<Array<Text>>, _>("patterns", patterns)
            .bind::<BigInt, _>("walked", if filter.is_narrow() { WALKED } else { rows })
            .bind::<Integer, _>("preview", PREVIEW_CHARS)
            .bind::<Uuid, _>("member", member.uuid())
            .bind::<BigInt, _>("most_unread", i64::from(MOST_UNREAD));
        listed = match filter.order {
            InboxOrder::Newest => listed
                .bind::<Nullable<Array<Text>>, _>("parts", parts)
                .bind::<Nullable<Text>, _>("counted", parts.and_then(counted))
                .bind::<BigInt, _>("few", FEW),
            InboxOrder::Waiting => listed,
        };
        listed = match filter.view {
            View::Mine(member) => listed.bind::<Uuid, _>("of", member.uuid()),
            View::Group(group) => listed.bind::<Uuid, _>("of", group.uuid()),
            View::Unassigned | View::All => listed,
        };
        let found: Vec<ListedRow> = listed.load(&mut connection).await.map_err(failed)?;
        let first = found.as_slice().first();
        let reached = first.and_then(|row| row.reached_at.zip(row.reached_id));
        let reached = reached.filter(|_| filter.is_narrow()).map(|(at, id)| Position { at, id });
        let rows = found.into_iter().filter_map(|row| row.conversation).map(FoundRow::read);
        Ok(FoundConversations { rows: rows.collect::<Result<_, _>>()?, reached })
    }

    async fn attention(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Attention>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(String, Option<OffsetDateTime>, Option<OffsetDateTime>)> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, conversation)))
            .select((conversations::channel, conversations::customer_wrote_at, conversations::waiting_since))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((channel, customer_wrote_at, waiting_since)) = row else { return Ok(None) };
        let channel = ChannelKind::read(&channel).ok_or_else(|| unreadable("channel"))?;
        Ok(Some(Attention { channel, customer_wrote_at, waiting_since }))
    }

    async fn inbox_counts(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<InboxCounts, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: CountsRow = statement(statement::COUNTS)
            .of(workspace)
            .bind::<Uuid, _>("member", member.uuid())
            .bind::<BigInt, _>("most", i64::from(most))
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        let groups = row.groups.into_iter().map(GroupId::from).zip(row.of_groups);
        Ok(InboxCounts {
            mine: read_count(row.mine)?,
            unassigned: read_count(row.unassigned)?,
            open: read_count(row.open)?,
            groups: groups
                .map(|(group, open)| Ok((group, read_count(open)?)))
                .collect::<Result<_, StoreError>>()?,
        })
    }

    async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
        message: MessageId,
        most: u32,
    ) -> Result<Option<ReadState>, StoreError> {
        let transaction = self.database.transaction().await?;
        // By the conversation that it is in now.
        let asked = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .filter(messages::id.eq(message.uuid()))
            .filter(messages::conversation_id.eq(current_conversation(workspace, conversation)))
            .select((messages::conversation_id, messages::created_at))
            .load::<(uuid::Uuid, OffsetDateTime)>(&mut &*transaction);
        let known = seen_conversations::table
            .filter(seen_conversations::workspace_id.eq(workspace.uuid()))
            .filter(seen_conversations::member_id.eq(member.uuid()))
            .filter(seen_conversations::conversation_id.eq(current_conversation(workspace, conversation)))
            .select(seen_conversations::seen_at)
            .load::<OffsetDateTime>(&mut &*transaction);
        let (asked, known) = transaction.begin_with(try_join(asked, known)).await.map_err(failed)?;
        let Some((conversation, created_at)) = asked.into_iter().next() else { return Ok(None) };
        let is_news = known.iter().all(|known| *known < created_at);
        let seen_at = known.into_iter().fold(created_at, OffsetDateTime::max);
        let mut flight = transaction.flight();
        flight.insert(
            insert(seen_conversations::table, workspace, &[seen_at])
                .column(seen_conversations::member_id, |_| member.uuid())
                .column(seen_conversations::conversation_id, |_| conversation)
                .column(seen_conversations::seen_at, |seen_at| *seen_at)
                .on_conflict((seen_conversations::member_id, seen_conversations::conversation_id))
                .set_excluded(seen_conversations::seen_at)
                .where_not_later(seen_conversations::seen_at),
        );
        if is_news {
            live::tell_of(&mut flight, workspace, member, LiveKind::ConversationChanged, conversation.into());
        }
        let since = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .filter(messages::conversation_id.eq(conversation))
            .filter(messages::created_at.gt(seen_at))
            .order((messages::created_at.desc(), messages::id.desc()))
            .limit(most.into())
            .select(messages::role)
            .load::<String>(&mut &*transaction);
        let seen = transaction.commit_with(try_join(flight.counts(), since)).await;
        match seen {
            Ok((_, since)) => {
                let of_customer = since.iter().filter(|role| *role == Role::Customer.as_str()).count();
                let unread = u32::try_from(of_customer).unwrap_or(most);
                Ok(Some(ReadState { seen_at: Some(seen_at), unread }))
            }
            // The conversation was just merged into another one.
            Err(error) if is_missing_reference(&error) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}
