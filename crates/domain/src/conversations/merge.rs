//! Merging of conversations whose customers turn out to be one person.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use crate::{
    conversation::ConversationStatus,
    ids::{ChannelId, ConversationId, GroupId, MemberId, MessageId},
};

/// State of a conversation, as far as a merge decides about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedConversation {
    pub id: ConversationId,
    pub channel: ChannelId,
    pub status: ConversationStatus,
    pub assigned_to: Option<MemberId>,
    pub group: Option<GroupId>,
    pub announced: bool,
    pub version: i64,
    pub created_at: OffsetDateTime,
    pub last_message_at: OffsetDateTime,
    pub customer_wrote_at: Option<OffsetDateTime>,
    pub moved_at: Option<OffsetDateTime>,
    pub stamped_at: Option<OffsetDateTime>,
    pub waiting_since: Option<OffsetDateTime>,
}

/// Result of merging one person's conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationMerge {
    /// Conversations that go, each with the one that it is merged into.
    pub gone: Vec<(ConversationId, ConversationId)>,
    /// Conversations that others are merged into, as they are afterwards.
    pub kept: Vec<MergedConversation>,
}

/// Merges the conversations of one person: over each channel the oldest stays. Returns only what changes.
pub fn merge(mut conversations: Vec<MergedConversation>) -> ConversationMerge {
    conversations.sort_by_key(|conversation| (conversation.created_at, conversation.id));
    let mut gone: Vec<(ConversationId, ConversationId)> = Vec::new();
    let mut kept: Vec<MergedConversation> = Vec::new();
    for conversation in conversations {
        match kept.iter_mut().find(|kept| kept.channel == conversation.channel) {
            Some(kept) => {
                gone.push((conversation.id, kept.id));
                kept.absorb(&conversation);
            }
            None => kept.push(conversation),
        }
    }
    kept.retain(|kept| gone.iter().any(|(_, into)| *into == kept.id));
    ConversationMerge { gone, kept }
}

impl MergedConversation {
    /// Takes the other conversation in. The state of the one that is still attended to wins.
    fn absorb(&mut self, gone: &Self) {
        use ConversationStatus::{Bot, Closed, Open};
        let wins = match (self.status, gone.status) {
            (Closed, Bot | Open) | (Bot, Open) => true,
            (Closed, Closed) | (Bot, Bot | Closed) | (Open, _) => false,
        };
        if wins {
            self.status = gone.status;
            self.assigned_to = gone.assigned_to;
            self.group = gone.group.or(self.group);
        } else {
            self.group = self.group.or(gone.group);
        }
        self.announced |= gone.announced;
        self.version = self.version.max(gone.version).saturating_add(1);
        self.last_message_at = self.last_message_at.max(gone.last_message_at);
        self.customer_wrote_at = self.customer_wrote_at.max(gone.customer_wrote_at);
        self.moved_at = self.moved_at.max(gone.moved_at);
        self.stamped_at = self.stamped_at.max(gone.stamped_at);
        // The customer waits until both are answered.
        self.waiting_since = [self.waiting_since, gone.waiting_since].into_iter().flatten().min();
    }
}

impl ConversationMerge {
    /// Returns the newest of these unread messages for each conversation that stays.
    pub fn newest_unread(
        &self,
        unread: impl IntoIterator<Item = (ConversationId, MessageId)>,
    ) -> BTreeMap<ConversationId, MessageId> {
        let mut newest = BTreeMap::new();
        for (conversation, message) in unread {
            let into = self.gone.iter().find(|(gone, _)| *gone == conversation);
            let into = into.map_or(conversation, |(_, into)| *into);
            let known = newest.entry(into).or_insert(message);
            *known = (*known).max(message);
        }
        newest
    }
}
