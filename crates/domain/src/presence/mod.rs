//! Who of the team is in a conversation right now, so that two do not answer at once.
//!
//! A browser repeats that its member is there. Without a repeat the member is gone after [`SHOWN_FOR`];
//! nothing of it is kept.

pub mod ports;
mod present;

pub use present::{Doing, Present};

use std::{sync::Arc, time::Duration};

use self::ports::PresenceStore;
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
};

/// Time for which a member is shown after the last report of their browser, which may miss two.
pub const SHOWN_FOR: Duration = Duration::from_secs(40);

/// Shows members who else is in a conversation.
pub struct WatchConversation {
    pub store: Arc<dyn PresenceStore>,
    pub clock: Arc<dyn Clock>,
}

impl WatchConversation {
    /// Notes that the member is there, and returns who else is. Others are told only what is new to them.
    /// `None` if the workspace has no such conversation.
    pub async fn note(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
        doing: Doing,
    ) -> Result<Option<Vec<Present>>, StoreError> {
        let now = self.clock.now();
        let here = Present { member, doing, until: now + SHOWN_FOR };
        if !self.store.note(workspace, conversation, here, now).await? {
            return Ok(None);
        }
        self.others(workspace, member, conversation).await
    }

    /// Notes that the member has left the conversation.
    pub async fn leave(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
    ) -> Result<(), StoreError> {
        self.store.leave(workspace, conversation, member).await
    }

    /// Lists who is there besides the member, those who answer first. `None` if the workspace has no such
    /// conversation.
    pub async fn others(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
    ) -> Result<Option<Vec<Present>>, StoreError> {
        let found = self.store.present(workspace, conversation, self.clock.now()).await?;
        Ok(found.map(|mut found| {
            found.retain(|present| present.member != member);
            found.sort_by_key(|present| (present.doing == Doing::Looking, present.member.uuid()));
            found
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use time::Duration;
    use uuid::Uuid;

    use super::{Doing, Present, SHOWN_FOR, WatchConversation, ports::MockPresenceStore};
    use crate::{
        ids::MemberId,
        testing::{ManualClock, a_conversation, a_moment, a_workspace},
    };

    fn member(number: u128) -> MemberId {
        Uuid::from_u128(number).into()
    }

    fn present(number: u128, doing: Doing) -> Present {
        Present { member: member(number), doing, until: a_moment() + Duration::seconds(1) }
    }

    fn watch(store: MockPresenceStore) -> WatchConversation {
        WatchConversation { store: Arc::new(store), clock: Arc::new(ManualClock::at(a_moment())) }
    }

    #[pollster::test]
    async fn whoever_is_there_hears_of_the_others_and_of_those_who_answer_first() {
        let mut store = MockPresenceStore::new();
        store
            .expect_note()
            .withf(|workspace, conversation, here, now| {
                let wanted =
                    Present { member: member(2), doing: Doing::Answering, until: a_moment() + SHOWN_FOR };
                (*workspace, *conversation) == (a_workspace().id, a_conversation().id)
                    && (*here, *now) == (wanted, a_moment())
            })
            .once()
            .returning(|_, _, _, _| Ok(true));
        let all = [
            present(1, Doing::Looking),
            present(2, Doing::Answering),
            present(4, Doing::Answering),
            present(3, Doing::Answering),
        ];
        store.expect_present().once().returning(move |_, _, _| Ok(Some(all.to_vec())));
        let others =
            watch(store).note(a_workspace().id, member(2), a_conversation().id, Doing::Answering).await;
        let others: Vec<MemberId> = others.unwrap().unwrap().iter().map(|present| present.member).collect();
        assert_eq!(others, [member(3), member(4), member(1)]);
    }

    #[pollster::test]
    async fn nobody_is_in_a_conversation_that_is_not_there() {
        let mut store = MockPresenceStore::new();
        store.expect_note().returning(|_, _, _, _| Ok(false));
        let noted = watch(store).note(a_workspace().id, member(2), a_conversation().id, Doing::Looking).await;
        assert_eq!(noted.unwrap(), None);
    }

    #[test]
    fn what_members_do_reads_back_from_its_name() {
        for doing in Doing::ALL {
            assert_eq!(Doing::read(doing.as_str()), Some(doing));
        }
        assert_eq!(Doing::read("sleeping"), None);
    }
}
