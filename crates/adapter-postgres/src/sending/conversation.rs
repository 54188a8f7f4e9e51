//! Contacts and their conversations over channels.

use std::collections::{BTreeSet, HashMap};

use diesel::{BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, SelectableHelper};
use domain::{
    contacts::Contact,
    conversation::Conversation,
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
    phone::PhoneNumber,
    sending::ConversationParts,
};

use crate::{
    contacts::ContactRow,
    conversations::{ConversationRow, group_name},
    error::failed,
    schema::{contacts, conversations},
    sending::PgSends,
    sql::RunQueryDsl,
};

struct Found {
    contact: Contact,
    conversations: Vec<Conversation>,
}

impl PgSends {
    pub(super) async fn find_conversation(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        phone: &PhoneNumber,
    ) -> Result<ConversationParts, StoreError> {
        let store = self.clone();
        let run = move |asked: Vec<(ChannelId, PhoneNumber)>| {
            let store = store.clone();
            async move { store.find_conversations(workspace, &asked).await }
        };
        self.batches.conversation.call(workspace, (channel, phone.clone()), run).await
    }

    pub(super) async fn find_conversations(
        &self,
        workspace: WorkspaceId,
        asked: &[(ChannelId, PhoneNumber)],
    ) -> Result<Vec<ConversationParts>, StoreError> {
        let channels: BTreeSet<uuid::Uuid> = asked.iter().map(|(channel, _)| channel.uuid()).collect();
        let phones: BTreeSet<&str> = asked.iter().map(|(_, phone)| phone.as_str()).collect();
        let over_them = conversations::workspace_id
            .eq(workspace.uuid())
            .and(conversations::contact_id.eq(contacts::id))
            .and(conversations::channel_id.eq_any(Vec::from_iter(channels)));
        let mut connection = self.database.connection().await?;
        let rows: Vec<(ContactRow, Option<ConversationRow>, Option<String>)> = contacts::table
            .left_join(conversations::table.on(over_them))
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::phone.eq_any(Vec::from_iter(phones)))
            .select((ContactRow::as_select(), Option::<ConversationRow>::as_select(), group_name(workspace)))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let found = by_phone(rows)?;
        let parts = |(channel, phone): &(ChannelId, PhoneNumber)| match found.get(phone) {
            Some(found) => found.over(*channel),
            None => ConversationParts::default(),
        };
        Ok(asked.iter().map(parts).collect())
    }
}

fn by_phone(
    rows: Vec<(ContactRow, Option<ConversationRow>, Option<String>)>,
) -> Result<HashMap<PhoneNumber, Found>, StoreError> {
    let mut found: HashMap<PhoneNumber, Found> = HashMap::new();
    for (contact, conversation, group) in rows {
        let contact = contact.read()?;
        let Some(phone) = contact.phone.clone() else { continue };
        let conversation = conversation.map(|row| row.read(group)).transpose()?;
        let of_phone = found.entry(phone).or_insert(Found { contact, conversations: Vec::new() });
        of_phone.conversations.extend(conversation);
    }
    Ok(found)
}

impl Found {
    fn over(&self, channel: ChannelId) -> ConversationParts {
        let conversation = self.conversations.iter().find(|conversation| conversation.channel == channel);
        ConversationParts {
            contact: Some(self.contact.clone()),
            conversation: conversation.cloned(),
            files: Vec::new(),
        }
    }
}
