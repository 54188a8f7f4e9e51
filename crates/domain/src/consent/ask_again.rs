//! The question of a draft, put again.

use super::{
    draft::Draft,
    ports::{DraftStore, Question},
    propose::prepared_summary,
    summary::{Summary, question_of},
};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::{PreparedReply, ReplyButton},
    sending::fits,
};

/// Most times that the summary of one draft is sent again: whoever answers that with words that are no yes
/// wants something else.
pub(super) const MOST_SENT_AGAIN: u8 = 2;

/// Makes the reply `id` that sends the summary again and says which words are a yes. `None` if a total has
/// more digits than an amount holds.
pub(super) fn summary_again(draft: &Draft, id: MessageId) -> Option<PreparedReply> {
    let how = draft.language.pick(
        "للتأكيد اكتب «نعم» أو اضغط الزر.",
        "To confirm, write “yes” or tap the button.",
        "بۆ پشتڕاستکردنەوە «بەڵێ» بنووسن یان دوگمەکە دابگرن.",
    );
    prepared_summary(draft, id, None, Some(how))
}

/// An answer to something else, with the question of the open draft behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerWithQuestion {
    pub text: String,
    pub buttons: Vec<ReplyButton>,
}

/// Returns the answer with the question of `draft` behind it; `None` if the answer asks something itself,
/// which a yes may answer instead, or asks about the draft already.
fn with_question(answer: &str, draft: &Draft) -> Option<AnswerWithQuestion> {
    if asks(answer) {
        return None;
    }
    let question = question_of(&draft.proposal, draft.language)?;
    let Summary { text: _, buttons } = Summary::of(draft.id, &draft.proposal, draft.language)?;
    Some(AnswerWithQuestion { text: format!("{}\n\n{question}", answer.trim_end()), buttons })
}

/// Returns whether a text of the business asks something.
pub(super) fn asks(text: &str) -> bool {
    text.contains(['?', '؟', '？'])
}

/// Puts the question of the conversation's open draft behind the answer to something else, so that it is the
/// last word again and a yes can only mean it. Returns `answer`, which is sent as the question's message,
/// with the question behind it; `None` if it is sent as it is, as where both do not fit one message of the
/// network. Words count for the draft once the network has taken that message, and not before: if it is never
/// sent, the draft keeps its buttons.
pub(crate) async fn repeat_question(
    drafts: &dyn DraftStore,
    workspace: WorkspaceId,
    (conversation, channel): (ConversationId, ChannelKind),
    answer: &str,
    question: Question,
) -> Result<Option<AnswerWithQuestion>, StoreError> {
    let Some(draft) = drafts.open_draft(workspace, conversation).await? else { return Ok(None) };
    let both = with_question(answer, &draft).filter(|_| draft.is_good_at(question.at));
    let Some(both) = both.filter(|both| fits(channel, &both.text, true)) else { return Ok(None) };
    let is_put = drafts.repeat_question(workspace, draft.id, question).await?;
    Ok(is_put.then_some(both))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use time::Duration;
    use uuid::Uuid;

    use super::*;
    use crate::{
        consent::{fixtures::a_draft, ports::MockDraftStore, summary::asks_to_confirm},
        testing::{a_conversation, a_moment, a_workspace},
    };

    fn asked_now() -> Question {
        Question { message: Uuid::from_u128(90).into(), at: a_moment() + Duration::MINUTE }
    }

    async fn put(answer: &str, draft: Option<Draft>, is_put: bool) -> (Option<AnswerWithQuestion>, usize) {
        let mut drafts = MockDraftStore::new();
        drafts.expect_open_draft().returning(move |_, _| Ok(draft.clone()));
        let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        drafts.expect_repeat_question().returning(move |_, _, question| {
            assert_eq!(question, asked_now());
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(is_put)
        });
        let whom = (a_conversation().id, ChannelKind::Whatsapp);
        let put = repeat_question(&drafts, a_workspace().id, whom, answer, asked_now()).await.ok().flatten();
        (put, asked.load(std::sync::atomic::Ordering::Relaxed))
    }

    #[pollster::test]
    async fn the_question_is_put_behind_an_answer_with_the_buttons_that_it_had() {
        let answer = "التوصيل داخل بغداد خلال يومين.";
        let (put, asked) = put(answer, Some(a_draft()), true).await;
        let put = put.unwrap();
        let text = put.text.replace(['\u{2066}', '\u{2068}', '\u{2069}'], "");
        assert_eq!(
            text,
            format!("{answer}\n\nطلبك ما زال ينتظر تأكيدك، والمجموع 3,000 د.ع.\nهل تؤكد الطلب؟")
        );
        assert!(asks_to_confirm(&put.text));
        let summary = Summary::of(a_draft().id, &a_draft().proposal, a_draft().language).unwrap();
        assert_eq!(put.buttons, summary.buttons);
        assert_eq!(asked, 1);
    }

    #[pollster::test]
    async fn an_answer_that_asks_something_itself_is_sent_as_it_is() {
        for answer in ["تريد التوصيل سريع؟", "Which size?", "هل تؤكد الطلب؟"] {
            assert_eq!(put(answer, Some(a_draft()), true).await, (None, 0));
        }
    }

    #[pollster::test]
    async fn an_answer_that_leaves_no_room_for_the_question_is_sent_as_it_is() {
        assert_eq!(put(&"ا".repeat(1_000), Some(a_draft()), true).await, (None, 0));
    }

    #[pollster::test]
    async fn without_a_draft_that_can_be_confirmed_nothing_is_asked() {
        let over = Draft { expires_at: a_moment() + Duration::MINUTE, ..a_draft() };
        assert_eq!(put("نعم متوفر", None, true).await, (None, 0));
        assert_eq!(put("نعم متوفر", Some(over), true).await, (None, 0));
        // The customer has written meanwhile, or the draft was closed.
        assert_eq!(put("نعم متوفر", Some(a_draft()), false).await, (None, 1));
    }
}
