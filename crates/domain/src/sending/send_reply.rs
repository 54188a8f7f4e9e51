//! `POST /v1/messages`, and a reply from the inbox: a text or a file into an existing conversation, as a person of the team.

mod buttons;

use std::sync::Arc;

use time::{Duration, OffsetDateTime};

use super::{
    ConversationEntry, FileMessage, IdempotencyKey, Intent, KeyClaim, Outgoing, PhotoMessage,
    PlanLimitReason, Recipient, Refusal, Reply, ReplyAuthor, ReplyButton, ReplyWindow, SendError, SendOnce,
    SendResult, TextLimit, TextMessage, UploadedFile,
    ports::{SendFailure, SendLedger, SendReservation},
};
use crate::{
    assistant::{Fence, TurnEffect},
    attachments::{
        AttachmentKind, Carriage, StoredAttachment, UNUSED_FOR, linked,
        ports::{AttachmentLinks, KeptUpload, UploadStore},
    },
    channels::{ChannelKind, Connection},
    contacts::{Contact, Identity},
    conversations::Conversation,
    deps::Deps,
    errors::StoreError,
    ids::{ChannelId, ConversationId, MemberId, MessageId, UploadId, WorkspaceId},
    systems::PhotoUrl,
    vault::Vault,
    workspaces::{Month, Plan},
};

/// How long after a customer's message anybody may answer it
/// (docs/networks.md, "How long somebody may be answered").
const OPEN: Duration = Duration::hours(24);
/// A person of the team may for so long (the same).
const OPEN_TO_PEOPLE: Duration = Duration::days(7);

/// It is a reply, as asked.
#[derive(Clone)]
pub struct ReplyRequest {
    pub conversation: ConversationId,
    /// The text may be empty where a file goes.
    pub text: String,
    /// The customer can tap these under the text; there are none where a file goes.
    pub buttons: Vec<ReplyButton>,
    /// The author has uploaded this file.
    pub upload: Option<UploadId>,
    /// It makes a repeat harmless.
    pub key: Option<IdempotencyKey>,
    /// It is the id that the message is to have, where somebody has to know it before it is sent.
    pub id: Option<MessageId>,
}

/// A reply needs to know this, read at one moment.
#[derive(Debug, Clone)]
pub struct ReplyContext {
    /// The workspace may send so much.
    pub plan: Plan,
    /// It says whether who answers is still on the team.
    pub author_is_here: bool,
    pub contact: Contact,
    pub conversation: Conversation,
    /// The conversation runs over it; `None` when that is not connected.
    pub connection: Option<Connection>,
    /// The person is reached over it so, as far as that is known.
    pub to: Option<Identity>,
    /// The customer last wrote then, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
}

/// It says who says it, in whose name ever it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyAuthorKind {
    /// A person of the team says it.
    Person,
    /// A rule of the workspace says it, or code has put the words.
    Rule,
    /// The assistant says it, in a turn.
    Assistant(Fence),
    /// The assistant says it, beside the answer of a turn.
    AssistantToo(Fence),
}

impl ReplyAuthorKind {
    const fn turn(self) -> TurnEffect {
        match self {
            Self::Person => TurnEffect::Silences,
            Self::Rule => TurnEffect::None,
            Self::Assistant(fence) => TurnEffect::Answers(fence),
            Self::AssistantToo(fence) => TurnEffect::Accompanies(fence),
        }
    }
}

/// The reply is finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replied {
    /// It is the result of this request or of the first one with its key.
    pub result: SendResult,
    /// It says whether the result is that of an earlier request.
    pub replayed: bool,
}

/// It sends replies.
pub struct SendReply {
    pub ledger: Arc<dyn SendLedger>,
    pub once: Arc<SendOnce>,
    pub uploads: Arc<dyn UploadStore>,
    pub links: Arc<dyn AttachmentLinks>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl SendReply {
    /// Sends a text or a file as `author`. Once begun it must be run to its end, as a template send.
    ///
    /// A text beside a file that its network takes without one goes as a second message, and the answer is the file's. Each
    /// has its own key, made of the request's: a repeat sends what was not sent, and nothing twice.
    ///
    /// # Errors
    /// See [`SendError`]. In this order: shape, key, conversation, author, channel, file, plan, network. Of two messages, the
    /// first that failed.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        request: &ReplyRequest,
    ) -> Result<Replied, SendError> {
        let (author, voice) = (ReplyAuthor::Member(author), ReplyAuthorKind::Person);
        let Some((file, text)) = self.in_two(workspace, author, request).await? else {
            return self.say(workspace, author, request, None, voice).await;
        };
        let answer = self.say(workspace, author, &file, None, voice).await?;
        self.say(workspace, author, &text, None, voice).await?;
        Ok(answer)
    }

    /// Returns the file and the text of a request, each as a request of its own, where the network takes no text beside such a
    /// file.
    async fn in_two(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
    ) -> Result<Option<(ReplyRequest, ReplyRequest)>, SendError> {
        check_text(request)?;
        if request.upload.is_none() || request.text.trim().is_empty() {
            return Ok(None);
        }
        let context = self.ledger.reply_context(workspace, request.conversation, author).await?;
        let upload = self.upload(workspace, author, request, self.deps.clock.now()).await?;
        let Some((context, upload)) = context.zip(upload) else { return Ok(None) };
        let channel = context.conversation.channel_kind;
        let carriage = Carriage::over(channel, upload.file.content_type);
        if carriage.is_none_or(|carriage| carriage.has_caption) {
            return Ok(None);
        }
        // Before the file is on its way.
        check_length(&request.text, TextLimit::of(channel))?;
        let file = ReplyRequest { text: String::new(), ..request.clone() };
        let key = request.key.clone().map(IdempotencyKey::of_second);
        Ok(Some((file, ReplyRequest { upload: None, key, id: None, ..request.clone() })))
    }

    /// Sends a photo that lies elsewhere, as `author`: the network fetches it. The conversation keeps a stand-in.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_photo(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        conversation: ConversationId,
        photo: &PhotoUrl,
        key: Option<IdempotencyKey>,
    ) -> Result<Replied, SendError> {
        let request = of_photo(conversation, key);
        self.say(workspace, ReplyAuthor::Member(author), &request, Some(photo), ReplyAuthorKind::Person).await
    }

    /// Does the same beside an answer of the assistant, unless something has passed the fence of that.
    ///
    /// # Errors
    /// As [`Self::run_as_assistant`].
    pub async fn run_photo_as_assistant(
        &self,
        workspace: WorkspaceId,
        photo: &PhotoUrl,
        fence: Fence,
    ) -> Result<Replied, SendError> {
        let request = of_photo(fence.conversation, None);
        let voice = ReplyAuthorKind::AssistantToo(fence);
        self.say(workspace, ReplyAuthor::Assistant, &request, Some(photo), voice).await
    }

    /// Does the same for a rule that `author` has written, or what code has worded for them: the network lets
    /// it through only as long as anybody may answer.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_as_rule(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
    ) -> Result<Replied, SendError> {
        self.say(workspace, author, request, None, ReplyAuthorKind::Rule).await
    }

    /// Sends the assistant's answer, unless something has passed its fence: compared in the transaction that begins the
    /// send.
    ///
    /// # Errors
    /// As [`Self::run`]; [`StoreError::Stale`] when something has.
    pub async fn run_as_assistant(
        &self,
        workspace: WorkspaceId,
        request: &ReplyRequest,
        fence: Fence,
    ) -> Result<Replied, SendError> {
        self.say(workspace, ReplyAuthor::Assistant, request, None, ReplyAuthorKind::Assistant(fence)).await
    }

    async fn say(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
        photo: Option<&PhotoUrl>,
        voice: ReplyAuthorKind,
    ) -> Result<Replied, SendError> {
        check_text(request)?;
        let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
        let mut looked = self.look(workspace, author, request, voice).await?;
        let mut handed = None;
        if let (Ok(allowed), Some(file)) = (&looked.allowed, &looked.file) {
            // A key that was used is told so at once, and not after another upload.
            if let Some(result) = self.once.replay(workspace, claim).await? {
                return Ok(Replied { result: self.showing(result, looked.file).await?, replayed: true });
            }
            let came_to = self.once.upload(workspace, &allowed.connection, &allowed.to, file).await?;
            handed = Some(Handed { over: allowed.connection.id, came_to });
            // It may have taken minutes.
            looked = self.look(workspace, author, request, voice).await?;
        }
        let Looked { allowed, file, at: now } = looked;
        let allowed = match allowed {
            Ok(allowed) => allowed,
            Err(refusal) => {
                let result = self.once.replay_or(refusal, workspace, claim).await?;
                return Ok(Replied { result: self.showing(result, file).await?, replayed: true });
            }
        };
        if handed.as_ref().is_some_and(|handed| handed.over != allowed.connection.id) {
            return Err(StoreError::Stale.into());
        }

        let id = request.id.unwrap_or_else(|| MessageId::new(&*self.deps.ids));
        let conversation_entry = ConversationEntry::Reply(Reply {
            conversation: allowed.conversation,
            contact: allowed.contact.id,
            phone: allowed.contact.phone.clone(),
            author,
            text: request.text.clone(),
            upload: request.upload,
        });
        let intent = Intent {
            id,
            workspace,
            channel: allowed.connection.id,
            from: allowed.connection.phone.clone(),
            template: None,
            reference: None,
            conversation_entry,
            created_at: now,
        };
        let limit = allowed.plan.active_customer_limit.map(|limit| (Month::of(now), limit));
        let reservation = SendReservation { intent, key: claim, limit, turn: voice.turn() };
        let (to, text, window) = (allowed.to, request.text.clone(), allowed.window);
        let outgoing = match (photo, &file, allowed.carriage) {
            (Some(photo), ..) => Outgoing::Photo(PhotoMessage { tag: id, to, photo: photo.clone(), window }),
            (None, Some(file), Some(carriage)) => match handed.map_or(Ok(None), |handed| handed.came_to) {
                Ok(uploaded) => {
                    let link = self.links.link(&file.key).await;
                    let link = link.map_err(|error| StoreError::Unavailable(error.to_string()))?;
                    let caption = (!text.trim().is_empty()).then_some(text);
                    let (kind, file) = (carriage.kind, file.clone());
                    let message = FileMessage { tag: id, to, kind, file, link, uploaded, caption, window };
                    Outgoing::File(Box::new(message))
                }
                Err(failure) => Outgoing::NotUploaded(failure),
            },
            _ => Outgoing::Text(TextMessage { tag: id, to, text, buttons: request.buttons.clone(), window }),
        };
        let (result, replayed) = self.once.run(&reservation, &allowed.connection, &outgoing).await?;
        Ok(Replied { result: self.showing(result, file).await?, replayed })
    }

    /// Looks what speaks against the reply now.
    async fn look(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
        voice: ReplyAuthorKind,
    ) -> Result<Looked, StoreError> {
        let context = self.ledger.reply_context(workspace, request.conversation, author).await?;
        let at = self.deps.clock.now();
        let upload = self.upload(workspace, author, request, at).await?;
        let context = context.ok_or(Refusal::ConversationNotFound);
        let allowed = context.and_then(|context| allow(context, request, upload.as_ref(), voice, at));
        Ok(Looked { allowed, file: upload.map(|upload| upload.file), at })
    }

    /// Returns the file that is asked for, where there is such a one.
    async fn upload(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
        now: OffsetDateTime,
    ) -> Result<Option<KeptUpload>, StoreError> {
        match (request.upload, author.member()) {
            (Some(id), Some(author)) => self.uploads.find(workspace, author, id, now - UNUSED_FOR).await,
            _ => Ok(None),
        }
    }

    /// An answer that was remembered is without its file, which is that of the request.
    async fn showing(
        &self,
        mut result: SendResult,
        file: Option<StoredAttachment>,
    ) -> Result<SendResult, StoreError> {
        if let (Some(file), Some(message)) = (file, &mut result.message)
            && message.attachments.is_empty()
        {
            message.attachments = linked(&*self.links, vec![file]).await?;
        }
        Ok(result)
    }
}

fn of_photo(conversation: ConversationId, key: Option<IdempotencyKey>) -> ReplyRequest {
    ReplyRequest {
        conversation,
        text: AttachmentKind::Image.stand_in(),
        buttons: Vec::new(),
        upload: None,
        key,
        id: None,
    }
}

/// The reply was looked at.
struct Looked {
    allowed: Result<Allowed, Refusal>,
    file: Option<StoredAttachment>,
    at: OffsetDateTime,
}

/// The network was given the reply's file.
struct Handed {
    /// It has the file for messages over this connection.
    over: ChannelId,
    came_to: Result<Option<UploadedFile>, SendFailure>,
}

/// Nothing speaks against this reply so far.
struct Allowed {
    plan: Plan,
    window: ReplyWindow,
    /// It is the conversation, which may have had another id before it became one with another.
    conversation: ConversationId,
    contact: Contact,
    connection: Connection,
    to: Recipient,
    /// It says how the file goes, where one does.
    carriage: Option<Carriage>,
}

/// Says who may answer whom over what; the first refusal in the order of the use case.
fn allow(
    context: ReplyContext,
    request: &ReplyRequest,
    upload: Option<&KeptUpload>,
    voice: ReplyAuthorKind,
    now: OffsetDateTime,
) -> Result<Allowed, Refusal> {
    if !context.author_is_here {
        return Err(Refusal::AuthorLeft);
    }
    let kind = context.conversation.channel_kind;
    // A reply is kept in its conversation, and nothing that leaves a send-only number is kept.
    let connection = context.connection.filter(|connection| !connection.send_only);
    let to = context.to.filter(|identity| identity.channel() == kind).map(Recipient::of);
    let (Some(connection), Some(to)) = (connection, to) else { return Err(Refusal::NoChannel(kind)) };
    let carriage = if request.upload.is_some() {
        Some(carried(upload.ok_or(Refusal::AttachmentNotFound)?, &request.text, kind)?)
    } else {
        check_length(&request.text, TextLimit::of(kind))?;
        buttons::check(&request.buttons, &request.text, kind)?;
        None
    };
    if context.plan.paused {
        return Err(Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused));
    }
    let window = window(kind, context.customer_wrote_at, voice, now);
    let conversation = context.conversation.id;
    Ok(Allowed {
        plan: context.plan,
        window,
        conversation,
        contact: context.contact,
        connection,
        to,
        carriage,
    })
}

/// Returns how the conversation's network carries a file with this text.
fn carried(upload: &KeptUpload, text: &str, channel: ChannelKind) -> Result<Carriage, Refusal> {
    if upload.is_used {
        return Err(Refusal::AttachmentUsed);
    }
    let content_type = upload.file.content_type;
    let refused = Refusal::AttachmentType { channel, content_type: content_type.as_str() };
    let carriage = Carriage::over(channel, content_type).ok_or(refused)?;
    if upload.file.bytes > carriage.most_bytes {
        return Err(Refusal::AttachmentTooLarge { channel, most_bytes: carriage.most_bytes });
    }
    check_length(text, TextLimit::Caption)?;
    Ok(carriage)
}

fn check_text(ReplyRequest { text, upload, buttons, .. }: &ReplyRequest) -> Result<(), Refusal> {
    if upload.is_some() && !buttons.is_empty() {
        return Err(Refusal::Invalid("there are no buttons under a file".to_owned()));
    }
    if text.trim().is_empty() && upload.is_none() {
        return Err(Refusal::Invalid("`text` must not be empty".to_owned()));
    }
    check_length(text, TextLimit::Answer)
}

/// What the network of the conversation takes at most (docs/networks.md, "How long a text may be"). It is not
/// cut in pieces: an answer of the API is one message.
fn check_length(text: &str, limit: TextLimit) -> Result<(), Refusal> {
    if limit.fits(text) { Ok(()) } else { Err(Refusal::TextTooLong(limit)) }
}

/// Whether a text is no longer than its network takes as one message, with buttons under it or without.
pub fn fits(kind: ChannelKind, text: &str, with_buttons: bool) -> bool {
    let longest = if with_buttons { buttons::longest_text(kind) } else { None };
    longest.is_none_or(|longest| text.chars().count() <= longest) && TextLimit::of(kind).fits(text)
}

/// Says by what right an answer is given now. Whether that is too late, the network says.
fn window(
    kind: ChannelKind,
    wrote_at: Option<OffsetDateTime>,
    voice: ReplyAuthorKind,
    now: OffsetDateTime,
) -> ReplyWindow {
    let open_to_people = wrote_at.is_some_and(|wrote_at| (OPEN..OPEN_TO_PEOPLE).contains(&(now - wrote_at)));
    let knows_people = match kind {
        ChannelKind::Whatsapp => false,
        ChannelKind::Messenger | ChannelKind::Instagram => true,
    };
    let is_by_person = knows_people && voice == ReplyAuthorKind::Person && open_to_people;
    if is_by_person { ReplyWindow::HumanAgent } else { ReplyWindow::Within24h }
}

/// Says whether the network takes a person's free words, as far as is known here: the customer wrote lately
/// enough.
pub fn takes_words(kind: ChannelKind, wrote_at: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    closes_at(kind, wrote_at).is_some_and(|closes_at| now < closes_at)
}

/// Returns until when it takes words; `None` where nobody knows when the customer last wrote.
pub fn closes_at(kind: ChannelKind, wrote_at: Option<OffsetDateTime>) -> Option<OffsetDateTime> {
    let open = match kind {
        ChannelKind::Whatsapp => OPEN,
        ChannelKind::Messenger | ChannelKind::Instagram => OPEN_TO_PEOPLE,
    };
    wrote_at.map(|wrote_at| wrote_at.saturating_add(open))
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::{ReplyAuthorKind, closes_at, fits, takes_words, window};
    use crate::{channels::ChannelKind, sending::ReplyWindow, testing::a_moment};

    #[test]
    fn only_a_person_claims_a_person_s_right_and_only_while_there_is_one() {
        use ChannelKind::{Instagram, Messenger, Whatsapp};
        use ReplyAuthorKind::{Person, Rule};
        use ReplyWindow::{HumanAgent, Within24h};
        let (day, week) = (Duration::days(1), Duration::days(7));
        for (kind, ago, voice, right) in [
            (Messenger, Some(day - Duration::SECOND), Person, Within24h),
            (Messenger, Some(day), Person, HumanAgent),
            (Messenger, Some(day), Rule, Within24h),
            (Instagram, Some(week - Duration::SECOND), Person, HumanAgent),
            (Instagram, Some(week - Duration::SECOND), Rule, Within24h),
            (Instagram, Some(week), Person, Within24h),
            (Instagram, None, Person, Within24h),
            (Whatsapp, Some(day), Person, Within24h),
        ] {
            let wrote_at = ago.map(|ago| a_moment() - ago);
            assert_eq!(window(kind, wrote_at, voice, a_moment()), right, "{kind:?} {ago:?} {voice:?}");
        }
    }

    #[test]
    fn a_text_is_as_long_as_its_network_takes_with_its_buttons() {
        use ChannelKind::{Instagram, Messenger, Whatsapp};
        for (kind, characters, plain, with_buttons) in [
            (Whatsapp, 1_024, true, true),
            (Whatsapp, 1_025, true, false),
            (Whatsapp, 4_096, true, false),
            (Whatsapp, 4_097, false, false),
            (Messenger, 1_999, true, true),
            (Messenger, 2_000, false, false),
            (Instagram, 500, true, true),
            (Instagram, 501, false, false),
        ] {
            let text = "ب".repeat(characters);
            let taken = (fits(kind, &text, false), fits(kind, &text, true));
            assert_eq!(taken, (plain, with_buttons), "{kind:?} {characters}");
        }
    }

    #[test]
    fn a_person_may_answer_for_a_day_on_whatsapp_and_for_a_week_elsewhere() {
        use ChannelKind::{Instagram, Messenger, Whatsapp};
        for (kind, ago, taken) in [
            (Whatsapp, Some(Duration::hours(23)), true),
            (Whatsapp, Some(Duration::hours(24)), false),
            (Messenger, Some(Duration::hours(24)), true),
            (Instagram, Some(Duration::days(7)), false),
            (Messenger, None, false),
        ] {
            let wrote_at = ago.map(|ago| a_moment() - ago);
            assert_eq!(takes_words(kind, wrote_at, a_moment()), taken, "{kind:?} {ago:?}");
        }
        let last = time::PrimitiveDateTime::MAX.assume_utc();
        assert_eq!(closes_at(Whatsapp, Some(last)), Some(last), "nothing is later");
    }
}
