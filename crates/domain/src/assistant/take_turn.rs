//! A turn of the assistant, from the waiting customer to the answer that was sent.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;
use time::OffsetDateTime;

use super::{
    answer::{AnswerCustomer, TurnEnding, TurnOutcome},
    brief::{TurnBrief, UnreadFiles, history, pictures, unread_files},
    hand_over::HandOver,
    own_models::WorkspaceModels,
    own_words::gather_words,
    pictures::load,
    ports::{AssistantStore, TokenBudget, Tools, TurnStore, TypingIndicator},
    reason::HandOverReason,
    sent::Sent,
    settings::{AssistantMode, AssistantSettings},
    speech::Message,
    toolbox::Tool,
    turn::{DueTurn, LONGEST_WAIT, MOST_TURNS_A_DAY, SILENCE, TurnRecord, TurnResult},
    without_commits::WithoutCommits,
};
use crate::{
    attachments::{StoredAttachment, ports::ObjectStore},
    channels::ChannelKind,
    consent::{
        AnswerByCode, MOST_MESSAGES, all_may_answer, answer_by_code,
        ports::{DraftStore, Question},
        repeat_question,
    },
    conversation::ConversationStatus,
    conversations::ports::ConversationStore,
    customer_records::ports::CustomerStore,
    deps::Deps,
    errors::StoreError,
    fence::Fence,
    ids::{ConversationId, MessageId, TurnId, WorkspaceId},
    knowledge::ports::KnowledgeStore,
    lease::{self, LEASE},
    messages::{
        Role, SendingState,
        ports::{KeptMessage, MessageStore},
    },
    paging::{PageLimit, PageRequest},
    sending::{CaptionedPhoto, OfAnswer, ReplyRequest, SendReply},
    systems::CallSystem,
    workspaces::ports::WorkspaceStore,
};

/// Pause before a turn is looked at again whose messages await other work, or whose answer is being sent.
const HELD_UP: Duration = Duration::from_millis(500);
/// Pause before an answer that the network did not take is tried again.
const NOT_TAKEN: Duration = Duration::from_secs(5);
/// Longest time after a customer began to wait in which a voice note becomes words.
const WORDS_WITHIN: Duration = Duration::from_secs(30);
/// Newest drafts among which a confirmed one is looked for.
const MOST_DRAFTS: u8 = 5;

/// Use case that takes turns: it answers the customer, hands over or drops the turn.
pub struct TakeTurn {
    pub turns: Arc<dyn TurnStore>,
    pub settings: Arc<dyn AssistantStore>,
    pub budget: Arc<dyn TokenBudget>,
    pub conversations: Arc<dyn ConversationStore>,
    pub customers: Arc<dyn CustomerStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub messages: Arc<dyn MessageStore>,
    pub drafts: Arc<dyn DraftStore>,
    /// Opened only if the model reads pictures.
    pub objects: Arc<dyn ObjectStore>,
    pub systems: CallSystem,
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// `None` if the installation has no model.
    pub model: Option<WorkspaceModels>,
    pub tools: Arc<dyn Tools>,
    pub typing: Arc<dyn TypingIndicator>,
    pub reply: Arc<SendReply>,
    pub hand_over: HandOver,
    pub deps: Deps,
}

enum Next {
    Drop,
    Later(OffsetDateTime),
    HandOver(HandOverReason),
    /// The answer was sent before.
    Answered,
    /// The customer's yes or no to what was proposed is answered by code.
    Say(Fence, String),
    Answer(Box<Answering>),
}

struct Answering {
    settings: AssistantSettings,
    brief: TurnBrief,
    /// Pictures to load into the brief, oldest first.
    shown: Vec<StoredAttachment>,
}

impl TakeTurn {
    /// Lists the workspaces with turns that are due; claims none.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.turns.workspaces_with_turns(self.deps.clock.now()).await
    }

    /// Claims a turn of the workspace; `None` if none is due.
    pub async fn claim(&self, workspace: WorkspaceId) -> Result<Option<DueTurn>, StoreError> {
        let now = self.deps.clock.now();
        self.turns.claim_turn(workspace, now, now + LEASE).await
    }

    /// Claims a turn whose customer has waited too long, to be handed over without a model; `None` if none is
    /// due.
    pub async fn claim_overdue(&self, workspace: WorkspaceId) -> Result<Option<DueTurn>, StoreError> {
        let now = self.deps.clock.now();
        self.turns.claim_overdue_turn(workspace, now, now - LONGEST_WAIT, now + LEASE).await
    }

    /// Takes a claimed turn to its end and renews the claim until then. `None` if the turn was postponed, or
    /// dropped before a model was asked.
    ///
    /// # Errors
    /// After an error of the store, the turn is due again when its lease has ended.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
    ) -> Result<Option<TurnResult>, StoreError> {
        let renew = |until| self.turns.renew_turn(workspace, turn, until);
        lease::kept(&*self.deps.clock, renew, self.take(workspace, turn).boxed()).await
    }

    async fn take(&self, workspace: WorkspaceId, turn: &DueTurn) -> Result<Option<TurnResult>, StoreError> {
        let began = self.deps.clock.now();
        match self.next(workspace, turn, began).await? {
            Next::Drop => {
                self.turns.finish_turn(workspace, turn, None).await?;
                Ok(None)
            }
            Next::Later(at) => {
                self.turns.postpone_turn(workspace, turn, at).await?;
                Ok(None)
            }
            Next::Answered => {
                let record = self.record(turn, TurnResult::Answered, None, began);
                self.finish(workspace, turn, record).await
            }
            Next::HandOver(reason) => {
                let result = self.hand_over(workspace, turn, reason).await?;
                let record = self.record(turn, result, None, began);
                self.finish(workspace, turn, record).await
            }
            Next::Say(fence, text) => {
                // What was answered is asked no more.
                let sent =
                    self.send_one(workspace, fence, &Message::Text(text), OfAnswer::First, None).await?;
                self.ended(workspace, turn, (sent, TurnResult::Answered), None, began).await
            }
            Next::Answer(answering) => self.answer(workspace, turn, *answering, began).await,
        }
    }

    async fn finish(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        record: TurnRecord,
    ) -> Result<Option<TurnResult>, StoreError> {
        let result = record.result;
        self.turns.finish_turn(workspace, turn, Some(record)).await?;
        Ok(Some(result))
    }

    /// Decides the next step by the rules of `docs/run/assistant.md`, in their order.
    async fn next(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        now: OffsetDateTime,
    ) -> Result<Next, StoreError> {
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        let Some(conversation) = self.conversations.find(workspace, turn.conversation).await? else {
            return Ok(Next::Drop);
        };
        let customer = self.customers.customer_of(workspace, conversation.id).await?;
        let Some(customer) = customer else { return Ok(Next::Drop) };
        if conversation.status != ConversationStatus::Bot
            || !settings.answers(customer.contact.phone.as_ref())
        {
            return Ok(Next::Drop);
        }
        let page = PageRequest { limit: PageLimit::new(MOST_MESSAGES).unwrap_or_default(), after: None };
        let mut messages = self.messages.list(workspace, conversation.id, page).await?.unwrap_or_default();
        messages.retain(|kept| !turn.notices.contains(&kept.message.id));
        if let Some((sending, until)) = turn.sending {
            let kept = messages.iter().find(|kept| kept.message.id == sending);
            let is_sent = |kept: &KeptMessage| {
                kept.sending.as_ref().is_some_and(|sending| sending.state == SendingState::Sent)
            };
            return Ok(match kept {
                Some(kept) if is_sent(kept) => Next::Answered,
                _ if now < until => Next::Later(now + HELD_UP),
                _ => Next::HandOver(HandOverReason::AnswerUnconfirmed),
            });
        }
        if now - turn.waiting_since > LONGEST_WAIT {
            return Ok(Next::HandOver(HandOverReason::Unanswered));
        }
        if self.turns.is_held_up(workspace, conversation.id).await? {
            return Ok(Next::Later(now + HELD_UP));
        }
        if !self.turns.stands(workspace, turn).await? {
            return Ok(Next::Drop);
        }
        let fence = Fence { conversation: conversation.id, version: conversation.version, heard: turn.heard };
        let by_code = self.by_code(workspace, conversation.id, turn.waiting_since, &messages).await?;
        if by_code == Some(AnswerByCode::Receipt) {
            return Ok(Next::Drop);
        }
        if turn.person_spoke_at.is_some_and(|at| now - at < SILENCE) {
            // If that person leaves the customer waiting, the conversation is handed over then.
            return Ok(Next::Later(turn.waiting_since + LONGEST_WAIT + Duration::from_secs(1)));
        }
        if let Some(AnswerByCode::Says(text)) = by_code {
            return Ok(Next::Say(fence, text));
        }
        let reads_pictures = self.model.as_ref().is_some_and(|model| model.installation.reads_pictures);
        if let Some(next) = of_files(&messages, turn.waiting_since, now, reads_pictures) {
            return Ok(next);
        }
        let mut shown = Vec::new();
        if reads_pictures {
            shown.extend(pictures(&messages, turn.waiting_since).cloned());
            shown.reverse();
        }
        if turn.turns_of_day >= MOST_TURNS_A_DAY {
            return Ok(Next::HandOver(HandOverReason::CapReached));
        }
        let history = history(&messages, turn.waiting_since);
        if !history.last().is_some_and(|(speaker, _)| speaker.is_customer()) {
            return Ok(Next::Drop);
        }
        let of_workspace = self.workspaces.find(workspace).await?;
        if of_workspace.as_ref().is_some_and(|found| found.plan.paused) {
            // No answer of the model could be sent.
            return Ok(Next::HandOver(HandOverReason::CannotAnswer));
        }
        let capabilities = self.systems.declared(workspace).await?;
        let has_documents = self.knowledge.has_documents(workspace).await?;
        let has_number = customer.verified_phone().is_some();
        let mut tools = Tool::offered(capabilities.as_ref(), has_number, has_documents);
        tools.retain(|tool| settings.allows(*tool));
        let business = of_workspace.as_ref().map_or("", |found| found.name.as_str());
        let mut owner = gather_words(&settings, business);
        // What a person or a notice has said introduces nobody.
        owner.introduces_itself &= !messages.iter().any(|kept| kept.message.role == Role::Assistant);
        let brief = TurnBrief {
            workspace,
            fence,
            channel: conversation.channel_kind,
            region: customer.region,
            now,
            zone: of_workspace.map(|found| found.time_zone).unwrap_or_default(),
            history,
            pictures: Vec::new(),
            owner,
            languages: settings.languages.clone(),
            tools,
            tried: settings.mode == AssistantMode::Test,
        };
        Ok(Next::Answer(Box::new(Answering { settings, brief, shown })))
    }

    /// Returns how code answers one who waits with just another yes to what they confirmed, or with the no to
    /// what was proposed; `None` for others.
    async fn by_code(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        since: OffsetDateTime,
        messages: &[KeptMessage],
    ) -> Result<Option<AnswerByCode>, StoreError> {
        let waits =
            |kept: &&KeptMessage| kept.message.role == Role::Customer && kept.message.created_at >= since;
        let waiting: Vec<&KeptMessage> = messages.iter().filter(waits).collect();
        if !all_may_answer(&waiting) {
            return Ok(None);
        }
        let drafts = self.drafts.drafts(workspace, conversation, MOST_DRAFTS).await?;
        Ok(answer_by_code(&drafts, &waiting, messages))
    }

    async fn answer(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        answering: Answering,
        began: OffsetDateTime,
    ) -> Result<Option<TurnResult>, StoreError> {
        let Answering { settings, mut brief, shown } = answering;
        let without_answer = async |reason| {
            let result = self.hand_over(workspace, turn, reason).await?;
            let record = self.record(turn, result, None, began);
            self.finish(workspace, turn, record).await
        };
        let Some(models) = &self.model else { return without_answer(HandOverReason::ModelDown).await };
        let Some(loaded) = load(&*self.objects, &shown).await else {
            return without_answer(HandOverReason::CannotRead).await;
        };
        brief.pictures = loaded;
        let mut model = models.of(workspace).await?;
        if !brief.pictures.is_empty() {
            model.fallback = None;
        }
        let model = model.metered(workspace, settings.day_limit(), &self.budget, &self.deps.clock);
        let answers = AnswerCustomer {
            model,
            tools: match settings.mode {
                AssistantMode::Test => Arc::new(WithoutCommits(Arc::clone(&self.tools))),
                AssistantMode::Off | AssistantMode::On => Arc::clone(&self.tools),
            },
            clock: Arc::clone(&self.deps.clock),
        };
        self.turns.count_turn(workspace, turn, began.date()).await?;
        let outcome = self.work(turn, &brief, &answers).await;
        let stands = match outcome.ending {
            TurnEnding::HandOver(_) => self.turns.stands(workspace, turn).await?,
            TurnEnding::Reply { .. } | TurnEnding::Proposed(..) => true,
        };
        let (sent, result) = match &outcome.ending {
            TurnEnding::Reply { messages } => {
                (self.send(workspace, &brief, messages).await?, TurnResult::Answered)
            }
            TurnEnding::Proposed(_, sent) => (*sent, TurnResult::Proposed),
            // What was said since is answered by another turn, which may do without a person.
            TurnEnding::HandOver(_) if !stands => (Sent::Outdated, TurnResult::Dropped),
            TurnEnding::HandOver(reason) => (Sent::Yes, self.hand_over(workspace, turn, *reason).await?),
        };
        self.ended(workspace, turn, (sent, result), Some(&outcome), began).await
    }

    /// Ends a turn by the outcome of its send: with `result` if the network took it.
    async fn ended(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        (sent, result): (Sent, TurnResult),
        outcome: Option<&TurnOutcome>,
        began: OffsetDateTime,
    ) -> Result<Option<TurnResult>, StoreError> {
        let result = match sent {
            Sent::Yes => result,
            Sent::Outdated => TurnResult::Dropped,
            Sent::NotTaken => {
                let at = self.deps.clock.now() + NOT_TAKEN;
                self.turns.postpone_turn(workspace, turn, at).await?;
                return Ok(None);
            }
            Sent::Unknown => self.hand_over(workspace, turn, HandOverReason::AnswerUnconfirmed).await?,
            Sent::Refused => self.hand_over(workspace, turn, HandOverReason::CannotAnswer).await?,
        };
        let record = self.record(turn, result, outcome, began);
        self.finish(workspace, turn, record).await
    }

    /// Sends the messages of an answer in their order. The first carries the fence and decides; a further one
    /// that fails ends them and harms nothing else. Behind the last one stands the question of an open draft.
    async fn send(
        &self,
        workspace: WorkspaceId,
        brief: &TurnBrief,
        messages: &[Message],
    ) -> Result<Sent, StoreError> {
        let Some((first, further)) = messages.split_first() else { return Ok(Sent::Refused) };
        let (fence, channel) = (brief.fence, Some(brief.channel));
        let asks = channel.filter(|_| further.is_empty());
        let mut sent = self.send_one(workspace, fence, first, OfAnswer::First, asks).await?;
        if let (Sent::Refused, Message::Photo { caption: Some(text), .. }) = (sent, first) {
            // A photo that no network takes must not keep the answer under it from the customer.
            let text = Message::Text(text.clone());
            sent = self.send_one(workspace, fence, &text, OfAnswer::Further, asks).await?;
        }
        if sent == Sent::Yes {
            for (place, message) in (1..).zip(further) {
                let asks = channel.filter(|_| place == further.len());
                let sent = self.send_one(workspace, fence, message, OfAnswer::Further, asks).await;
                if !matches!(sent, Ok(Sent::Yes)) {
                    break;
                }
            }
        }
        Ok(sent)
    }

    /// Sends a message, with the question of an open draft behind it on the network `asks`.
    async fn send_one(
        &self,
        workspace: WorkspaceId,
        fence: Fence,
        message: &Message,
        place: OfAnswer,
        asks: Option<ChannelKind>,
    ) -> Result<Sent, StoreError> {
        let text = match message {
            Message::Text(text) | Message::Summary { text, .. } => text.clone(),
            Message::Photo { url, caption } => {
                let photo = CaptionedPhoto { url: url.clone(), caption: caption.clone() };
                return Sent::of(self.reply.run_photo_as_assistant(workspace, &photo, place, fence).await);
            }
        };
        let conversation = fence.conversation;
        let question = Question { message: MessageId::new(&*self.deps.ids), at: self.deps.clock.now() };
        let asked = match asks {
            Some(channel) => {
                repeat_question(&*self.drafts, workspace, (conversation, channel), &text, question).await?
            }
            None => None,
        };
        let id = asked.is_some().then_some(question.message);
        let (text, buttons) = asked.map_or_else(|| (text, Vec::new()), |both| (both.text, both.buttons));
        let request = ReplyRequest { conversation, text, buttons, upload: None, key: None, id };
        Sent::of(self.reply.run_text_as_assistant(workspace, &request, place, fence).await)
    }

    async fn hand_over(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        reason: HandOverReason,
    ) -> Result<TurnResult, StoreError> {
        let is_open = self.hand_over.run(workspace, turn.conversation, reason).await?;
        Ok(if is_open { TurnResult::HandedOver(reason) } else { TurnResult::Dropped })
    }

    fn record(
        &self,
        turn: &DueTurn,
        result: TurnResult,
        outcome: Option<&TurnOutcome>,
        began: OffsetDateTime,
    ) -> TurnRecord {
        let at = self.deps.clock.now();
        let said = outcome.map(|it| it.said.clone()).unwrap_or_default();
        TurnRecord {
            id: TurnId::new(&*self.deps.ids),
            conversation: turn.conversation,
            result,
            tools: outcome.map(|it| it.tools.iter().map(|tool| tool.as_str()).collect()).unwrap_or_default(),
            acts: said.acts,
            evidence: said.evidence,
            words: said.words,
            objection: said.objection,
            usage: outcome.map(|it| it.usage).unwrap_or_default(),
            took: Duration::try_from(at - began).unwrap_or_default(),
            at,
        }
    }
}

/// Decides what files come to that the customer has sent; `None` if there is nothing in them to read.
fn of_files(
    messages: &[KeptMessage],
    since: OffsetDateTime,
    now: OffsetDateTime,
    reads_pictures: bool,
) -> Option<Next> {
    match unread_files(messages, since, reads_pictures) {
        UnreadFiles::None => None,
        UnreadFiles::Awaited if now - since < WORDS_WITHIN => Some(Next::Later(now + HELD_UP)),
        UnreadFiles::Awaited | UnreadFiles::Unreadable => Some(Next::HandOver(HandOverReason::CannotRead)),
    }
}
