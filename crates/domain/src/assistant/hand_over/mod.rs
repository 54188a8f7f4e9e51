//! Hand-over of a conversation to the team.

mod sentence;

pub use sentence::{HandOverTexts, LONGEST_SENTENCE, MOST_MINUTES, WHEN};
use sentence::{one_more, received};

use std::sync::Arc;

use time::{Duration, OffsetDateTime};

use super::{brief::last_file, language::language_of, ports::AssistantStore, reason::HandOverReason};
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
        let now = self.now();
        let language = language(&said, &settings.languages);
        let unread = last_file(&said).filter(|_| reason == HandOverReason::CannotRead);
        let text = settings.hand_over.text(language, hours.as_ref(), now);
        let text = match unread {
            Some(kind) => format!("{} {text}", received(kind, language)),
            None => text,
        };
        let says = self.reply(conversation, &said, text, now).map(|reply| {
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

    /// Returns what a customer is told who writes on after the hand-over at `handed_over_at`: when the team
    /// is back if it is closed, or that they are not forgotten once they have waited for long. `None` if
    /// that is too early, or nobody waits.
    pub async fn one_more(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        handed_over_at: OffsetDateTime,
    ) -> Result<Option<PreparedReply>, StoreError> {
        if !self.is_waited_for(workspace, conversation, handed_over_at).await? {
            return Ok(None);
        }
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        let hours = self.hours.settings(workspace).await?.hours;
        let (said, now) = (self.newest(workspace, conversation).await?, self.now());
        let language = language(&said, &settings.languages);
        let has_waited_long = now - handed_over_at >= settings.hand_over.patience();
        let text = one_more(language, hours.as_ref(), now, has_waited_long);
        let reply = text.and_then(|text| self.reply(conversation, &said, text, now));
        Ok(reply.map(|reply| PreparedReply { handed_over_at: Some(handed_over_at), ..reply }))
    }

    /// Returns the present time.
    pub(super) fn now(&self) -> OffsetDateTime {
        self.change.deps.clock.now()
    }

    /// Words a reply of a hand-over at `now`; `None` once the network lets nobody write to the customer.
    fn reply(
        &self,
        conversation: ConversationId,
        newest_first: &[KeptMessage],
        text: String,
        now: OffsetDateTime,
    ) -> Option<PreparedReply> {
        let wrote = newest_first.iter().find(|kept| kept.message.role == Role::Customer)?;
        // By the network's clock, if it has told the time.
        let wrote_at = wrote.message.sent_at.unwrap_or(wrote.message.created_at);
        (now - wrote_at < OPEN).then(|| PreparedReply {
            id: MessageId::new(&*self.change.deps.ids),
            conversation,
            author: ReplyAuthor::Assistant,
            text,
            buttons: Vec::new(),
            summary_of: None,
            until: (now + TOLD_WITHIN).min(wrote_at + OPEN),
            fence: None,
            handed_over_at: Some(now),
        })
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
