//! What a store keeps of one conversation, in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use domain::{
    assistant::{DueTurn, TurnRecord, TurnResult, ports::TurnStore},
    audit::AuditEntry,
    clock::Clock,
    consent::{
        CommitmentState, Draft, DraftState, DueCommitment,
        ports::{
            AnswerSettled, AnsweredDraft, AskedAgain, CommitmentRecord, CommitmentSettlement,
            CommitmentStore, DraftHolder, DraftRecord, DraftStore, NewDraft, Postponement, PreparedReplies,
            Question,
        },
    },
    conversation::Conversation,
    customer_records::{
        AfterTry, DueLead,
        ports::{LeadHolder, LeadStore, NewLead},
    },
    errors::StoreError,
    fence::Fence,
    ids::{CommitmentId, ConversationId, DraftId, LeadId, MessageId, WorkspaceId},
    messages::{
        Message, PreparedReply, Progress, ReplyButton, Role, Sending, SendingState, ports::KeptMessage,
    },
    testing::{ManualClock, a_conversation, a_message, a_workspace},
};
use time::OffsetDateTime;

/// A message that the network took.
#[derive(Clone)]
pub(crate) struct Reached {
    /// That under the photo, if there is one.
    pub(crate) text: String,
    pub(crate) photo: Option<String>,
    pub(crate) buttons: Vec<ReplyButton>,
    pub(crate) at: OffsetDateTime,
}

pub(crate) struct Books {
    pub(crate) clock: Arc<ManualClock>,
    state: Mutex<Pages>,
}

pub(crate) struct Pages {
    pub(crate) conversation: Conversation,
    /// How often somebody has spoken.
    heard: i64,
    waiting_since: Option<OffsetDateTime>,
    person_spoke_at: Option<OffsetDateTime>,
    turns: u32,
    /// The oldest first.
    pub(crate) messages: Vec<KeptMessage>,
    drafts: Vec<KeptDraft>,
    keys: HashMap<[u8; 32], DraftHolder>,
    prepared: Vec<PreparedReply>,
    commitments: Vec<KeptCommitment>,
    pub(crate) leads: Vec<(NewLead, bool)>,
    pub(crate) wishes: usize,
    pub(crate) reached: Vec<Reached>,
    pub(crate) turns_ended: Vec<TurnRecord>,
}

struct KeptDraft {
    draft: Draft,
    state: DraftState,
    read_until: OffsetDateTime,
    only_button: bool,
    question: Question,
    sent_again: u8,
}

struct KeptCommitment {
    due: DueCommitment,
    due_at: Option<OffsetDateTime>,
    confirmed_by: MessageId,
    state: CommitmentState,
    settled_at: Option<OffsetDateTime>,
}

impl KeptCommitment {
    fn record(&self) -> CommitmentRecord {
        CommitmentRecord {
            id: self.due.id,
            state: self.state,
            confirmed_by: self.confirmed_by,
            confirmed_at: self.due.confirmed_at,
            settled_at: self.settled_at,
        }
    }
}

impl Books {
    pub(crate) fn new(conversation: Conversation, clock: Arc<ManualClock>) -> Self {
        let pages = Pages {
            conversation,
            heard: 0,
            waiting_since: None,
            person_spoke_at: None,
            turns: 0,
            messages: Vec::new(),
            drafts: Vec::new(),
            keys: HashMap::new(),
            prepared: Vec::new(),
            commitments: Vec::new(),
            leads: Vec::new(),
            wishes: 0,
            reached: Vec::new(),
            turns_ended: Vec::new(),
        };
        Self { clock, state: Mutex::new(pages) }
    }

    pub(crate) fn pages(&self) -> MutexGuard<'_, Pages> {
        self.state.lock().unwrap()
    }

    fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Keeps what somebody says.
    pub(crate) fn say(&self, said: KeptMessage) {
        let (now, mut pages) = (self.now(), self.pages());
        pages.heard += 1;
        if said.message.role == Role::Customer {
            pages.waiting_since.get_or_insert(now);
        } else {
            pages.person_spoke_at = Some(now);
            pages.waiting_since = None;
        }
        pages.messages.push(said);
    }

    /// A message of this moment, for [`Self::say`].
    pub(crate) fn message(&self, role: Role, content: &str) -> KeptMessage {
        let place = u128::try_from(self.pages().messages.len()).unwrap();
        let message = Message {
            id: uuid::Uuid::from_u128(0x9000 + place).into(),
            role,
            content: content.to_owned(),
            created_at: self.now(),
            meta: None,
            ..a_message()
        };
        KeptMessage { message, files: vec![], missing: vec![], awaited: vec![], sending: None }
    }

    /// The messages that commitments rest on.
    pub(crate) fn proofs(&self) -> Vec<MessageId> {
        self.pages().commitments.iter().map(|kept| kept.confirmed_by).collect()
    }

    /// The turn that waits.
    pub(crate) fn turn(&self) -> Option<DueTurn> {
        let pages = self.pages();
        let waiting_since = pages.waiting_since?;
        Some(DueTurn {
            conversation: pages.conversation.id,
            heard: pages.heard,
            waiting_since,
            sending: None,
            person_spoke_at: pages.person_spoke_at,
            notices: Vec::new(),
            turns_of_day: pages.turns,
            lease_until: self.now() + domain::lease::LEASE,
        })
    }
}

impl Pages {
    pub(crate) fn holds(&self, fence: Fence) -> bool {
        (fence.version, fence.heard) == (self.conversation.version, self.heard)
    }

    /// Keeps a text that the network has.
    pub(crate) fn sent(&mut self, message: Message, at: OffsetDateTime) {
        let sending = Sending {
            state: SendingState::Sent,
            asked_at: at,
            settled_at: Some(at),
            progress: Progress::SENT,
            error: None,
            error_code: None,
        };
        let (files, missing, awaited) = (vec![], vec![], vec![]);
        self.messages.push(KeptMessage { message, files, missing, awaited, sending: Some(sending) });
    }

    fn has_written_since(&self, at: OffsetDateTime) -> bool {
        self.messages.iter().any(|it| it.message.role == Role::Customer && it.message.created_at > at)
    }

    fn open(&mut self) -> Option<&mut KeptDraft> {
        self.drafts.iter_mut().find(|kept| kept.state == DraftState::Open)
    }

    fn add_draft(&mut self, new: &NewDraft) {
        if let Some(open) = self.open() {
            open.state = DraftState::Replaced;
        }
        self.prepared.retain(|reply| reply.summary_of.is_none());
        let (draft, read_until) = (new.draft.clone(), new.draft.created_at);
        let (state, only_button) = (DraftState::Open, false);
        let (question, sent_again) = (Question::first(&draft), 0);
        self.drafts.push(KeptDraft { draft, state, read_until, only_button, question, sent_again });
        self.prepared.push(new.summary.clone());
    }

    fn commitment(&mut self, id: CommitmentId) -> Option<&mut KeptCommitment> {
        self.commitments.iter_mut().find(|kept| kept.due.id == id && kept.due_at.is_some())
    }
}

#[async_trait]
impl DraftStore for Books {
    async fn propose(&self, _: WorkspaceId, new: &NewDraft) -> Result<Option<DraftHolder>, StoreError> {
        let mut pages = self.pages();
        if new.summary.fence.is_some_and(|fence| !pages.holds(fence)) {
            return Err(StoreError::Stale);
        }
        if let Some(key) = new.key {
            let holder = DraftHolder { request_hash: key.request_hash, id: new.draft.id };
            if let Some(before) = pages.keys.get(&key.key_hash) {
                return Ok(Some(*before));
            }
            pages.keys.insert(key.key_hash, holder);
        }
        pages.add_draft(new);
        Ok(None)
    }

    async fn holder(&self, _: WorkspaceId, key_hash: [u8; 32]) -> Result<Option<DraftHolder>, StoreError> {
        Ok(self.pages().keys.get(&key_hash).copied())
    }

    async fn unsent_summary(
        &self,
        _: WorkspaceId,
        draft: DraftId,
    ) -> Result<Option<PreparedReply>, StoreError> {
        Ok(self.pages().prepared.iter().find(|reply| reply.summary_of == Some(draft)).cloned())
    }

    async fn drafts(&self, _: WorkspaceId, _: ConversationId, _: u8) -> Result<Vec<DraftRecord>, StoreError> {
        let pages = self.pages();
        let record = |kept: &KeptDraft| DraftRecord {
            id: kept.draft.id,
            kind: kept.draft.proposal.kind(),
            state: kept.state,
            summary: kept.draft.summary,
            question: kept.question,
            author: kept.draft.author,
            created_at: kept.draft.created_at,
            expires_at: kept.draft.expires_at,
            commitment: pages
                .commitments
                .iter()
                .find(|it| it.due.draft == kept.draft.id)
                .map(KeptCommitment::record),
        };
        Ok(pages.drafts.iter().rev().map(record).collect())
    }

    async fn open_draft(&self, _: WorkspaceId, _: ConversationId) -> Result<Option<Draft>, StoreError> {
        Ok(self.pages().open().map(|kept| kept.draft.clone()))
    }

    async fn repeat_question(
        &self,
        _: WorkspaceId,
        draft: DraftId,
        question: Question,
    ) -> Result<bool, StoreError> {
        let mut pages = self.pages();
        let is_sent = !pages.prepared.iter().any(|reply| reply.summary_of == Some(draft));
        let read_until = pages.open().map(|kept| kept.read_until);
        let is_read = read_until.is_some_and(|until| !pages.has_written_since(until));
        let open = pages.open().filter(|kept| kept.draft.id == draft && is_sent && is_read);
        let Some(kept) = open else { return Ok(false) };
        (kept.question, kept.only_button) = (question, false);
        Ok(true)
    }

    async fn withdraw(
        &self,
        _: WorkspaceId,
        _: ConversationId,
        _: DraftId,
        _: &AuditEntry,
    ) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn workspaces_with_answers(&self, _: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        Ok(vec![a_workspace().id])
    }

    async fn claim_answer(
        &self,
        _: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AnsweredDraft>, StoreError> {
        let mut pages = self.pages();
        let Some(kept) = pages.open() else { return Ok(None) };
        let KeptDraft { read_until, only_button, question, sent_again, .. } = *kept;
        let draft = kept.draft.clone();
        let is_due = now >= draft.expires_at || pages.has_written_since(read_until);
        let answered = AnsweredDraft { draft, read_until, only_button, question, sent_again, lease_until };
        Ok(is_due.then_some(answered))
    }

    async fn settle_answer(
        &self,
        _: WorkspaceId,
        answered: &AnsweredDraft,
        settled: &AnswerSettled,
    ) -> Result<(), StoreError> {
        let mut pages = self.pages();
        let kept = pages.open().filter(|kept| kept.draft.id == answered.draft.id).ok_or(StoreError::Stale)?;
        match settled {
            AnswerSettled::Ended(state) => kept.state = *state,
            AnswerSettled::Heard(until) => {
                kept.only_button |= *until > kept.read_until;
                kept.read_until = *until;
            }
            AnswerSettled::AskedAgain(AskedAgain { heard_until, at, summary }) => {
                kept.read_until = *heard_until;
                kept.only_button = false;
                kept.question = Question { message: summary.id, at: *at };
                kept.sent_again += 1;
                pages.prepared.push(summary.clone());
                pages.waiting_since = None;
            }
            AnswerSettled::Confirmed(new) => {
                kept.state = DraftState::Confirmed;
                let Draft { id, conversation, proposal, author, system, language, tried, .. } =
                    kept.draft.clone();
                let due = DueCommitment {
                    id: new.id,
                    draft: id,
                    conversation,
                    proposal,
                    key: new.key.clone(),
                    author,
                    system,
                    language,
                    tried,
                    confirmed_at: new.at,
                    asked: false,
                    attempt: 0,
                };
                let (due_at, confirmed_by) = (Some(new.at), new.confirmed_by);
                let (state, settled_at) = (CommitmentState::Confirmed, None);
                pages.commitments.push(KeptCommitment { due, due_at, confirmed_by, state, settled_at });
                pages.waiting_since = None;
            }
        }
        Ok(())
    }
}

#[async_trait]
impl CommitmentStore for Books {
    async fn workspaces_with_commitments(&self, _: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        Ok(vec![a_workspace().id])
    }

    async fn claim_commitment(
        &self,
        _: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueCommitment>, StoreError> {
        let mut pages = self.pages();
        let due = pages.commitments.iter_mut().find(|kept| kept.due_at.is_some_and(|at| at <= now));
        Ok(due.map(|kept| {
            kept.due_at = Some(lease_until);
            kept.due.attempt += 1;
            kept.due.clone()
        }))
    }

    async fn renew_commitment(
        &self,
        _: WorkspaceId,
        _: CommitmentId,
        _: u32,
        _: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn mark_asked(&self, _: WorkspaceId, id: CommitmentId, _: u32) -> Result<bool, StoreError> {
        let mut pages = self.pages();
        let kept = pages.commitment(id).ok_or(StoreError::Stale)?;
        kept.due.asked = true;
        Ok(true)
    }

    async fn postpone_commitment(
        &self,
        _: WorkspaceId,
        id: CommitmentId,
        postponed: &Postponement,
    ) -> Result<(), StoreError> {
        let mut pages = self.pages();
        pages.commitment(id).ok_or(StoreError::Stale)?.due_at = Some(postponed.until);
        pages.prepared.extend(postponed.delay_message.clone());
        Ok(())
    }

    async fn settle_commitment(
        &self,
        _: WorkspaceId,
        due: &DueCommitment,
        settlement: &CommitmentSettlement,
    ) -> Result<bool, StoreError> {
        let (now, mut pages) = (self.now(), self.pages());
        pages.commitment(due.id).ok_or(StoreError::Stale)?;
        if settlement.next.is_some() && pages.open().is_some() {
            return Ok(false);
        }
        if let Some(kept) = pages.commitment(due.id) {
            (kept.due_at, kept.state, kept.settled_at) = (None, settlement.state, Some(now));
        }
        pages.prepared.retain(|reply| reply.id != due.delay_message());
        assert_ne!(settlement.state, CommitmentState::Tested, "the assistant is on");
        pages.prepared.extend(settlement.receipt.clone());
        if let Some(next) = &settlement.next {
            pages.add_draft(next);
        }
        Ok(true)
    }
}

#[async_trait]
impl PreparedReplies for Books {
    async fn workspaces_with_replies(&self, _: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        Ok(vec![a_workspace().id])
    }

    async fn claim_reply(
        &self,
        _: WorkspaceId,
        _: OffsetDateTime,
        _: OffsetDateTime,
    ) -> Result<Option<PreparedReply>, StoreError> {
        Ok(self.pages().prepared.first().cloned())
    }

    async fn finish_reply(
        &self,
        _: WorkspaceId,
        reply: MessageId,
        withdraws: Option<DraftId>,
    ) -> Result<(), StoreError> {
        let mut pages = self.pages();
        pages.prepared.retain(|kept| kept.id != reply);
        let of_it = pages.open().filter(|kept| Some(kept.draft.id) == withdraws);
        if let Some(kept) = of_it {
            kept.state = DraftState::Withdrawn;
        }
        pages.keys.retain(|_, holder| Some(holder.id) != withdraws);
        Ok(())
    }
}

#[async_trait]
impl LeadStore for Books {
    async fn capture(&self, _: WorkspaceId, lead: &NewLead) -> Result<Option<LeadHolder>, StoreError> {
        let mut pages = self.pages();
        let has_key = |kept: &&(NewLead, bool)| {
            kept.0.key.zip(lead.key).is_some_and(|(kept, new)| kept.key_hash == new.key_hash)
        };
        let before = pages.leads.iter().find(has_key).and_then(|(kept, _)| Some((kept.id, kept.key?)));
        if let Some((id, key)) = before {
            let state = domain::customer_records::LeadState::Waiting;
            return Ok(Some(LeadHolder { request_hash: key.request_hash, id, state }));
        }
        if lead.fence.is_some_and(|fence| !pages.holds(fence)) {
            return Err(StoreError::Stale);
        }
        pages.leads.push((lead.clone(), false));
        Ok(None)
    }

    async fn workspaces_with_leads(&self, _: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        Ok(vec![a_workspace().id])
    }

    async fn claim(
        &self,
        _: WorkspaceId,
        now: OffsetDateTime,
        _: OffsetDateTime,
    ) -> Result<Option<DueLead>, StoreError> {
        let pages = self.pages();
        let mut due = pages.leads.iter().filter(|(_, is_told)| !is_told);
        Ok(due.find_map(|(lead, _)| {
            let push = lead.push.clone()?;
            Some(DueLead { id: lead.id, push, attempt: 1, captured_at: now })
        }))
    }

    async fn settle(&self, _: WorkspaceId, id: LeadId, _: u32, _: AfterTry) -> Result<(), StoreError> {
        let mut pages = self.pages();
        pages.leads.iter_mut().filter(|(lead, _)| lead.id == id).for_each(|(_, is_told)| *is_told = true);
        Ok(())
    }
}

#[async_trait]
impl TurnStore for Books {
    async fn workspaces_with_turns(&self, _: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        Ok(vec![a_workspace().id])
    }

    async fn claim_turn(
        &self,
        _: WorkspaceId,
        _: OffsetDateTime,
        _: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError> {
        Ok(self.turn())
    }

    async fn claim_overdue_turn(
        &self,
        _: WorkspaceId,
        _: OffsetDateTime,
        _: OffsetDateTime,
        _: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError> {
        Ok(None)
    }

    async fn count_turn(&self, _: WorkspaceId, _: &DueTurn, _: time::Date) -> Result<(), StoreError> {
        self.pages().turns += 1;
        Ok(())
    }

    async fn tell_to_wait(
        &self,
        _: WorkspaceId,
        _: &DueTurn,
        _: MessageId,
        _: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn renew_turn(&self, _: WorkspaceId, _: &DueTurn, _: OffsetDateTime) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn stands(&self, _: WorkspaceId, turn: &DueTurn) -> Result<bool, StoreError> {
        let pages = self.pages();
        Ok(pages.heard == turn.heard && pages.waiting_since.is_some())
    }

    async fn is_held_up(&self, _: WorkspaceId, _: ConversationId) -> Result<bool, StoreError> {
        let mut pages = self.pages();
        let Some(read_until) = pages.open().map(|kept| kept.read_until) else { return Ok(false) };
        Ok(pages.has_written_since(read_until))
    }

    async fn postpone_turn(&self, _: WorkspaceId, _: &DueTurn, _: OffsetDateTime) -> Result<(), StoreError> {
        Ok(())
    }

    async fn finish_turn(
        &self,
        _: WorkspaceId,
        turn: &DueTurn,
        record: Option<TurnRecord>,
    ) -> Result<(), StoreError> {
        let mut pages = self.pages();
        let is_dropped = record.as_ref().is_some_and(|record| record.result == TurnResult::Dropped);
        if pages.heard == turn.heard && !is_dropped {
            pages.waiting_since = None;
        }
        pages.turns_ended.extend(record);
        Ok(())
    }
}

/// The conversation that all of this is about.
pub(crate) fn conversation_id() -> ConversationId {
    a_conversation().id
}
