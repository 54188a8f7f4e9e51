//! Hand-over of a conversation to the team.

mod sentence;

pub use sentence::{HandOverTexts, LONGEST_SENTENCE, WHEN};

use std::sync::Arc;

use time::{Duration, OffsetDateTime};

use super::{language::language_of, ports::AssistantStore, reason::HandOverReason};
use crate::{
    automations::ports::AutomationStore,
    consent::MOST_MESSAGES,
    conversation::ConversationStatus,
    conversations::{Actor, ChangeConversation, ChangeError, Command, Move, MoveRefusal, SaidOfMove},
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    language::Language,
    messages::{
        PreparedReply, ReplyAuthor, Role,
        ports::{KeptMessage, MessageStore},
    },
    paging::{PageLimit, PageRequest},
};

/// Window after the hand-over in which the customer may still be told of it, if the network was away.
const TOLD_WITHIN: Duration = Duration::minutes(15);
/// Window after a customer's message in which anybody may write to them
/// (docs/run/networks.md, "How long somebody may be answered").
const OPEN: Duration = Duration::hours(24);
/// Pause in which the receipt of what the customer confirmed goes out first.
const AFTER_RECEIPT: Duration = Duration::seconds(2);

/// Use case that hands a conversation over, and tells the customer so.
#[derive(Clone)]
pub struct HandOver {
    pub settings: Arc<dyn AssistantStore>,
    pub hours: Arc<dyn AutomationStore>,
    pub messages: Arc<dyn MessageStore>,
    pub change: Arc<ChangeConversation>,
}

impl HandOver {
    /// Hands the conversation over, unless it is no longer the assistant's; returns whether it did. The
    /// transaction of the move queues the text that tells the customer, so that they are told once.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        reason: HandOverReason,
    ) -> Result<bool, StoreError> {
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        let said = self.newest(workspace, conversation).await?;
        let hours = self.hours.settings(workspace).await?.hours;
        let deps = &self.change.deps;
        let now = deps.clock.now();
        let wrote_at = said.iter().find(|kept| kept.message.role == Role::Customer);
        // By the network's clock, if it has told the time.
        let wrote_at = wrote_at.map(|kept| kept.message.sent_at.unwrap_or(kept.message.created_at));
        let says = wrote_at.filter(|at| now - *at < OPEN).map(|wrote_at| {
            let language = language(&said, &settings.languages);
            let reply = PreparedReply {
                id: MessageId::new(&*deps.ids),
                conversation,
                author: ReplyAuthor::Assistant,
                text: settings.hand_over.text(language, hours.as_ref(), now),
                buttons: Vec::new(),
                summary_of: None,
                until: (now + TOLD_WITHIN).min(wrote_at + OPEN),
                fence: None,
                handed_over_at: Some(now),
            };
            let waits = if reason.follows_receipt() { AFTER_RECEIPT } else { Duration::ZERO };
            SaidOfMove { reply, due_at: now + waits }
        });
        let asked = |group| Move {
            by: Actor::Assistant { need: reason.as_str().to_owned() },
            command: Command::Escalate(group),
        };
        let (asked, says) = (&asked, says.as_ref());
        let ask =
            |group| async move { self.change.run_saying(workspace, conversation, &asked(group), says).await };
        let moved = match ask(settings.group).await {
            // A deleted group must not keep a conversation from the team.
            Err(ChangeError::Refused(MoveRefusal::NoSuchGroup)) => ask(None).await,
            moved => moved,
        };
        match moved {
            Ok(moved) => Ok(moved.changed),
            Err(ChangeError::NotFound | ChangeError::Refused(_)) => Ok(false),
            Err(ChangeError::Store(error)) => Err(error),
        }
    }

    /// Returns whether the customer still waits for a person since the hand-over at `handed_over_at`: the
    /// conversation is with the team, and nobody of it has written since.
    pub async fn is_waited_for(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        handed_over_at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let found = self.change.store.find(workspace, conversation).await?;
        if found.is_none_or(|found| found.status != ConversationStatus::Open) {
            return Ok(false);
        }
        let said = self.newest(workspace, conversation).await?;
        Ok(!said
            .iter()
            .any(|kept| kept.message.role == Role::Team && kept.message.created_at >= handed_over_at))
    }

    async fn newest(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Vec<KeptMessage>, StoreError> {
        let page = PageRequest { limit: PageLimit::new(MOST_MESSAGES).unwrap_or_default(), after: None };
        Ok(self.messages.list(workspace, conversation, page).await?.unwrap_or_default())
    }
}

/// Returns the customer's language if it is among `languages`, and the first of these otherwise.
fn language(newest_first: &[KeptMessage], languages: &[Language]) -> Language {
    let theirs = newest_first.iter().filter(|kept| kept.message.role == Role::Customer);
    let written = theirs.map(|kept| kept.message.content.as_str()).find_map(|text| language_of([text]));
    let is_known = |language: &Language| languages.is_empty() || languages.contains(language);
    written.filter(is_known).or(languages.first().copied()).unwrap_or(Language::Arabic)
}
