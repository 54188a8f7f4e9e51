//! Names and pictures of people whom their network names only on request.

use std::sync::Arc;

use futures_util::future::join_all;
use time::Duration;

use super::{ports::InboxStore, record::ContactMerge};
use crate::{
    channels::ports::NetworkError,
    clock::Clock,
    contacts::ports::{NetworkProfiles, UnnamedContact, UnnamedContacts},
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
};

/// People of one turn, asked about concurrently.
const BATCH: u32 = 10;
/// Longer than a network has to answer, retries included.
const LEASE: Duration = Duration::minutes(5);
/// Waits after unanswered requests. After one more the person is left without a name.
const GAPS: [Duration; 3] = [Duration::minutes(1), Duration::minutes(30), Duration::hours(12)];

/// Use case that fills in names and pictures that only the network has.
pub struct FetchProfiles {
    pub unnamed: Arc<dyn UnnamedContacts>,
    pub contacts: Arc<dyn InboxStore>,
    pub network: Arc<dyn NetworkProfiles>,
    pub clock: Arc<dyn Clock>,
}

/// Outcome of a turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FetchedProfiles {
    pub asked: usize,
    /// People without an answer, and why.
    pub unanswered: Vec<(ContactId, String)>,
}

impl FetchedProfiles {
    /// Returns whether more people may be due now.
    pub fn may_have_more(&self) -> bool {
        u32::try_from(self.asked).is_ok_and(|asked| asked >= BATCH)
    }
}

impl FetchProfiles {
    /// Lists the workspaces with somebody to ask about.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.unnamed.workspaces_with_unnamed(self.clock.now()).await
    }

    /// Asks about the next people of a workspace. A request that fails is repeated later, a few times.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<FetchedProfiles, StoreError> {
        let now = self.clock.now();
        let unnamed_contacts = self.unnamed.claim_unnamed(workspace, now, now + LEASE, BATCH).await?;
        let answers =
            join_all(unnamed_contacts.iter().map(|unnamed_contact| self.ask(workspace, unnamed_contact)))
                .await;
        let mut fetched = FetchedProfiles { asked: unnamed_contacts.len(), unanswered: Vec::new() };
        for (unnamed_contact, answer) in unnamed_contacts.iter().zip(answers) {
            if let Err(reason) = answer? {
                fetched.unanswered.push((unnamed_contact.contact.id, reason));
            }
        }
        Ok(fetched)
    }

    /// Asks about one person; returns the reason if there was no answer.
    async fn ask(
        &self,
        workspace: WorkspaceId,
        unnamed_contact: &UnnamedContact,
    ) -> Result<Result<(), String>, StoreError> {
        let answer =
            if unnamed_contact.is_known() { Ok(()) } else { self.fetch(workspace, unnamed_contact).await? };
        let again = answer.is_err().then(|| gap_after(unnamed_contact.attempt)).flatten();
        let again = again.map(|gap| self.clock.now() + gap);
        self.unnamed.asked(workspace, &unnamed_contact.identity, again).await?;
        Ok(answer)
    }

    async fn fetch(
        &self,
        workspace: WorkspaceId,
        unnamed_contact: &UnnamedContact,
    ) -> Result<Result<(), String>, StoreError> {
        let Some(token) = &unnamed_contact.token else {
            return Ok(Err("they have no conversation over the network yet".to_owned()));
        };
        let profile = match self.network.profile(&unnamed_contact.identity, token).await {
            Ok(profile) => profile,
            Err(NetworkError::Unavailable(reason)) => return Ok(Err(reason)),
            // The network's message names the person.
            Err(NetworkError::Refused { code, .. }) => return Ok(Err(format!("refused with code {code}"))),
        };
        let met = ContactMerge::by_profile(
            &unnamed_contact.contact,
            unnamed_contact.avatar_url.as_deref(),
            profile,
        );
        let Some(met) = met else { return Ok(Ok(())) };
        match self.contacts.merge_contacts(workspace, &met, self.clock.now()).await {
            Ok(()) => Ok(Ok(())),
            // The contact has changed meanwhile.
            Err(error @ StoreError::Stale) => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }
}

impl UnnamedContact {
    fn is_known(&self) -> bool {
        !self.contact.is_nameless() && self.avatar_url.is_some()
    }
}

/// Returns the wait after an unanswered request; `None` after the last.
fn gap_after(attempt: u32) -> Option<Duration> {
    let place = usize::try_from(attempt).ok()?.saturating_sub(1);
    GAPS.get(place).copied()
}
