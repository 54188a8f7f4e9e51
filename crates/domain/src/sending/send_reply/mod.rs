//! `POST /v1/messages`, and replies from the inbox, of rules and of the assistant: a text or a file into an
//! existing conversation.

mod buttons;

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    idempotency::{IdempotencyKey, KeyClaim},
    ledger::{ConversationEntry, Intent, Reply, SendResult},
    message::{FileMessage, PhotoMessage, Recipient, ReplyWindow, TextMessage, UploadedFile},
    once::{Outgoing, SendError, SendOnce},
    ports::{SendFailure, SendLedger, SendReservation},
    refusal::{PlanLimitReason, Refusal, TextLimit},
    reply_context::ReplyContext,
};
use crate::{
    attachments::{
        AttachmentKind, Carriage, StoredAttachment, UNUSED_FOR, linked,
        ports::{AttachmentLinks, KeptUpload, UploadStore},
    },
    channels::{ChannelKind, Connection, OPEN, OPEN_TO_PEOPLE},
    contacts::Contact,
    deps::Deps,
    errors::StoreError,
    fence::{Fence, TurnEffect},
    ids::{ChannelId, ConversationId, MemberId, MessageId, UploadId, WorkspaceId},
    link::PhotoUrl,
    messages::{ReplyAuthor, ReplyButton},
    vault::Vault,
    workspaces::{Month, Plan},
};

/// A reply as requested.
#[derive(Clone)]
pub struct ReplyRequest {
    pub conversation: ConversationId,
    /// May be empty if there is a file.
    pub text: String,
    /// Buttons under the text; none if there is a file.
    pub buttons: Vec<ReplyButton>,
    pub upload: Option<UploadId>,
    pub key: Option<IdempotencyKey>,
    /// Id for the message, if it must be known before the send.
    pub id: Option<MessageId>,
}

/// Who composed the reply, whoever it is attributed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyAuthorKind {
    Person,
    /// A rule of the workspace, or code that put the words.
    Rule,
    /// The assistant, as the answer of a turn.
    Assistant(Fence),
    /// The assistant, beside the answer of a turn.
    AssistantToo(Fence),
}

impl OfAnswer {
    const fn voice(self, fence: Fence) -> ReplyAuthorKind {
        match self {
            Self::First => ReplyAuthorKind::Assistant(fence),
            Self::Further => ReplyAuthorKind::AssistantToo(fence),
        }
    }
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

/// A photo that lies elsewhere, and the text under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptionedPhoto {
    pub url: PhotoUrl,
    /// `None` on networks that show no text under a photo.
    pub caption: Option<String>,
}

/// Place of a message among those of an answer of the assistant's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfAnswer {
    /// The one that answers the customer's turn.
    First,
    Further,
}

/// A finished reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replied {
    pub result: SendResult,
    /// Whether the result is that of an earlier request.
    pub replayed: bool,
}

/// Use case that sends replies.
pub struct SendReply {
    pub ledger: Arc<dyn SendLedger>,
    pub once: Arc<SendOnce>,
    pub uploads: Arc<dyn UploadStore>,
    pub links: Arc<dyn AttachmentLinks>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl SendReply {
    /// Sends a text or a file as `author`. Once begun it must be run to its end, like a template send.
    ///
    /// If the network takes no text beside such a file, the text goes as a second message, and the answer is
    /// the file's. Each message has its own key, derived from the request's: a repeat sends what was not
    /// sent, and nothing twice.
    ///
    /// # Errors
    /// Checked in this order: shape, key, conversation, author, channel, file, plan, network. Of two
    /// messages, the first that fails.
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

    /// Splits a request into a file and a text if the network takes no text beside such a file; `None` if it
    /// stays one message.
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
        // Checked before the file is on its way.
        check_length(&request.text, TextLimit::of(channel))?;
        let file = ReplyRequest { text: String::new(), ..request.clone() };
        let key = request.key.clone().map(IdempotencyKey::of_second);
        Ok(Some((file, ReplyRequest { upload: None, key, id: None, ..request.clone() })))
    }

    /// Sends a photo that lies elsewhere, as `author`: the network fetches it. The conversation keeps a
    /// stand-in text.
    pub async fn run_photo(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        conversation: ConversationId,
        photo: &PhotoUrl,
        key: Option<IdempotencyKey>,
    ) -> Result<Replied, SendError> {
        let photo = CaptionedPhoto { url: photo.clone(), caption: None };
        let request = of_photo(conversation, &photo, key);
        self.say(workspace, ReplyAuthor::Member(author), &request, Some(&photo), ReplyAuthorKind::Person)
            .await
    }

    /// Sends a photo of an answer of the assistant. The conversation keeps a stand-in text with the caption.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if something has passed the fence of the answer.
    pub async fn run_photo_as_assistant(
        &self,
        workspace: WorkspaceId,
        photo: &CaptionedPhoto,
        place: OfAnswer,
        fence: Fence,
    ) -> Result<Replied, SendError> {
        let request = of_photo(fence.conversation, photo, None);
        self.say(workspace, ReplyAuthor::Assistant, &request, Some(photo), place.voice(fence)).await
    }

    /// Sends a reply for a rule that `author` has written, or one that code has worded for them. The network
    /// lets it through only within the window for anybody's answer.
    pub async fn run_as_rule(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
    ) -> Result<Replied, SendError> {
        self.say(workspace, author, request, None, ReplyAuthorKind::Rule).await
    }

    /// Sends the assistant's answer. Its fence is compared in the transaction that begins the send.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if something has passed the fence.
    pub async fn run_as_assistant(
        &self,
        workspace: WorkspaceId,
        request: &ReplyRequest,
        fence: Fence,
    ) -> Result<Replied, SendError> {
        self.run_text_as_assistant(workspace, request, OfAnswer::First, fence).await
    }

    /// Sends a text of an answer of the assistant.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if something has passed the fence of the answer.
    pub async fn run_text_as_assistant(
        &self,
        workspace: WorkspaceId,
        request: &ReplyRequest,
        place: OfAnswer,
        fence: Fence,
    ) -> Result<Replied, SendError> {
        self.say(workspace, ReplyAuthor::Assistant, request, None, place.voice(fence)).await
    }

    async fn say(
        &self,
        workspace: WorkspaceId,
        author: ReplyAuthor,
        request: &ReplyRequest,
        photo: Option<&CaptionedPhoto>,
        voice: ReplyAuthorKind,
    ) -> Result<Replied, SendError> {
        check_text(request)?;
        let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
        let mut looked = self.look(workspace, author, request, voice).await?;
        let mut handed = None;
        if let (Ok(allowed), Some(file)) = (&looked.allowed, &looked.file) {
            // A used key is answered at once, and not after another upload.
            if let Some(result) = self.once.replay(workspace, claim).await? {
                return Ok(Replied { result: self.showing(result, looked.file).await?, replayed: true });
            }
            let came_to = self.once.upload(workspace, &allowed.connection, &allowed.to, file).await?;
            handed = Some(Handed { over: allowed.connection.id, came_to });
            // The upload may have taken minutes.
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
            (Some(CaptionedPhoto { url, caption }), ..) => {
                let (photo, caption) = (url.clone(), caption.clone());
                Outgoing::Photo(PhotoMessage { tag: id, to, photo, caption, window })
            }
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

    /// Loads the present state and decides whether the reply is allowed.
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

    /// Returns the file that the request names, if the author has uploaded it lately.
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

    /// Adds the request's file to a result that lacks it, as one that was remembered does.
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

fn of_photo(
    conversation: ConversationId,
    photo: &CaptionedPhoto,
    key: Option<IdempotencyKey>,
) -> ReplyRequest {
    let stand_in = AttachmentKind::Image.stand_in();
    let text = photo.caption.as_ref().map(|caption| format!("{stand_in}\n{caption}"));
    ReplyRequest {
        conversation,
        text: text.unwrap_or(stand_in),
        buttons: Vec::new(),
        upload: None,
        key,
        id: None,
    }
}

/// Decision on a reply at one moment.
struct Looked {
    allowed: Result<Allowed, Refusal>,
    file: Option<StoredAttachment>,
    at: OffsetDateTime,
}

/// Outcome of uploading the reply's file.
struct Handed {
    /// Connection whose messages may name the file.
    over: ChannelId,
    came_to: Result<Option<UploadedFile>, SendFailure>,
}

/// A reply that nothing speaks against so far.
struct Allowed {
    plan: Plan,
    window: ReplyWindow,
    /// Differs from the requested id if that conversation has been merged into this one.
    conversation: ConversationId,
    contact: Contact,
    connection: Connection,
    to: Recipient,
    /// How the file is carried; `None` without a file.
    carriage: Option<Carriage>,
}

/// Decides whether the reply may be sent; the first refusal in the use case's order.
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

/// Returns how the conversation's network carries a file with this text, or refuses it.
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

/// Refuses a text beyond the limit (docs/run/networks.md, "How long a text may be"). Longer texts are not
/// split: an answer of the API is one message.
fn check_length(text: &str, limit: TextLimit) -> Result<(), Refusal> {
    if limit.fits(text) { Ok(()) } else { Err(Refusal::TextTooLong(limit)) }
}

/// Returns `true` if the network takes a text of this length as one message, with or without buttons under
/// it.
pub fn fits(kind: ChannelKind, text: &str, with_buttons: bool) -> bool {
    let longest = if with_buttons { buttons::longest_text(kind) } else { None };
    longest.is_none_or(|longest| text.chars().count() <= longest) && TextLimit::of(kind).fits(text)
}

/// Returns the rule under which an answer is sent now. Whether it is too late is for the network to say.
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

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::{ReplyAuthorKind, fits, window};
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
}
