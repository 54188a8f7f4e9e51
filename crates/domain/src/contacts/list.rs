//! `GET /v1/contacts`.

use std::sync::Arc;

use super::{
    ContactProfile,
    add::read_number,
    filter::ContactFilter,
    ports::ContactStore,
    search::{Search, SearchTooLong},
};
use crate::{
    errors::StoreError,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, ForeignCursor, Page, Position},
    phone::{PhoneError, Region},
    text::decimal,
};

/// A caller's filter of contacts, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedContacts {
    pub phone: Option<String>,
    /// Part of the name or number.
    pub search: Option<String>,
}

impl AskedContacts {
    /// Returns whether the workspace's region matters to how this is parsed.
    pub fn may_name_a_number(&self) -> bool {
        self.phone.is_some()
            || self.search.as_deref().is_some_and(|search| search.chars().any(|c| decimal(c).is_some()))
    }
}

/// A page of contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactsPage {
    pub page: Page<ContactProfile>,
    /// Number of contacts that pass the filter, on all pages.
    pub total: u64,
}

/// Reason why contacts were not listed.
#[derive(Debug, thiserror::Error)]
pub enum ListContactsError {
    #[error("`phone` is {0}")]
    Phone(#[from] PhoneError),
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that lists a workspace's contacts.
pub struct ListContacts {
    pub store: Arc<dyn ContactStore>,
    pub cursors: Cursors,
}

impl ListContacts {
    /// Returns a page of the contacts that pass the filter, newest first. A number without a country code
    /// belongs to `region`.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        region: Region,
        asked: &AskedContacts,
        page: &AskedPage,
    ) -> Result<ContactsPage, ListContactsError> {
        let filter = self.read(workspace, region, asked).await?;
        let list = filter.list();
        let page = self.cursors.open(workspace, &list, page)?;
        let found = self.store.list(workspace, &filter, page).await?;
        let place = |row: &ContactProfile| Position { at: row.contact.created_at, id: row.contact.id.uuid() };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        Ok(ContactsPage { page: Page::cut(found.rows, page.limit, place, cursor), total: found.total })
    }

    async fn read(
        &self,
        workspace: WorkspaceId,
        region: Region,
        asked: &AskedContacts,
    ) -> Result<ContactFilter, ListContactsError> {
        let phone = match &asked.phone {
            Some(phone) => Some(read_number(&*self.store, workspace, phone, region).await??),
            None => None,
        };
        let search = asked.search.as_deref().map(|search| Search::read(search, region)).transpose()?;
        Ok(ContactFilter { phone, search: search.flatten() })
    }
}
