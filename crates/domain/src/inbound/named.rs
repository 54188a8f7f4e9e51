//! Messages of which a network gives the id alone: it is asked for their content and their person.

use std::sync::Arc;

use super::{
    JournalEntry, JournalItem, NamedMessage, UpdateOutcome,
    conversation::{ConversationUpdate, UpdateKind},
    ports::{MessageOrigins, NetworkMessages},
};
use crate::{
    channels::{
        UnreadCount,
        ports::{NetworkError, UnreadUpdates},
    },
    clock::Clock,
    ids::ChannelId,
};

/// Field under which messages are counted that could not be fetched.
const LOST: &str = "message_edit";

/// Fetcher of messages that a network gave by their ids alone.
pub struct OpenNamed {
    pub origins: Arc<dyn MessageOrigins>,
    pub network: Arc<dyn NetworkMessages>,
    pub unread: Arc<dyn UnreadUpdates>,
    pub clock: Arc<dyn Clock>,
}

impl OpenNamed {
    /// Returns the entry with the message fetched from the network.
    ///
    /// # Errors
    /// The outcome of the entry instead: tried again, or lost for good.
    pub(super) async fn run(
        &self,
        entry: &JournalEntry,
        channel: ChannelId,
        named: &NamedMessage,
    ) -> Result<JournalEntry, UpdateOutcome> {
        match self.open(entry, channel, named).await {
            Ok(update) => {
                let item = JournalItem::Conversation { channel, update: Box::new(update) };
                Ok(JournalEntry { item, ..entry.clone() })
            }
            Err(UpdateOutcome::Lost(reason)) => {
                let (counts, today) = (UnreadCount::of([LOST]), self.clock.now().date());
                let counted = self.unread.count(entry.workspace, &counts, today).await;
                Err(counted.map_or_else(|error| UpdateOutcome::of(&error), |_| UpdateOutcome::Lost(reason)))
            }
            Err(outcome) => Err(outcome),
        }
    }

    async fn open(
        &self,
        entry: &JournalEntry,
        channel: ChannelId,
        named: &NamedMessage,
    ) -> Result<ConversationUpdate, UpdateOutcome> {
        let lost = |reason: &str| UpdateOutcome::Lost(reason.to_owned());
        let origin = self.origins.origin(entry.workspace, channel).await;
        let origin = origin.map_err(|error| UpdateOutcome::of(&error))?;
        let origin = origin.ok_or_else(|| lost("its page or account is not connected any more"))?;
        match self.network.message(&origin, named).await {
            Ok(Some(update)) => Ok(completed(update, named)),
            Ok(None) => Err(lost("the network does not say whose message it is")),
            Err(NetworkError::Unavailable(reason)) => Err(UpdateOutcome::Failed(reason)),
            Err(error @ NetworkError::Refused { .. }) => Err(UpdateOutcome::Lost(error.to_string())),
        }
    }
}

/// Applies to the message what the network told beside its id.
fn completed(mut update: ConversationUpdate, named: &NamedMessage) -> ConversationUpdate {
    update.hold(named.is_held);
    update.what = match update.what {
        UpdateKind::Wrote(written) if named.is_edit => UpdateKind::Edited {
            message: written.network_id,
            content: written.content,
            held_elsewhere: named.is_held,
        },
        what => what,
    };
    update
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use secrecy::SecretString;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::OpenNamed;
    use crate::{
        attachments::ports::MediaOrigin,
        channels::{
            ChannelKind,
            ports::{MockUnreadUpdates, NetworkError},
        },
        contacts::Identity,
        inbound::{
            ConversationUpdate, JournalEntry, JournalItem, NamedMessage, Person, UpdateKind, UpdateOutcome,
            Written,
            ports::{MockMessageOrigins, MockNetworkMessages},
        },
        messages::Context,
        testing::{ManualClock, a_conversation, a_moment, a_workspace},
    };

    fn named(is_edit: bool, is_held: bool) -> NamedMessage {
        let (network, message) = (ChannelKind::Instagram, "m_1".to_owned().into());
        NamedMessage { network, message, is_edit, is_held, at: None }
    }

    fn wrote(at: OffsetDateTime) -> ConversationUpdate {
        let identities = vec![Identity::InstagramUser("99".to_owned())];
        let written = Written {
            network_id: "m_1".to_owned().into(),
            content: "بكم هذا؟".to_owned(),
            media: Vec::new(),
            context: Context::default(),
        };
        let person = Person { identities, name: None, avatar_url: None };
        ConversationUpdate { person, at, what: UpdateKind::Wrote(written) }
    }

    /// Runs an entry against this answer of the network.
    async fn opened(
        named: NamedMessage,
        answer: Result<Option<ConversationUpdate>, NetworkError>,
        counted: usize,
    ) -> Result<JournalItem, UpdateOutcome> {
        let mut origins = MockMessageOrigins::new();
        origins.expect_origin().returning(|_, _| {
            let (channel, token) = (ChannelKind::Instagram, SecretString::from("a token"));
            Ok(Some(MediaOrigin { channel, channel_network_id: "17".to_owned(), token }))
        });
        let (mut network, mut unread) = (MockNetworkMessages::new(), MockUnreadUpdates::new());
        network.expect_message().return_once(move |_, _| answer);
        unread.expect_count().times(counted).returning(|_, _, _| Ok(Vec::new()));
        let open = OpenNamed {
            origins: Arc::new(origins),
            network: Arc::new(network),
            unread: Arc::new(unread),
            clock: Arc::new(ManualClock::at(a_moment())),
        };
        let channel = a_conversation().channel;
        let entry = JournalEntry {
            id: Uuid::from_u128(1).into(),
            workspace: a_workspace().id,
            received_at: a_moment(),
            attempts: 0,
            item: JournalItem::Named { channel, named: named.clone() },
        };
        open.run(&entry, channel, &named).await.map(|entry| entry.item)
    }

    #[pollster::test]
    async fn what_the_network_hands_over_is_what_happened() {
        let item = opened(named(false, true), Ok(Some(wrote(a_moment()))), 0).await.unwrap();
        let JournalItem::Conversation { update, .. } = item else { panic!("{item:?}") };
        let UpdateKind::Wrote(written) = update.what else { panic!("the customer wrote") };
        assert!(written.context.held_elsewhere && written.content == "بكم هذا؟");
        let item = opened(named(true, false), Ok(Some(wrote(a_moment()))), 0).await.unwrap();
        let JournalItem::Conversation { update, .. } = item else { panic!("{item:?}") };
        assert!(matches!(update.what, UpdateKind::Edited { content, .. } if content == "بكم هذا؟"));
    }

    #[pollster::test]
    async fn what_cannot_be_had_is_set_aside_and_counted_and_what_may_be_had_later_is_tried_again() {
        let refused = NetworkError::Refused { code: 100, message: "no such object".to_owned() };
        for (answer, counted) in
            [(Ok(None), 1), (Err(refused), 1), (Err(NetworkError::Unavailable("busy".to_owned())), 0)]
        {
            let outcome = opened(named(false, false), answer, counted).await.unwrap_err();
            assert_eq!(matches!(outcome, UpdateOutcome::Lost(_)), counted == 1, "{outcome:?}");
            assert_eq!(matches!(outcome, UpdateOutcome::Failed(_)), counted == 0, "{outcome:?}");
        }
    }
}
