//! Customers' answers to the summaries of drafts.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    answer::Answer,
    ask_again::{MOST_SENT_AGAIN, asks, summary_again},
    commitment::{CommitmentState, DueCommitment, delay_message_of},
    draft::{DRAFT_GOOD_FOR, Draft, DraftState, commitment_key},
    draft_kind::DraftKind,
    ports::{AnswerSettled, AnsweredDraft, AskedAgain, DraftRecord, DraftStore, NewCommitment, Question},
    read_answer::{DraftButton, Said, read_answer},
    receipt::{declined, said_again},
    words::{self, Meaning},
};
use crate::{
    deps::Deps,
    errors::StoreError,
    ids::{CommitmentId, DraftId, MessageId, WorkspaceId},
    lease::LEASE,
    messages::{
        Context, Marks, Role, SendingState,
        ports::{KeptMessage, MessageStore},
    },
    paging::{PageLimit, PageRequest},
    vault::Vault,
};

/// Quiet time after a customer's message, after which the burst is read.
pub const BURST_GAP: Duration = Duration::from_millis(2_500);
/// Longest wait for the end of a burst, from its first message.
pub const LONGEST_BURST: Duration = Duration::from_secs(8);
/// Newest messages of a conversation that are looked at; a burst that reaches further back confirms nothing.
pub(crate) const MOST_MESSAGES: u64 = 100;

/// What the customer's messages since the summary say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerReading {
    Confirmed(MessageId),
    Ended(DraftState),
    /// Nothing up to this time confirms or declines it.
    Heard(OffsetDateTime),
    /// What was said up to this time is almost a yes.
    AskedAgain(OffsetDateTime),
}

/// What words are worth that the customer writes now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordsCount {
    /// Answers to the question, which is the last word.
    Yes,
    /// Answers to something newer, perhaps; if they are a yes, the question is worth putting again.
    IfAskedAgain,
    No,
}

/// Use case that reads answers.
pub struct ReadAnswers {
    pub drafts: Arc<dyn DraftStore>,
    pub messages: Arc<dyn MessageStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl ReadAnswers {
    /// Lists the workspaces with answers to read, without claiming any.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.drafts.workspaces_with_answers(self.deps.clock.now()).await
    }

    /// Reads the answer to one draft and writes what it comes to; `false` if none is due. If the customer
    /// writes meanwhile, nothing is written, and the answer is read again after the burst.
    ///
    /// # Errors
    /// After an error of the store the answer is due again when its lease ends.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let now = self.deps.clock.now();
        let Some(answered) = self.drafts.claim_answer(workspace, now, now + LEASE).await? else {
            return Ok(false);
        };
        let page = PageRequest { limit: PageLimit::new(MOST_MESSAGES).unwrap_or_default(), after: None };
        let said = self.messages.list(workspace, answered.draft.conversation, page).await?;
        let settled = match judge(&answered, &said.unwrap_or_default(), now) {
            AnswerReading::Confirmed(message) => match self.commitment(workspace, &answered.draft, message) {
                Some(new) => AnswerSettled::Confirmed(new),
                None => AnswerSettled::Ended(DraftState::Withdrawn),
            },
            AnswerReading::Ended(state) => AnswerSettled::Ended(state),
            AnswerReading::Heard(until) => AnswerSettled::Heard(until),
            AnswerReading::AskedAgain(heard_until) => {
                match summary_again(&answered.draft, MessageId::new(&*self.deps.ids)) {
                    Some(summary) => AnswerSettled::AskedAgain(AskedAgain { heard_until, at: now, summary }),
                    None => AnswerSettled::Heard(heard_until),
                }
            }
        };
        match self.drafts.settle_answer(workspace, &answered, &settled).await {
            Err(StoreError::Stale) => Ok(true),
            settled => settled.map(|()| true),
        }
    }

    fn commitment(
        &self,
        workspace: WorkspaceId,
        draft: &Draft,
        confirmed_by: MessageId,
    ) -> Option<NewCommitment> {
        let key = commitment_key(&*self.vault, workspace, draft.id, confirmed_by, &draft.proposal)?;
        let id = CommitmentId::new(&*self.deps.ids);
        Some(NewCommitment { id, confirmed_by, key, at: self.deps.clock.now() })
    }
}

/// Judges what the conversation's messages, newest first, say to a draft.
///
/// Words count only as the customer's first after the network has taken the question, and only while nobody
/// of the business has said anything since: a yes might answer that instead, or what was said before. A tap
/// on the draft's own button can mean nothing else, and only who has seen the summary can tap it.
///
/// Almost a yes brings the summary again, and so does a yes after something that the assistant has told
/// since.
fn judge(answered: &AnsweredDraft, newest_first: &[KeptMessage], now: OffsetDateTime) -> AnswerReading {
    let draft = &answered.draft;
    let is_from = |it: &&KeptMessage, role| it.message.role == role;
    let burst: Vec<&KeptMessage> = newest_first
        .iter()
        .rev()
        .filter(|it| is_from(it, Role::Customer) && it.message.created_at > answered.read_until)
        .collect();
    let last = burst.last().map(|it| &it.message);
    if !draft.is_good_at(last.map_or(now, |last| last.created_at)) {
        return AnswerReading::Ended(DraftState::Expired);
    }
    let Some(last) = last else { return AnswerReading::Heard(answered.read_until) };
    if !are_all_since(answered.read_until, newest_first) {
        return AnswerReading::Heard(last.created_at);
    }
    let words_count = count_words(answered, &burst, newest_first);
    let questions = [draft.summary, answered.question.message];
    let read = |words_count| {
        let said: Vec<Said<'_>> =
            burst.iter().map(|it| read_message(draft.id, &questions, it, words_count)).collect();
        read_answer(draft.id, draft.proposal.kind(), &said)
    };
    match read(words_count == WordsCount::Yes) {
        Answer::Yes => return AnswerReading::Confirmed(last.id),
        Answer::No => return AnswerReading::Ended(DraftState::Declined),
        Answer::Near | Answer::Other => {}
    }
    let is_worth_asking = match words_count {
        WordsCount::Yes => read(true) == Answer::Near,
        WordsCount::IfAskedAgain => read(true) == Answer::Yes,
        WordsCount::No => false,
    };
    if is_worth_asking && answered.sent_again < MOST_SENT_AGAIN && draft.is_good_at(now) {
        AnswerReading::AskedAgain(last.created_at)
    } else {
        AnswerReading::Heard(last.created_at)
    }
}

/// Returns what the words of a burst are worth. All of them have to come after the network took the question:
/// whatever came before it may answer something else. What the team says closes words for good; so does a
/// question of the assistant's, until it has told something.
fn count_words(answered: &AnsweredDraft, burst: &[&KeptMessage], newest_first: &[KeptMessage]) -> WordsCount {
    let Question { message, at } = answered.question;
    let asked = newest_first.iter().find(|it| it.message.id == message);
    let taken_at = asked.and_then(taken_at);
    if !taken_at.is_some_and(|taken_at| burst.iter().all(|it| it.message.created_at >= taken_at)) {
        return WordsCount::No;
    }
    let questions = [answered.draft.summary, message];
    let mut since = spoken_since(newest_first, &questions, |spoken| spoken > at);
    match since.next() {
        None if answered.only_button => WordsCount::IfAskedAgain,
        None => WordsCount::Yes,
        Some(last) if asks(&last.message.content) => WordsCount::No,
        Some(last) => {
            let by_team = last.message.role == Role::Team || since.any(|it| it.message.role == Role::Team);
            if by_team { WordsCount::No } else { WordsCount::IfAskedAgain }
        }
    }
}

/// Returns when the network took a message; `None` if it did not. Both times are this service's, and messages
/// have times in the order in which they were recorded.
fn taken_at(it: &KeptMessage) -> Option<OffsetDateTime> {
    let sending = it
        .sending
        .as_ref()
        .filter(|sending| sending.state == SendingState::Sent && sending.progress.failed_at.is_none())?;
    let recorded_at = it.message.created_at;
    Some(sending.settled_at.map_or(recorded_at, |settled_at| settled_at.max(recorded_at)))
}

/// Returns whether `newest_first` holds every message since `at`.
fn are_all_since(at: OffsetDateTime, newest_first: &[KeptMessage]) -> bool {
    newest_first.last().is_none_or(|oldest| oldest.message.created_at <= at)
        || newest_first.len() < usize::try_from(MOST_MESSAGES).unwrap_or(usize::MAX)
}

/// Lists what the team or the assistant has sent, `besides` apart, at times for which `is_then` holds, in the
/// order of `messages`.
fn spoken_since<'a>(
    messages: &'a [KeptMessage],
    besides: &[MessageId],
    is_then: impl Fn(OffsetDateTime) -> bool,
) -> impl Iterator<Item = &'a KeptMessage> {
    messages.iter().filter(move |it| {
        matches!(it.message.role, Role::Team | Role::Assistant)
            && !besides.contains(&it.message.id)
            && is_then(it.message.created_at)
    })
}

/// Returns whether the customer has said no since the confirmation: by the draft's own button, or in words
/// that say nothing else while nobody has said anything in between that they may answer. The delay message
/// asks nothing.
pub(crate) fn calls_off(due: &DueCommitment, newest_first: &[KeptMessage]) -> bool {
    let since = |it: &&KeptMessage| it.message.created_at > due.confirmed_at;
    let mut others_spoke = false;
    newest_first.iter().rev().filter(since).any(|it| match it.message.role {
        Role::Customer => {
            let said = read_message(due.draft, &[], it, !others_spoke);
            read_answer(due.draft, due.proposal.kind(), &[said]) == Answer::No
        }
        Role::Team | Role::Assistant => {
            others_spoke |= it.message.id != due.delay_message();
            false
        }
        Role::System => false,
    })
}

/// Returns whether each message says yes or no to something, in words or by a button of any draft, and
/// nothing else.
pub(crate) fn all_may_answer(messages: &[&KeptMessage]) -> bool {
    let is_answer = |kept: &&KeptMessage| {
        let message = &kept.message;
        let means = |kind| matches!(words::read(kind, &message.content), Meaning::Yes | Meaning::No);
        match &message.context.reply {
            Some(reply) => reply.id.starts_with("draft:"),
            None => DraftKind::ALL.into_iter().any(means),
        }
    };
    !messages.is_empty() && messages.iter().all(is_answer)
}

/// What code answers to messages that say no more than yes or no to a draft.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerByCode {
    /// The receipt, which is still to come, came at the same time, or was repeated before.
    Receipt,
    /// To a second yes, the receipt that stands before it; to a no, that nothing was done.
    Says(String),
}

/// Returns what answers the messages that the customer waits with, if they only repeat the yes to one of
/// `drafts` that is confirmed, or are the no that has ended the newest; `None` if they say anything else.
pub(crate) fn answer_by_code(
    drafts: &[DraftRecord],
    waiting: &[&KeptMessage],
    newest_first: &[KeptMessage],
) -> Option<AnswerByCode> {
    let confirmed = drafts.iter().find(|draft| repeats_yes(draft, waiting, newest_first));
    if let Some(draft) = confirmed {
        let receipt = receipt_before(draft, waiting, newest_first);
        return Some(receipt.map_or(AnswerByCode::Receipt, |said| AnswerByCode::Says(said_again(&said))));
    }
    let draft = drafts.first().filter(|draft| is_declined(draft, waiting, newest_first))?;
    let summary = newest_first.iter().find(|kept| kept.message.id == draft.summary)?;
    Some(AnswerByCode::Says(declined(draft.kind, &summary.message.content)))
}

/// Returns whether the messages are what has ended the draft: its button, or a no in words while nobody of
/// the business has said anything since the question.
fn is_declined(draft: &DraftRecord, waiting: &[&KeptMessage], newest_first: &[KeptMessage]) -> bool {
    let questions = [draft.summary, draft.question.message];
    let others_spoke = spoken_since(newest_first, &questions, |at| at > draft.question.at).next().is_some();
    let says_no = |kept: &&KeptMessage| {
        let said = read_message(draft.id, &questions, kept, !others_spoke);
        read_answer(draft.id, draft.kind, &[said]) == Answer::No
    };
    draft.state == DraftState::Declined && waiting.iter().all(says_no)
}

/// Returns the receipt that stood in the conversation before all of `waiting`, unless it was repeated since.
fn receipt_before(
    draft: &DraftRecord,
    waiting: &[&KeptMessage],
    newest_first: &[KeptMessage],
) -> Option<String> {
    let commitment = draft.commitment?;
    let settled_at = commitment.settled_at.filter(|at| are_all_since(*at, newest_first))?;
    let mut said = newest_first.iter().rev().filter(|kept| {
        kept.message.role == Role::Assistant
            && kept.message.created_at >= settled_at
            && ![draft.summary, draft.question.message, delay_message_of(commitment.id)]
                .contains(&kept.message.id)
    });
    let receipt = &said.next()?.message;
    let is_before = waiting.iter().all(|kept| kept.message.created_at > receipt.created_at);
    let was_repeated = said.any(|kept| kept.message.content.contains(&receipt.content));
    (is_before && !was_repeated).then(|| receipt.content.clone())
}

/// Returns whether the messages that the customer waits with only repeat the yes to a confirmed draft, so
/// that its receipt answers them, too.
///
/// Words count until the receipt, and only if nobody of the team has said anything since the summary that
/// they may answer instead. The draft's button can mean nothing else; but a customer who taps it again after
/// a failure, or long after the receipt, wants something.
fn repeats_yes(draft: &DraftRecord, waiting: &[&KeptMessage], newest_first: &[KeptMessage]) -> bool {
    let Some(commitment) = draft.commitment.filter(|_| draft.state == DraftState::Confirmed) else {
        return false;
    };
    let came_to_nothing = matches!(
        commitment.state,
        CommitmentState::Refused | CommitmentState::Changed | CommitmentState::GivenUp
    );
    let all_seen = are_all_since(draft.created_at, newest_first);
    let besides = [draft.summary, draft.question.message, delay_message_of(commitment.id)];
    let asked_at = draft.question.at;
    let says_yes = |kept: &&KeptMessage| {
        let said_at = kept.message.created_at;
        let is_before_receipt = commitment.settled_at.is_none_or(|at| said_at <= at);
        let receipt_is_fresh =
            !came_to_nothing && commitment.settled_at.is_some_and(|at| said_at - at < DRAFT_GOOD_FOR);
        let asked_since =
            || spoken_since(newest_first, &besides, |at| at > asked_at && at < said_at).next().is_some();
        let words_count = is_before_receipt && all_seen && !asked_since();
        let said = read_message(draft.id, &[draft.summary, draft.question.message], kept, words_count);
        (is_before_receipt || receipt_is_fresh) && read_answer(draft.id, draft.kind, &[said]) == Answer::Yes
    };
    !waiting.is_empty() && waiting.iter().all(says_yes)
}

/// Reads a message; with a quotation of any message but `questions` it is about more.
fn read_message<'a>(
    draft: DraftId,
    questions: &[MessageId],
    kept: &'a KeptMessage,
    words_count: bool,
) -> Said<'a> {
    let message = &kept.message;
    let Context {
        reply_to,
        reply_to_unknown,
        forwarded,
        held_elsewhere,
        product,
        story,
        referral: _,
        reply,
        unavailable,
    } = &message.context;
    let Marks { reaction: _, edited_at, deleted_at } = &message.marks;
    let own_button = |id: &str| {
        [DraftButton::Confirm, DraftButton::Change].into_iter().any(|button| button.id_of(draft) == id)
    };
    let tapped = reply.as_ref().map(|reply| reply.id.as_str());
    let is_tap = tapped.is_some_and(own_button);
    let brings_files = [&kept.missing, &kept.awaited, unavailable].into_iter().any(|kinds| !kinds.is_empty());
    let is_about_more = brings_files
        || !kept.files.is_empty()
        || *forwarded
        // The message answers the application that held the conversation then.
        || *held_elsewhere
        || product.is_some()
        || story.is_some()
        || edited_at.is_some()
        || deleted_at.is_some()
        || reply_to.is_some_and(|to| !questions.contains(&to))
        // A tap may come before it is known that the network has the summary.
        || (*reply_to_unknown && !is_tap)
        || !(words_count || is_tap);
    Said { text: &message.content, tapped, is_about_more }
}

#[cfg(test)]
mod tests;
