//! Templates sent from the directory: to a contact with whom there may be no conversation yet.

use std::sync::Arc;

use super::{
    choose::Catalogue,
    idempotency::KeyClaim,
    once::{SendError, SendOnce},
    ports::SendLedger,
    refusal::Refusal,
    request::TemplateRequest,
    send_in_conversation::SentInConversation,
    send_reply::Replied,
    send_template::SendTemplate,
};
use crate::{
    audit::{Acting, Action, AuditStore},
    channels::{ChannelKind, Number},
    contacts::{Contact, ports::ContactStore},
    deps::Deps,
    errors::StoreError,
    ids::{ContactId, MemberId, MessageId, WorkspaceId},
    templates::{ListedTemplate, TemplateFilter, TemplateStatus, ports::TemplateStore},
    vault::Vault,
};

/// Use case that sends templates to contacts.
pub struct SendToContact {
    pub contacts: Arc<dyn ContactStore>,
    pub ledger: Arc<dyn SendLedger>,
    pub once: Arc<SendOnce>,
    pub send: Arc<SendTemplate>,
    pub vault: Arc<dyn Vault>,
    pub log: Arc<dyn AuditStore>,
    pub deps: Deps,
}

impl SendToContact {
    /// Sends a template as `author` to the contact's number, whatever recipient the request names.
    ///
    /// The sending number keeps its sends in conversations: the request's, else the first that can send the
    /// template. Creates the conversation if there is none, and notes in the audit log what was sent or may
    /// have been. `None` if the workspace has no such contact.
    pub async fn run(
        &self,
        acting: Acting,
        author: MemberId,
        contact: ContactId,
        request: TemplateRequest,
    ) -> Result<Option<SentInConversation>, SendError> {
        let workspace = acting.workspace;
        request.check_shape()?;
        let Some(profile) = self.contacts.find(workspace, contact).await? else { return Ok(None) };
        let catalogue = self.ledger.catalogue(workspace, &request.template).await?;
        let request = match address(&profile.contact, catalogue, request.clone()) {
            Ok(request) => request,
            Err(refusal) => {
                let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
                let result = self.once.replay_or(refusal, workspace, claim).await?;
                let replied = Replied { result, replayed: true };
                return Ok(Some(SentInConversation { replied, unlogged: None }));
            }
        };
        let sent = self.send.run_as(workspace, Some(author), &request).await;
        let logged = match &sent {
            Ok(sent) if sent.replayed => Ok(()),
            Ok(sent) => self.log(acting, contact, &request, sent.result.id).await,
            Err(SendError::Open { id, .. }) => self.log(acting, contact, &request, *id).await,
            Err(_) => Ok(()),
        };
        match (sent, logged.err()) {
            (Ok(sent), unlogged) => {
                let replied = Replied { result: sent.result, replayed: sent.replayed };
                Ok(Some(SentInConversation { replied, unlogged }))
            }
            (Err(SendError::Open { id, since, reason }), Some(error)) => {
                let reason = format!("{reason}; not in the log of changes: {error}");
                Err(SendError::Open { id, since, reason })
            }
            (Err(error), _) => Err(error),
        }
    }

    async fn log(
        &self,
        acting: Acting,
        contact: ContactId,
        request: &TemplateRequest,
        message: MessageId,
    ) -> Result<(), StoreError> {
        let entry = acting.does(Action::ContactWrittenTo, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(contact).with("template", request.template.as_str());
        self.log.add(acting.workspace, &entry.with("messageId", message.to_string())).await
    }
}

/// Returns the request addressed to the contact's number, from a number that can send it and keeps its sends
/// in conversations.
fn address(
    contact: &Contact,
    mut catalogue: Catalogue,
    request: TemplateRequest,
) -> Result<TemplateRequest, Refusal> {
    let nobody = Refusal::NoChannel(ChannelKind::Whatsapp);
    let to = contact.phone.as_ref().ok_or_else(|| nobody.clone())?.as_str().to_owned();
    catalogue.numbers.retain(keeps);
    let from = catalogue.choose(&request)?.number.network_id.clone();
    Ok(TemplateRequest { to, name: None, from: Some(from), ..request })
}

/// Returns `true` if the number's sends are kept in conversations.
const fn keeps(number: &Number) -> bool {
    !number.send_only
}

/// Use case that lists the templates for a contact without a conversation.
pub struct ListContactTemplates {
    pub contacts: Arc<dyn ContactStore>,
    pub templates: Arc<dyn TemplateStore>,
}

impl ListContactTemplates {
    /// Returns the approved templates of accounts with a connected number, by name and language, without
    /// those of one-time codes; empty for a contact without a number. `None` if the workspace has no such
    /// contact.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
    ) -> Result<Option<Vec<ListedTemplate>>, StoreError> {
        let Some(profile) = self.contacts.find(workspace, contact).await? else { return Ok(None) };
        if profile.contact.phone.is_none() {
            return Ok(Some(Vec::new()));
        }
        let approved = TemplateFilter { status: Some(TemplateStatus::Approved), category: None };
        let mut listed = self.templates.list(workspace, approved).await?;
        listed.retain(|listed| !listed.numbers.is_empty() && !listed.template.is_authentication());
        Ok(Some(listed))
    }
}

#[cfg(test)]
mod tests {
    use super::address;
    use crate::{
        channels::{ChannelKind, Number},
        contacts::Contact,
        sending::{Catalogue, Refusal, TemplateRequest},
        testing::{a_contact, a_number, a_template, a_template_request, a_workspace},
    };

    fn catalogue(numbers: Vec<Number>) -> Catalogue {
        Catalogue {
            workspace: a_workspace(),
            numbers,
            templates: vec![a_template(&a_template_request().template)],
        }
    }

    #[test]
    fn the_person_says_to_whom_and_a_number_that_keeps_its_conversations_sends() {
        let silent = Number { send_only: true, ..a_number(0, 1) };
        let asked = TemplateRequest { name: Some("Omar".to_owned()), from: None, ..a_template_request() };
        let sent =
            address(&a_contact(), catalogue(vec![silent.clone(), a_number(0, 2)]), asked.clone()).unwrap();
        assert_eq!(sent.to, a_contact().phone.unwrap().as_str());
        assert_eq!((sent.name, sent.from), (None, Some(a_number(0, 2).network_id)));
        let named = TemplateRequest { from: Some(silent.network_id.clone()), ..asked.clone() };
        let refused = address(&a_contact(), catalogue(vec![silent.clone(), a_number(0, 2)]), named);
        assert!(matches!(refused, Err(Refusal::UnknownSender { .. })), "{refused:?}");
        let refused = address(&a_contact(), catalogue(vec![silent]), asked);
        assert_eq!(refused.unwrap_err(), Refusal::NoChannel(ChannelKind::Whatsapp));
    }

    #[test]
    fn who_has_no_number_is_reached_by_no_template() {
        let nobody = Contact { phone: None, ..a_contact() };
        let refused = address(&nobody, catalogue(vec![a_number(0, 1)]), a_template_request());
        assert_eq!(refused.unwrap_err(), Refusal::NoChannel(ChannelKind::Whatsapp));
    }
}
