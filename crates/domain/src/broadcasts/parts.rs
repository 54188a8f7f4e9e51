//! The people of an audience, part by part.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    audience::{Audience, AudienceError, AudienceFilter},
    list::{ColumnValues, value_of},
    ports::{BroadcastListStore, BroadcastStore},
};
use crate::{
    contacts::{Contact, ContactName, directory::DirectoryRow, ports::ContactDirectory},
    errors::StoreError,
    ids::{BroadcastListId, ContactId, WorkspaceId},
    paging::Position,
    phone::{PhoneNumber, Region},
};

/// People read at once, where somebody waits for them.
pub(super) const PART: u32 = 500;
/// People read at once, where nobody waits: a query of a filter that finds many costs much the same for all
/// of these.
pub(super) const LARGE_PART: u32 = 2_000;
/// Titles under which a list may hold people's names.
const NAME_COLUMNS: [&str; 4] = ["name", "full name", "الاسم", "اسم"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Somebody {
    /// Position in the audience, from which it can be read on.
    pub(super) place: Position,
    pub(super) contact: Option<ContactId>,
    pub(super) phone: Option<PhoneNumber>,
    pub(super) name: Option<ContactName>,
    pub(super) values: ColumnValues,
}

/// Part of an audience; `next` is `None` at its end.
pub(super) struct Part {
    pub(super) people: Vec<Somebody>,
    pub(super) next: Option<Position>,
}

/// Reader of the people of audiences.
#[derive(Clone)]
pub struct Audiences {
    pub store: Arc<dyn BroadcastStore>,
    pub lists: Arc<dyn BroadcastListStore>,
    pub directory: Arc<dyn ContactDirectory>,
}

/// Returns the contact's name for sends; `None` if it is no valid one.
fn name_of(contact: &Contact) -> Option<ContactName> {
    contact.name.as_deref().and_then(|name| ContactName::read(name).ok())
}

impl From<Contact> for Somebody {
    fn from(contact: Contact) -> Self {
        let name = name_of(&contact);
        let place = Position { at: contact.created_at, id: contact.id.uuid() };
        Self { place, contact: Some(contact.id), phone: contact.phone, name, values: ColumnValues::new() }
    }
}

impl Audiences {
    /// Checks that the workspace has what the audience names.
    pub(super) async fn check(
        &self,
        workspace: WorkspaceId,
        region: Region,
        audience: &Audience,
    ) -> Result<Result<(), AudienceError>, StoreError> {
        if let Err(error) = audience.filter(region) {
            return Ok(Err(error));
        }
        match audience {
            Audience::List(id) if self.lists.complete_list(workspace, *id).await?.is_none() => {
                Ok(Err(AudienceError::List))
            }
            Audience::Filter(filter) => match filter.group {
                Some(group) if !self.store.has_group(workspace, group).await? => {
                    Ok(Err(AudienceError::Group))
                }
                _ => Ok(Ok(())),
            },
            Audience::Chosen(contacts) => {
                let mut asked = contacts.clone();
                asked.sort_unstable();
                asked.dedup();
                let known = self.store.count_contacts(workspace, &asked).await?;
                let unknown = asked.len().saturating_sub(known);
                Ok(if unknown == 0 { Ok(()) } else { Err(AudienceError::Nobody(unknown)) })
            }
            Audience::List(_) => Ok(Ok(())),
        }
    }

    /// Returns whether the workspace still has the group that the audience names; true if it names none.
    pub(super) async fn has_its_group(
        &self,
        workspace: WorkspaceId,
        audience: &Audience,
    ) -> Result<bool, StoreError> {
        match audience {
            Audience::Filter(AudienceFilter { group: Some(group), .. }) => {
                self.store.has_group(workspace, *group).await
            }
            Audience::Filter(_) | Audience::List(_) | Audience::Chosen(_) => Ok(true),
        }
    }

    /// Returns the next part of an audience: about `rows` people, or all the rest who were chosen by hand.
    pub(super) async fn next(
        &self,
        workspace: WorkspaceId,
        region: Region,
        audience: &Audience,
        after: Option<Position>,
        rows: u32,
    ) -> Result<Part, StoreError> {
        match audience {
            Audience::Chosen(contacts) => {
                let mut people = self.store.contacts(workspace, contacts).await?;
                people.retain(|contact| after.is_none_or(|after| contact.id.uuid() > after.id));
                people.sort_unstable_by_key(|contact| contact.id);
                Ok(Part { people: people.into_iter().map(Somebody::from).collect(), next: None })
            }
            Audience::List(id) => self.of_list(workspace, *id, after, rows).await,
            Audience::Filter(_) => self.of_directory(workspace, region, audience, after, rows).await,
        }
    }

    async fn of_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        after: Option<Position>,
        rows: u32,
    ) -> Result<Part, StoreError> {
        let found = self.lists.people_of(workspace, id, after.map(|place| place.id), rows).await?;
        let full = found.len() >= usize::try_from(rows).unwrap_or(usize::MAX);
        let last = found.last().map(|(listed, _)| listed.id).filter(|_| full);
        let place = |id| Position { at: OffsetDateTime::UNIX_EPOCH, id };
        let next = last.map(place);
        let somebody = |(listed, contact): (super::ListedNumber, Option<Contact>)| {
            let written = NAME_COLUMNS.iter().find_map(|column| value_of(&listed.values, column));
            let name = written.and_then(|name| ContactName::read(name).ok());
            Somebody {
                place: place(listed.id),
                name: name.or_else(|| contact.as_ref().and_then(name_of)),
                contact: contact.map(|contact| contact.id),
                phone: Some(listed.phone),
                values: listed.values,
            }
        };
        Ok(Part { people: found.into_iter().map(somebody).collect(), next })
    }

    async fn of_directory(
        &self,
        workspace: WorkspaceId,
        region: Region,
        audience: &Audience,
        after: Option<Position>,
        rows: u32,
    ) -> Result<Part, StoreError> {
        // A stored audience was valid when it was stored.
        let wrong = |error: AudienceError| StoreError::Unavailable(error.to_string());
        let (Audience::Filter(asked), Some(filter)) = (audience, audience.filter(region).map_err(wrong)?)
        else {
            return Ok(Part { people: vec![], next: None });
        };
        let found = self.directory.directory(workspace, &filter, rows, after).await?;
        let most = usize::try_from(rows).unwrap_or(usize::MAX);
        let mut people = found.rows;
        let more = people.len() > most;
        people.truncate(most);
        let next = if more { people.last().map(DirectoryRow::place) } else { found.reached };
        people.retain(|row| asked.passes(&row.profile));
        if let Some(group) = asked.group
            && !people.is_empty()
        {
            let ids: Vec<ContactId> = people.iter().map(|row| row.profile.contact.id).collect();
            let of_group = self.store.in_group(workspace, group, &ids).await?;
            people.retain(|row| of_group.contains(&row.profile.contact.id));
        }
        Ok(Part { people: people.into_iter().map(|row| row.profile.contact.into()).collect(), next })
    }

    /// Returns the cells of these numbers in the audience's list; nothing if it is no list.
    pub(super) async fn values(
        &self,
        workspace: WorkspaceId,
        audience: &Audience,
        phones: &[PhoneNumber],
    ) -> Result<std::collections::HashMap<PhoneNumber, ColumnValues>, StoreError> {
        match audience {
            Audience::List(id) => self.lists.values_of(workspace, *id, phones).await,
            Audience::Filter(_) | Audience::Chosen(_) => Ok(std::collections::HashMap::new()),
        }
    }
}
