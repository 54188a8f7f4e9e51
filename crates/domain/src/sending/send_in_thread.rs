//! A template sent from a thread: to whom the thread is with, over its own number, as a person of the team.

use std::sync::Arc;

use super::{
    KeyClaim, Refusal, Replied, ReplyContext, SendError, SendOnce, SendTemplate, TemplateRequest,
    ports::SendLedger,
};
use crate::{
    channels::ChannelKind,
    ids::{ConversationId, MemberId, WorkspaceId},
    vault::Vault,
};

/// Sends templates into threads.
pub struct SendInThread {
    /// The ledger.
    pub ledger: Arc<dyn SendLedger>,
    /// For what a key that was used before answers.
    pub once: Arc<SendOnce>,
    /// Sends.
    pub send: Arc<SendTemplate>,
    /// For the hashes of keys and requests.
    pub vault: Arc<dyn Vault>,
}

impl SendInThread {
    /// Sends a template as `author`, whatever the request says of the recipient and the sending number.
    ///
    /// # Errors
    /// See [`SendError`]. In this order: shape, key, thread, author, channel, then those of a template send.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        conversation: ConversationId,
        request: TemplateRequest,
    ) -> Result<Replied, SendError> {
        request.check_shape()?;
        let context = self.ledger.reply_context(workspace, conversation, author).await?;
        let addressed = context
            .ok_or(Refusal::ConversationNotFound)
            .and_then(|context| address(&context, request.clone()));
        match addressed {
            Ok(request) => {
                let sent = self.send.run_as(workspace, Some(author), &request).await?;
                Ok(Replied { result: sent.result, replayed: sent.replayed })
            }
            Err(refusal) => {
                let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
                let result = self.once.replay_or(refusal, workspace, claim).await?;
                Ok(Replied { result, replayed: true })
            }
        }
    }
}

/// The request with the thread's person and number. Templates are WhatsApp's, and go to numbers; what leaves a
/// send-only number would be kept in no thread.
fn address(context: &ReplyContext, request: TemplateRequest) -> Result<TemplateRequest, Refusal> {
    if !context.author_is_here {
        return Err(Refusal::AuthorLeft);
    }
    let kind = context.conversation.channel_kind;
    let connection = context.connection.as_ref().filter(|connection| !connection.send_only);
    let (ChannelKind::Whatsapp, Some(connection), Some(phone)) = (kind, connection, &context.contact.phone)
    else {
        return Err(Refusal::NoChannel(kind));
    };
    Ok(TemplateRequest {
        to: phone.as_str().to_owned(),
        name: None,
        from: Some(connection.network_id.clone()),
        ..request
    })
}

#[cfg(test)]
mod tests {
    use super::address;
    use crate::{
        channels::{ChannelKind, Connection},
        contacts::Contact,
        conversations::Conversation,
        sending::{Refusal, ReplyContext, TemplateRequest},
        testing::{a_contact, a_conversation, a_number, a_template_request},
        workspaces::Plan,
    };

    fn context() -> ReplyContext {
        ReplyContext {
            plan: Plan::default(),
            author_is_here: true,
            contact: a_contact(),
            conversation: a_conversation(),
            connection: Some(Connection::from(&a_number(0, 1))),
            to: None,
            customer_wrote_at: None,
        }
    }

    #[test]
    fn the_thread_says_to_whom_and_from_which_number() {
        let asked = TemplateRequest { name: Some("Omar".to_owned()), from: None, ..a_template_request() };
        let addressed = address(&context(), asked.clone()).unwrap();
        assert_eq!(addressed.to, a_contact().phone.unwrap().as_str());
        assert_eq!(addressed.from, Some(a_number(0, 1).network_id));
        assert_eq!((addressed.name, &addressed.template), (None, &asked.template));
    }

    #[test]
    fn a_thread_that_no_template_can_reach_is_refused() {
        let gone = ReplyContext { author_is_here: false, connection: None, ..context() };
        let unconnected = ReplyContext { connection: None, ..context() };
        let send_only = Connection { send_only: true, ..Connection::from(&a_number(0, 1)) };
        let send_only = ReplyContext { connection: Some(send_only), ..context() };
        let nameless = ReplyContext { contact: Contact { phone: None, ..a_contact() }, ..context() };
        let page = Conversation { channel_kind: ChannelKind::Messenger, ..a_conversation() };
        let page = ReplyContext { conversation: page, ..context() };
        for (context, refusal) in [
            (gone, Refusal::AuthorLeft),
            (unconnected, Refusal::NoChannel(ChannelKind::Whatsapp)),
            (send_only, Refusal::NoChannel(ChannelKind::Whatsapp)),
            (nameless, Refusal::NoChannel(ChannelKind::Whatsapp)),
            (page, Refusal::NoChannel(ChannelKind::Messenger)),
        ] {
            assert_eq!(address(&context, a_template_request()).unwrap_err(), refusal, "{context:?}");
        }
    }
}
