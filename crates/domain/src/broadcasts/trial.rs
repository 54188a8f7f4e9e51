//! A broadcast's message to one number, before it goes to anybody.

use std::sync::Arc;

use super::{
    content::FilledFor,
    error::BroadcastError,
    parts::{Audiences, PART},
    ports::BroadcastStore,
    preview::catalogue,
    state::Broadcast,
};
use crate::{
    errors::StoreError,
    ids::{BroadcastId, IdSource, MemberId, MessageId, WorkspaceId},
    phone::Region,
    sending::{IdempotencyKey, SendError, SendTemplate, Sent, TemplateRequest, ports::SendLedger},
    templates::Template,
};

/// Reason that a broadcast was not tried out.
#[derive(Debug, thiserror::Error)]
pub enum TryBroadcastError {
    #[error(transparent)]
    Broadcast(#[from] BroadcastError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that sends a broadcast's message to one number.
pub struct TryBroadcast {
    pub store: Arc<dyn BroadcastStore>,
    pub audiences: Audiences,
    pub ledger: Arc<dyn SendLedger>,
    pub send: Arc<SendTemplate>,
    pub ids: Arc<dyn IdSource>,
}

impl TryBroadcast {
    /// Sends to a number, in any spelling, what the first person of the audience who can be written to would
    /// get. It is a message of the author's like any other: the broadcast does not count it.
    pub async fn run(
        &self,
        (workspace, author): (WorkspaceId, MemberId),
        region: Region,
        id: BroadcastId,
        to: String,
        key: IdempotencyKey,
    ) -> Result<Sent, TryBroadcastError> {
        let broadcast = self.store.find(workspace, id).await?.ok_or(BroadcastError::Unknown)?;
        let filled = self.filled(workspace, region, &broadcast).await?;
        let request = TemplateRequest { to, reference: None, key: Some(key), ..filled };
        Ok(self.send.run_as(workspace, Some(author), &request).await?)
    }

    async fn filled(
        &self,
        workspace: WorkspaceId,
        region: Region,
        Broadcast { content, audience, .. }: &Broadcast,
    ) -> Result<TemplateRequest, BroadcastError> {
        content.check()?;
        self.audiences.check(workspace, region, audience).await??;
        let catalogue = catalogue(&*self.ledger, workspace, content).await?;
        if catalogue.templates.iter().any(Template::is_authentication) {
            return Err(BroadcastError::CodeTemplate);
        }
        let first = self.audiences.next(workspace, region, audience, None, PART).await?;
        let filled = first.people.iter().find_map(|somebody| {
            let person = FilledFor {
                phone: somebody.phone.as_ref()?,
                name: somebody.name.as_ref(),
                values: &somebody.values,
                message: MessageId::new(&*self.ids),
            };
            content.request(person, &catalogue, String::new()).ok()
        });
        filled.ok_or(BroadcastError::Nobody)
    }
}
