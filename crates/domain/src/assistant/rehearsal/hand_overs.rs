//! What was handed over in the last days, and why: questions to add.

use std::{cmp::Reverse, sync::Arc};

use time::{Duration, OffsetDateTime};

use super::{ports::HandOverLog, question::LONGEST_QUESTION};
use crate::{
    assistant::reason::HandOverReason,
    attachments::AttachmentKind,
    clock::Clock,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    text::is_blank,
};

/// Hand-overs that are shown one by one.
pub const SHOWN_HAND_OVERS: u32 = 50;
/// Days that are looked back.
const LOOKED_BACK: Duration = Duration::days(7);

/// A hand-over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedOver {
    pub conversation: ConversationId,
    pub reason: HandOverReason,
    pub at: OffsetDateTime,
    /// What the customer had written last, read from the conversation; `None` if that is gone.
    pub question: Option<String>,
}

impl HandedOver {
    /// Returns what the customer had written as a question to add; `None` if there is no text in it.
    pub fn as_question(&self) -> Option<String> {
        let written = self.question.clone()?;
        let text = AttachmentKind::ALL.iter().fold(written, |text, kind| text.replace(&kind.stand_in(), ""));
        let text = text.trim();
        (!is_blank(text)).then(|| text.chars().take(LONGEST_QUESTION).collect())
    }
}

/// Hand-overs of a week.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandOversOfWeek {
    /// Most frequent first.
    pub reasons: Vec<(HandOverReason, u64)>,
    /// Newest first, up to [`SHOWN_HAND_OVERS`].
    pub newest: Vec<HandedOver>,
}

/// Use case that reads what was handed over. Nothing is copied: an owner adds what becomes a question.
#[derive(Clone)]
pub struct ReadHandOvers {
    pub log: Arc<dyn HandOverLog>,
    pub clock: Arc<dyn Clock>,
}

impl ReadHandOvers {
    /// Returns the hand-overs of the last seven days.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<HandOversOfWeek, StoreError> {
        let since = self.clock.now() - LOOKED_BACK;
        let mut reasons = self.log.count_hand_overs(workspace, since).await?;
        reasons.sort_by_key(|(reason, count)| (Reverse(*count), reason.as_str()));
        let newest = self.log.hand_overs(workspace, since, SHOWN_HAND_OVERS).await?;
        Ok(HandOversOfWeek { reasons, newest })
    }
}

#[cfg(test)]
mod tests {
    use super::{HandOverReason, HandedOver, LONGEST_QUESTION};
    use crate::{
        attachments::AttachmentKind,
        testing::{a_conversation, a_moment},
    };

    #[test]
    fn what_a_customer_had_written_is_a_question_if_there_are_words_in_it() {
        let photo = AttachmentKind::Image.stand_in();
        let (long, cut) = ("ا".repeat(LONGEST_QUESTION + 9), "ا".repeat(LONGEST_QUESTION));
        for (written, question) in [
            (Some("شكد السعر؟".to_owned()), Some("شكد السعر؟".to_owned())),
            (Some(format!("{photo} شكد هذا؟")), Some("شكد هذا؟".to_owned())),
            (Some(long), Some(cut)),
            (Some(photo), None),
            (None, None),
        ] {
            let handed_over = HandedOver {
                conversation: a_conversation().id,
                reason: HandOverReason::ModelAsked,
                at: a_moment(),
                question: written,
            };
            assert_eq!(handed_over.as_question(), question);
        }
    }
}
