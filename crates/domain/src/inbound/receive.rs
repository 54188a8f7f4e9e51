//! Receiving a network's post: signature, then journal, then the 200.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;

use super::{
    Addressee, Head, JournalEntry, JournalItem, NetworkUpdate,
    ports::{Journal, NetworkWebhook},
};
use crate::{
    channels::{UnreadCount, ports::UnreadUpdates},
    deps::Deps,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::ports::UpdateSignals,
};

/// Reason why a post was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    #[error("the signature is missing or does not match")]
    Forged,
    /// The post could not be stored; the network will post it again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Summary of an accepted post.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    pub journaled: usize,
    /// Number of updates not journaled: of numbers and accounts that are not ours, of customers of send-only
    /// or disconnected numbers, or of no use here.
    pub passed_over: usize,
    /// Fields not supported by this version that came for the first time on this day, each with its
    /// workspace.
    pub newly_unread: Vec<(WorkspaceId, String)>,
    /// Number of updates not supported by this version, whoever owns them.
    pub unread: usize,
    /// Whether the post was quarantined because all or part of it cannot be parsed.
    pub quarantined: bool,
    /// Whether all that cannot be parsed is about numbers or accounts that are not connected; that is stored
    /// nowhere.
    pub unreadable_of_others: bool,
}

/// A parsed post.
#[derive(Default)]
pub(super) struct Post {
    pub(super) entries: Vec<JournalEntry>,
    /// Number of updates not to be journaled.
    pub(super) passed_over: usize,
    /// Fields not supported by this version, with their owners.
    pub(super) unread: Vec<(String, Option<Addressee>)>,
    /// Reason to quarantine the post, quoting nothing of it.
    pub(super) unreadable: Option<String>,
    /// Whether all that cannot be parsed belongs to others.
    pub(super) unreadable_of_others: bool,
}

/// A post that its network signed.
pub struct SignedPost {
    webhook: Arc<dyn NetworkWebhook>,
    payload: Bytes,
}

impl SignedPost {
    /// Checks that the network signed the post.
    pub fn check(webhook: Arc<dyn NetworkWebhook>, head: &Head, raw: Bytes) -> Result<Self, ReceiveError> {
        let payload = webhook.verify(head, raw).ok_or(ReceiveError::Forged)?;
        Ok(Self { webhook, payload })
    }
}

/// Receiver of the networks' posts.
pub struct ReceiveUpdates {
    pub webhooks: Vec<Arc<dyn NetworkWebhook>>,
    pub journal: Arc<dyn Journal>,
    pub unread: Arc<dyn UnreadUpdates>,
    pub signals: Arc<dyn UpdateSignals>,
    pub deps: Deps,
}

impl ReceiveUpdates {
    /// Journals a post. Once it returns, nothing of the post can be lost.
    pub async fn take_in(&self, post: &SignedPost) -> Result<Received, ReceiveError> {
        let SignedPost { webhook, payload } = post;
        let Post { entries, passed_over, unread, unreadable, unreadable_of_others } =
            self.read(&**webhook, payload).await?;
        let journaled = entries.len();
        if journaled > 0 {
            self.keep(entries).await?;
        }
        // Last: after an earlier failure the network posts everything again, and this would be stored twice.
        if let Some(reason) = &unreadable {
            let (name, network) = (webhook.name(), webhook.network(payload));
            self.journal.quarantine(name, payload, network, reason, self.deps.clock.now()).await?;
        }
        let quarantined = unreadable.is_some();
        let newly_unread = self.count(&unread).await?;
        let unread = unread.len();
        Ok(Received { journaled, passed_over, newly_unread, unread, quarantined, unreadable_of_others })
    }

    /// Counts unsupported updates of connected numbers and accounts; returns the fields that are new today.
    async fn count(
        &self,
        unread: &[(String, Option<Addressee>)],
    ) -> Result<Vec<(WorkspaceId, String)>, StoreError> {
        let owners = self.owners(unread.iter().filter_map(|(_, of)| of.as_ref())).await?;
        let mut by_workspace: BTreeMap<WorkspaceId, Vec<&str>> = BTreeMap::new();
        for (field, of) in unread {
            if let Some(workspace) = of.as_ref().and_then(|of| owners.get(of)) {
                by_workspace.entry(*workspace).or_default().push(field);
            }
        }
        let today = self.deps.clock.now().date();
        let mut new = Vec::new();
        for (workspace, fields) in by_workspace {
            let found = self.unread.count(workspace, &UnreadCount::of(fields), today).await?;
            new.extend(found.into_iter().map(|field| (workspace, field)));
        }
        Ok(new)
    }

    /// Journals the updates, as already claimed where this process handles them at once, so that nobody has
    /// to look for them.
    async fn keep(&self, entries: Vec<JournalEntry>) -> Result<(), StoreError> {
        let mut by_workspace: BTreeMap<WorkspaceId, Vec<JournalEntry>> = BTreeMap::new();
        for entry in entries {
            by_workspace.entry(entry.workspace).or_default().push(entry);
        }
        for (workspace, entries) in by_workspace {
            let take_up = self.signals.takes_up(workspace, entries.len());
            let taken = self.journal.append(workspace, &entries, take_up).await?;
            if taken.updates.is_empty() {
                self.signals.updates_journaled(workspace);
            } else {
                self.signals.updates_taken_up(workspace, taken);
            }
        }
        Ok(())
    }

    /// Returns the webhook of this name.
    pub(super) fn webhook(&self, name: &str) -> Option<&dyn NetworkWebhook> {
        self.webhooks.iter().find(|webhook| webhook.name() == name).map(|webhook| &**webhook)
    }

    /// Parses the payload of a post.
    pub(super) async fn read(
        &self,
        webhook: &dyn NetworkWebhook,
        payload: &[u8],
    ) -> Result<Post, StoreError> {
        let updates = match webhook.read(payload) {
            Ok(updates) => updates,
            Err(unreadable) => return Ok(Post { unreadable: Some(unreadable.0), ..Post::default() }),
        };
        let parts: Vec<(&str, Option<&Addressee>)> = updates.iter().filter_map(unreadable_part).collect();
        let unread = updates.iter().filter_map(unread_part).collect();
        let ours = self.of_ours(&parts).await?;
        let unreadable_of_others = ours.is_empty() && !parts.is_empty();
        let unreadable = (!ours.is_empty()).then(|| format!("cannot be read: {}", ours.join("; ")));
        let total = updates.len();
        let entries = self.address(updates).await?;
        Ok(Post { passed_over: total - entries.len(), entries, unread, unreadable, unreadable_of_others })
    }

    /// Returns the parts that may be ours, each once: those of connected numbers and accounts, and those
    /// without a known owner.
    async fn of_ours<'a>(&self, parts: &[(&'a str, Option<&Addressee>)]) -> Result<Vec<&'a str>, StoreError> {
        let owners = self.owners(parts.iter().filter_map(|(_, of)| *of)).await?;
        let mut ours: Vec<&str> = Vec::new();
        for (part, of) in parts {
            if of.is_none_or(|of| owners.contains_key(of)) && !ours.contains(part) {
                ours.push(part);
            }
        }
        Ok(ours)
    }

    /// Returns the workspaces of those that are connected.
    async fn owners<'a>(
        &self,
        of: impl Iterator<Item = &'a Addressee>,
    ) -> Result<BTreeMap<Addressee, WorkspaceId>, StoreError> {
        let (mut numbers, mut accounts) = (Vec::new(), Vec::new());
        for of in of.collect::<BTreeSet<_>>() {
            match of {
                Addressee::Channel(id) => numbers.push(id.clone()),
                Addressee::Account(id) => accounts.push(id.clone()),
            }
        }
        let mut owners = BTreeMap::new();
        if !numbers.is_empty() {
            let routes = self.journal.number_routes(&numbers).await?;
            let known = numbers.into_iter().zip(routes).filter_map(|(id, route)| Some((id, route?)));
            let known = known.filter(|(_, route)| !route.disconnected);
            owners.extend(known.map(|(id, route)| (Addressee::Channel(id), route.workspace)));
        }
        if !accounts.is_empty() {
            let routes = self.journal.account_routes(&accounts).await?;
            let known = accounts.into_iter().zip(routes);
            owners.extend(known.filter_map(|(id, workspace)| Some((Addressee::Account(id), workspace?))));
        }
        Ok(owners)
    }

    /// Wakes the handlers of these entries' workspaces.
    pub(super) fn wake(&self, entries: &[JournalEntry]) {
        let mut woken: Vec<WorkspaceId> = entries.iter().map(|entry| entry.workspace).collect();
        woken.sort_unstable();
        woken.dedup();
        for workspace in woken {
            self.signals.updates_journaled(workspace);
        }
    }

    /// Returns the updates to journal, each under its workspace.
    async fn address(&self, updates: Vec<NetworkUpdate>) -> Result<Vec<JournalEntry>, StoreError> {
        let mut numbers = Vec::new();
        let mut accounts = Vec::new();
        for update in updates {
            match update {
                NetworkUpdate::Status { number_network_id, status } => {
                    numbers.push((number_network_id, Heard::Status(status)));
                }
                NetworkUpdate::Conversation { channel_network_id, update } => {
                    numbers.push((channel_network_id, Heard::Conversation(Box::new(update))));
                }
                NetworkUpdate::TemplatesChanged { account_network_id } => {
                    accounts.push((account_network_id, None));
                }
                NetworkUpdate::AccountStanding { account_network_id, standing } => {
                    accounts.push((account_network_id, Some(standing)));
                }
                NetworkUpdate::Named { channel_network_id, named } => {
                    numbers.push((channel_network_id, Heard::Named(named)));
                }
                NetworkUpdate::Unreadable { .. }
                | NetworkUpdate::Unread { .. }
                | NetworkUpdate::Ignored { .. } => {}
            }
        }
        // A change of templates counts once however often it is reported; standings keep their order.
        accounts.sort_by(|(one, _), (other, _)| one.cmp(other));
        accounts.dedup();

        let mut kept = Vec::new();
        if !numbers.is_empty() {
            let ids: Vec<String> = numbers.iter().map(|(id, _)| id.clone()).collect();
            let routes = self.journal.number_routes(&ids).await?;
            for ((_, heard), route) in numbers.into_iter().zip(routes) {
                let Some(route) = route else { continue };
                let item = match heard {
                    Heard::Status(status) => JournalItem::Status(status),
                    Heard::Conversation(_) | Heard::Named(_) if route.send_only || route.disconnected => {
                        continue;
                    }
                    Heard::Named(named) => JournalItem::Named { channel: route.channel, named },
                    Heard::Conversation(update) => {
                        JournalItem::Conversation { channel: route.channel, update }
                    }
                };
                kept.push((route.workspace, item));
            }
        }
        if !accounts.is_empty() {
            let ids: Vec<String> = accounts.iter().map(|(id, _)| id.clone()).collect();
            let routes = self.journal.account_routes(&ids).await?;
            for ((account_network_id, standing), workspace) in accounts.into_iter().zip(routes) {
                let item = match standing {
                    Some(standing) => JournalItem::AccountStanding { account_network_id, standing },
                    None => JournalItem::TemplatesChanged { account_network_id },
                };
                kept.extend(workspace.map(|id| (id, item)));
            }
        }
        let received_at = self.deps.clock.now();
        let entry = |(workspace, item)| JournalEntry {
            id: JournalId::new(&*self.deps.ids),
            workspace,
            received_at,
            attempts: 0,
            item,
        };
        Ok(kept.into_iter().map(entry).collect())
    }
}

fn unreadable_part(update: &NetworkUpdate) -> Option<(&str, Option<&Addressee>)> {
    match update {
        NetworkUpdate::Unreadable { part, of } => Some((part, of.as_ref())),
        _ => None,
    }
}

fn unread_part(update: &NetworkUpdate) -> Option<(String, Option<Addressee>)> {
    match update {
        NetworkUpdate::Unread { field, of } => Some((field.clone(), of.clone())),
        _ => None,
    }
}

enum Heard {
    Status(super::StatusUpdate),
    Conversation(Box<super::ConversationUpdate>),
    Named(super::NamedMessage),
}
