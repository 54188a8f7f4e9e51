//! `POST /v1/messages`, and a reply typed in the inbox: a text into an existing thread, as a person of the team.

use std::sync::Arc;

use super::{
    IdempotencyKey, Intent, KeyClaim, Leaves, Outgoing, PlanLimitReason, Recipient, Refusal, Reply,
    ReplyWindow, SendError, SendOnce, SendResult, TextMessage,
    ports::{Beginning, SendLedger},
};
use crate::{
    channels::{ChannelKind, Number},
    clock::Clock,
    contacts::Contact,
    conversations::Conversation,
    ids::{ConversationId, IdSource, MemberId, MessageId, WorkspaceId},
    phone::PhoneNumber,
    vault::Vault,
    workspaces::{Month, Plan},
};

/// Longest text (decision 6 of the REST API).
const MAX_TEXT_CHARS: usize = 4_096;

/// A reply, as asked.
#[derive(Clone)]
pub struct ReplyRequest {
    /// Into which thread.
    pub conversation: ConversationId,
    /// The text.
    pub text: String,
    /// What makes a repeat harmless.
    pub key: Option<IdempotencyKey>,
}

/// What a reply needs to know, read at one moment.
#[derive(Debug, Clone)]
pub struct ReplyContext {
    /// What the workspace may send.
    pub plan: Plan,
    /// Whether who answers is still on the team.
    pub author_is_here: bool,
    /// To whom.
    pub contact: Contact,
    /// The thread.
    pub conversation: Conversation,
    /// The number it runs over; `None` when that is not connected.
    pub number: Option<Number>,
}

/// A finished reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replied {
    /// The result, of this request or of the first one with its key.
    pub result: SendResult,
    /// Whether the result is that of an earlier request.
    pub replayed: bool,
}

/// Sends replies.
pub struct SendReply {
    /// The ledger.
    pub ledger: Arc<dyn SendLedger>,
    /// Asks the network.
    pub once: Arc<SendOnce>,
    /// For the hashes of keys and requests.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl SendReply {
    /// Sends a text as `author`. Once begun it must be run to its end, as a template send.
    ///
    /// # Errors
    /// See [`SendError`]. In this order: shape, key, thread, author, channel, plan, network.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        request: &ReplyRequest,
    ) -> Result<Replied, SendError> {
        check_text(&request.text)?;
        let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
        if let Some(result) = self.once.replay(workspace, claim, self.clock.now()).await? {
            return Ok(Replied { result, replayed: true });
        }
        let context = self.ledger.reply_context(workspace, request.conversation, author).await?;
        let context = context.ok_or(Refusal::ConversationNotFound)?;
        let plan = context.plan;
        let allowed = allow(context)?;

        let now = self.clock.now();
        let id = MessageId::new(&*self.ids);
        let leaves = Leaves::Reply(Reply {
            conversation: request.conversation,
            contact: allowed.contact.id,
            phone: allowed.contact.phone.clone(),
            author,
            text: request.text.clone(),
        });
        let intent = Intent {
            id,
            workspace,
            channel: allowed.number.id,
            from: Some(allowed.number.phone.clone()),
            template: None,
            reference: None,
            leaves,
            created_at: now,
        };
        let limit = plan.active_customer_limit.map(|limit| (Month::of(now), limit));
        let beginning = Beginning { intent, key: claim, limit };
        let outgoing = Outgoing::Text(TextMessage {
            tag: id,
            to: Recipient::Phone(allowed.to),
            text: request.text.clone(),
            window: ReplyWindow::Within24h,
        });
        let (result, replayed) = self.once.run(&beginning, &allowed.number, &outgoing).await?;
        Ok(Replied { result, replayed })
    }
}

/// A reply that nothing speaks against so far.
struct Allowed {
    contact: Contact,
    number: Number,
    to: PhoneNumber,
}

/// Who may answer whom over what; the first refusal in the order of the use case.
fn allow(context: ReplyContext) -> Result<Allowed, Refusal> {
    if !context.author_is_here {
        return Err(Refusal::AuthorLeft);
    }
    let kind = context.conversation.channel_kind;
    // A reply is kept in its thread, and nothing that leaves a send-only number is kept.
    let number = context.number.filter(|number| kind == ChannelKind::Whatsapp && !number.send_only);
    let to = context.contact.phone.clone();
    let (Some(number), Some(to)) = (number, to) else { return Err(Refusal::NoChannel(kind)) };
    if context.plan.paused {
        return Err(Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused));
    }
    Ok(Allowed { contact: context.contact, number, to })
}

fn check_text(text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::Invalid("`text` must not be empty".to_owned()));
    }
    if text.chars().count() > MAX_TEXT_CHARS {
        return Err(Refusal::Invalid(format!("`text` has at most {MAX_TEXT_CHARS} characters")));
    }
    Ok(())
}
