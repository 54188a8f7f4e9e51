//! `GET /dashboard/api/contacts`.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    super::search::{Search, SearchTooLong},
    DirectoryRow,
    filter::DirectoryFilter,
};
use crate::{
    channels::ChannelKind,
    contacts::ports::ContactDirectory,
    errors::StoreError,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, ForeignCursor, Page, Position},
    phone::Region,
    tag::Tag,
};

/// A member's filter of the directory, with the search as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedDirectory {
    /// Part of the name or number.
    pub search: Option<String>,
    /// Tag of any of their conversations.
    pub tag: Option<Tag>,
    /// Network over which they have written.
    pub channel: Option<ChannelKind>,
    /// Earliest time of their newest message, inclusive.
    pub since: Option<OffsetDateTime>,
    /// Latest time of their newest message, exclusive.
    pub until: Option<OffsetDateTime>,
}

impl AskedDirectory {
    /// Parses the search; a number without a country code belongs to `region`.
    pub fn read(self, region: Region) -> Result<DirectoryFilter, SearchTooLong> {
        let Self { search, tag, channel, since, until } = self;
        let search = search.map(|search| Search::read(&search, region)).transpose()?.flatten();
        Ok(DirectoryFilter { search, tag, channel, since, until })
    }
}

/// Reason why the directory was not listed.
#[derive(Debug, thiserror::Error)]
pub enum ListDirectoryError {
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that lists the directory.
pub struct ListDirectory {
    pub store: Arc<dyn ContactDirectory>,
    pub cursors: Cursors,
}

impl ListDirectory {
    /// Returns a page of those who pass the filter, newest first. A number without a country code belongs to
    /// `region`.
    ///
    /// A page may be short or empty and still have a next one: the store looks at a limited number of people
    /// for each page.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        region: Region,
        asked: AskedDirectory,
        page: &AskedPage,
    ) -> Result<Page<DirectoryRow>, ListDirectoryError> {
        let filter = asked.read(region)?;
        let list = filter.list();
        let page = self.cursors.open(workspace, &list, page)?;
        let rows = u32::from(page.limit.rows());
        let found = self.store.directory(workspace, &filter, rows, page.after).await?;
        let place = |row: &DirectoryRow| row.place();
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        let cut = Page::cut(found.rows, page.limit, place, cursor);
        let next = cut.next.or_else(|| found.reached.map(cursor));
        Ok(Page { next, ..cut })
    }
}

impl DirectoryRow {
    /// Returns its position in the list.
    pub fn place(&self) -> Position {
        let contact = &self.profile.contact;
        Position { at: contact.created_at, id: contact.id.uuid() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use time::macros::datetime;

    use super::AskedDirectory;
    use crate::contacts::directory::filter::DirectoryFilter;
    use crate::{channels::ChannelKind, tag::Tag, testing::a_region};

    fn read(asked: AskedDirectory) -> DirectoryFilter {
        asked.read(a_region()).unwrap()
    }

    #[test]
    fn every_filter_has_a_name_of_its_own_and_every_spelling_the_same() {
        let tag = |text: &str| Some(Tag::read(text).unwrap());
        let at = Some(datetime!(2026-11-21 10:00 UTC));
        let text = |text: &str| Some(text.to_owned());
        let all = AskedDirectory::default;
        let filters = [
            all(),
            AskedDirectory { search: text("vip"), ..all() },
            AskedDirectory { tag: tag("vip"), ..all() },
            AskedDirectory { channel: Some(ChannelKind::Instagram), ..all() },
            AskedDirectory { since: at, ..all() },
            AskedDirectory { until: at, ..all() },
        ];
        let names: HashSet<String> = filters.iter().cloned().map(|asked| read(asked).list()).collect();
        assert_eq!(names.len(), filters.len(), "{names:?}");
        for same in [
            AskedDirectory { search: text(" VIP "), ..all() },
            AskedDirectory { tag: tag("Vip "), ..all() },
            AskedDirectory { search: text(" "), ..all() },
        ] {
            assert!(names.contains(&read(same.clone()).list()), "{same:?}");
        }
        let parts: Vec<_> = filters.into_iter().map(|asked| read(asked).parts()).collect();
        let each = [&[][..], &["search"], &["tag"], &["channel"], &["activeSince"], &["activeUntil"]];
        assert_eq!(parts, each);
    }

    #[test]
    fn nothing_but_a_blank_is_everybody() {
        assert!(
            read(AskedDirectory { search: Some("\u{640} ".to_owned()), ..AskedDirectory::default() })
                .is_empty()
        );
        assert!(
            !read(AskedDirectory { search: Some("a".to_owned()), ..AskedDirectory::default() }).is_empty()
        );
    }
}
