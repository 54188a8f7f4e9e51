//! Templates sent from a conversation: to its contact, over its own number, by a team member.

use std::sync::Arc;

use super::{
    idempotency::KeyClaim,
    once::{SendError, SendOnce},
    ports::SendLedger,
    refusal::Refusal,
    reply_context::ReplyContext,
    request::TemplateRequest,
    send_reply::Replied,
    send_template::SendTemplate,
};
use crate::{
    audit::{Acting, Action, AuditStore},
    channels::Connection,
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
    messages::ReplyAuthor,
    phone::PhoneNumber,
    templates::{ListedTemplate, TemplateFilter, TemplateStatus, ports::TemplateStore},
    vault::Vault,
};

/// A template sent from a conversation, or to a contact.
#[derive(Debug)]
pub struct SentInConversation {
    pub replied: Replied,
    /// Why the audit log does not tell of it; for the service's own log, since it was sent all the same.
    pub unlogged: Option<StoreError>,
}

/// Use case that sends templates into conversations.
pub struct SendInConversation {
    pub ledger: Arc<dyn SendLedger>,
    pub once: Arc<SendOnce>,
    pub send: Arc<SendTemplate>,
    pub vault: Arc<dyn Vault>,
    pub log: Arc<dyn AuditStore>,
    pub deps: Deps,
}

impl SendInConversation {
    /// Sends a template as `author`, whatever recipient and sending number the request names. Notes in the
    /// audit log what was sent or may have been.
    ///
    /// # Errors
    /// Checked in this order: shape, key, conversation, author, channel, then as for a template send.
    pub async fn run(
        &self,
        acting: Acting,
        author: MemberId,
        conversation: ConversationId,
        request: TemplateRequest,
    ) -> Result<SentInConversation, SendError> {
        let workspace = acting.workspace;
        request.check_shape()?;
        let context = self.ledger.reply_context(workspace, conversation, ReplyAuthor::Member(author)).await?;
        let addressed = context
            .ok_or(Refusal::ConversationNotFound)
            .and_then(|context| address(&context, request.clone()));
        match addressed {
            Ok(request) => {
                let sent = self.send.run_as(workspace, Some(author), &request).await;
                let logged = match &sent {
                    Ok(sent) if sent.replayed => Ok(()),
                    Ok(sent) => self.log(acting, conversation, &request, sent.result.id).await,
                    Err(SendError::Open { id, .. }) => self.log(acting, conversation, &request, *id).await,
                    Err(_) => Ok(()),
                };
                match (sent, logged.err()) {
                    (Ok(sent), unlogged) => {
                        let replied = Replied { result: sent.result, replayed: sent.replayed };
                        Ok(SentInConversation { replied, unlogged })
                    }
                    (Err(SendError::Open { id, since, reason }), Some(error)) => Err(SendError::Open {
                        id,
                        since,
                        reason: format!("{reason}; not in the log of changes: {error}"),
                    }),
                    (Err(error), _) => Err(error),
                }
            }
            Err(refusal) => {
                let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
                let result = self.once.replay_or(refusal, workspace, claim).await?;
                Ok(SentInConversation { replied: Replied { result, replayed: true }, unlogged: None })
            }
        }
    }

    async fn log(
        &self,
        acting: Acting,
        conversation: ConversationId,
        request: &TemplateRequest,
        message: MessageId,
    ) -> Result<(), StoreError> {
        let entry = acting.does(Action::TemplateSent, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(conversation).with("template", request.template.as_str());
        self.log.add(acting.workspace, &entry.with("messageId", message.to_string())).await
    }
}

/// Use case that lists the templates for a conversation.
pub struct ListConversationTemplates {
    pub ledger: Arc<dyn SendLedger>,
    pub templates: Arc<dyn TemplateStore>,
}

impl ListConversationTemplates {
    /// Returns the approved templates of the account of the conversation's number, by name and language,
    /// without those of one-time codes; empty if no template reaches the conversation's contact. `None` if
    /// the workspace has no such conversation.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        conversation: ConversationId,
    ) -> Result<Option<Vec<ListedTemplate>>, StoreError> {
        let context = self.ledger.reply_context(workspace, conversation, ReplyAuthor::Member(author)).await?;
        let Some(context) = context else { return Ok(None) };
        let Some((connection, _)) = reached(&context) else { return Ok(Some(Vec::new())) };
        let approved = TemplateFilter { status: Some(TemplateStatus::Approved), category: None };
        let mut listed = self.templates.list(workspace, approved).await?;
        listed.retain(|listed| {
            listed.template.account == connection.account && !listed.template.is_authentication()
        });
        Ok(Some(listed))
    }
}

/// Returns the number over which templates go from the conversation, and the contact's. Templates are
/// WhatsApp's and go to numbers; what leaves a send-only number is kept in no conversation.
fn reached(context: &ReplyContext) -> Option<(&Connection, &PhoneNumber)> {
    let connection = context.connection.as_ref().filter(|connection| !connection.send_only)?;
    let has_templates = context.conversation.channel_kind.has_templates();
    context.contact.phone.as_ref().filter(|_| has_templates).map(|phone| (connection, phone))
}

fn address(context: &ReplyContext, request: TemplateRequest) -> Result<TemplateRequest, Refusal> {
    if !context.author_is_here {
        return Err(Refusal::AuthorLeft);
    }
    let Some((connection, phone)) = reached(context) else {
        return Err(Refusal::NoChannel(context.conversation.channel_kind));
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
        conversation::Conversation,
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
    fn the_conversation_says_to_whom_and_from_which_number() {
        let asked = TemplateRequest { name: Some("Omar".to_owned()), from: None, ..a_template_request() };
        let addressed = address(&context(), asked.clone()).unwrap();
        assert_eq!(addressed.to, a_contact().phone.unwrap().as_str());
        assert_eq!(addressed.from, Some(a_number(0, 1).network_id));
        assert_eq!((addressed.name, &addressed.template), (None, &asked.template));
    }

    #[test]
    fn a_conversation_that_no_template_can_reach_is_refused() {
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
