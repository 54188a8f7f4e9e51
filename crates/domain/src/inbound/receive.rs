//! Taking in a network's post: signature, then journal, then the 200.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Addressee, JournalEntry, JournalItem, NetworkUpdate, UnreadCount,
    ports::{Journal, NetworkWebhook, UnreadUpdates},
};
use crate::{
    deps::Deps,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
};

/// It says why a post was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// The network did not sign it.
    #[error("the signature is missing or does not match")]
    Forged,
    /// It could not be kept; the network will post it again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It says what a post held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// So many updates were journaled.
    pub journaled: usize,
    /// It counts updates of numbers and accounts that are not ours, of customers of send-only or disconnected
    /// numbers, or of no use here.
    pub passed_over: usize,
    /// These fields, which this version does not read, came for the first time on this day, for a workspace each.
    pub newly_unread: Vec<(WorkspaceId, String)>,
    /// So many updates are not read by this version, whosever they are.
    pub unread: usize,
    /// It says whether the post went to the quarantine, because all or a part of it cannot be read.
    pub quarantined: bool,
    /// It says whether what cannot be read of it is all about numbers or accounts that are not connected, and
    /// is kept nowhere.
    pub unreadable_of_others: bool,
}

/// It is what a post says.
#[derive(Default)]
pub(super) struct Post {
    /// They are the updates that are ours to keep.
    pub(super) entries: Vec<JournalEntry>,
    /// There are so many others.
    pub(super) passed_over: usize,
    /// They are the names of what this version does not read, with whose it is.
    pub(super) unread: Vec<(String, Option<Addressee>)>,
    /// It says what of the post cannot be read, without quoting it.
    pub(super) unreadable: Option<String>,
    /// It says whether what cannot be read of it is none of ours.
    pub(super) unreadable_of_others: bool,
}

/// It takes in posts of a network.
pub struct ReceiveUpdates {
    pub network: Arc<dyn NetworkWebhook>,
    pub journal: Arc<dyn Journal>,
    pub unread: Arc<dyn UnreadUpdates>,
    pub deps: Deps,
}

impl ReceiveUpdates {
    /// Keeps what the post holds. When it returns, nothing of it can be lost.
    ///
    /// # Errors
    /// See [`ReceiveError`].
    pub async fn run(&self, raw: &[u8], signature: Option<&str>) -> Result<Received, ReceiveError> {
        self.check(raw, signature)?;
        self.take_in(raw).await
    }

    /// Checks that the network signed it.
    ///
    /// # Errors
    /// [`ReceiveError::Forged`].
    pub fn check(&self, raw: &[u8], signature: Option<&str>) -> Result<(), ReceiveError> {
        let is_signed = signature.is_some_and(|signature| self.network.is_signed(raw, signature));
        if is_signed { Ok(()) } else { Err(ReceiveError::Forged) }
    }

    /// Keeps what a post holds whose signature was checked. When it returns, nothing of it can be lost.
    ///
    /// # Errors
    /// [`ReceiveError::Store`].
    pub async fn take_in(&self, raw: &[u8]) -> Result<Received, ReceiveError> {
        let Post { entries, passed_over, unread, unreadable, unreadable_of_others } = self.read(raw).await?;
        let journaled = entries.len();
        if journaled > 0 {
            self.keep(entries).await?;
        }
        // Last: what fails before makes the network post all of it again, and this would be kept once more.
        if let Some(reason) = &unreadable {
            let network = self.network.network(raw);
            self.journal.quarantine(raw, network, reason, self.deps.clock.now()).await?;
        }
        let quarantined = unreadable.is_some();
        let newly_unread = self.count(&unread).await?;
        let unread = unread.len();
        Ok(Received { journaled, passed_over, newly_unread, unread, quarantined, unreadable_of_others })
    }

    /// Counts what this version does not read, of numbers and accounts that are connected.
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

    /// Journals the updates: as taken up, where this process handles them at once, so that nobody has to look for
    /// them.
    async fn keep(&self, entries: Vec<JournalEntry>) -> Result<(), StoreError> {
        let mut by_workspace: BTreeMap<WorkspaceId, Vec<JournalEntry>> = BTreeMap::new();
        for entry in entries {
            by_workspace.entry(entry.workspace).or_default().push(entry);
        }
        for (workspace, entries) in by_workspace {
            let take_up = self.deps.signals.takes_up(workspace, entries.len());
            let taken = self.journal.append(workspace, &entries, take_up).await?;
            if taken.updates.is_empty() {
                self.deps.signals.updates_journaled(workspace);
            } else {
                self.deps.signals.updates_taken_up(workspace, taken);
            }
        }
        Ok(())
    }

    /// Reads what a post says, whoever signed it.
    pub(super) async fn read(&self, raw: &[u8]) -> Result<Post, StoreError> {
        let updates = match self.network.read(raw) {
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

    /// Returns the parts that may be ours, each once: those of numbers and accounts that are connected, and
    /// those that do not say whose they are.
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

    /// Returns whose these are, as far as they are connected.
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

    /// Wakes who handles these.
    pub(super) fn wake(&self, entries: &[JournalEntry]) {
        let mut woken: Vec<WorkspaceId> = entries.iter().map(|entry| entry.workspace).collect();
        woken.sort_unstable();
        woken.dedup();
        for workspace in woken {
            self.deps.signals.updates_journaled(workspace);
        }
    }

    /// Returns the updates that are ours to keep, each under its workspace.
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
        // A change of templates is one however often it is told; standings keep their order.
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

/// It is what a number's update says.
enum Heard {
    Status(super::StatusUpdate),
    Conversation(Box<super::ConversationUpdate>),
    Named(super::NamedMessage),
}
