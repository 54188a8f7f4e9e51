//! Uploaded lists of numbers, with columns that templates are filled from.

use std::{collections::HashSet, sync::Arc};

use super::{
    list::{BroadcastList, ColumnValues, ListedNumber},
    ports::BroadcastListStore,
};
use crate::{
    access::members::{Role, ports::MemberStore},
    audit::{Acting, Action, Actor},
    contacts::{
        Columns, ImportError, ReadNumber, RefusedRow, RowError, directory::unguarded, known_by,
        ports::ContactStore,
    },
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastListId, WorkspaceId},
    phone::{PhoneError, Region},
    text::{fold_for_search, is_blank},
};

/// Most rows of a list.
pub const MOST_ROWS: u64 = 1_000_000;
/// Most columns of a list, besides the number.
pub const MOST_COLUMNS: usize = 30;
/// Most lists of a workspace.
pub const MOST_LISTS: u32 = 50;
/// Longest title of a column, in characters.
const LONGEST_TITLE: usize = 60;
/// Longest cell, in characters: as long as a template's value.
const LONGEST_CELL: usize = 1_024;
/// Longest name of a list, in characters.
const LONGEST_NAME: usize = 100;
/// Rows stored together.
const BATCH: usize = 500;

/// Outcome of uploading a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenList {
    pub list: BroadcastList,
    /// Rows whose number came before in the same list.
    pub repeated: u64,
    /// Rows that were refused as no entry.
    pub refused: u64,
}

/// Outcome of removing a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListRemoval {
    Removed,
    /// A broadcast that is not over goes to it.
    Needed,
    Unknown,
}

/// Reason for refusing a list.
#[derive(Debug, thiserror::Error)]
pub enum ListError<E> {
    #[error("`name` has 1 to {LONGEST_NAME} characters, one of them visible")]
    Name,
    #[error("the first row names the columns, one of them `phone` or the like")]
    Header,
    #[error(
        "a column's title has 1 to {LONGEST_TITLE} characters and no other column has it; a list has at most {MOST_COLUMNS} columns"
    )]
    Columns,
    #[error("a workspace has at most {MOST_LISTS} lists")]
    TooMany,
    #[error("a list has at most {MOST_ROWS} people")]
    TooLong,
    /// Unreadable file, an uploader who may not upload any more, or a failure of the store.
    #[error(transparent)]
    Import(#[from] ImportError<E>),
}

impl<E> From<StoreError> for ListError<E> {
    fn from(error: StoreError) -> Self {
        Self::Import(ImportError::Store(error))
    }
}

/// Row of a file: the line it begins in, and its cells.
pub type FileRow = (u64, Result<Vec<String>, RowError>);

/// Upload and removal of lists.
pub struct BroadcastLists {
    pub store: Arc<dyn BroadcastListStore>,
    pub contacts: Arc<dyn ContactStore>,
    pub members: Arc<dyn MemberStore>,
    pub deps: Deps,
}

struct Reading<'a> {
    region: Region,
    numbers: &'a Columns,
    /// Positions and titles of the columns other than the number's.
    columns: &'a [(usize, String)],
}

/// Parsed row: the line it begins in, and the entry; `false` if no numbering plan of today has the number.
type ReadRow = (u64, Result<(ListedNumber, bool), RowError>);

impl BroadcastLists {
    /// Lists all of them, newest first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<BroadcastList>, StoreError> {
        self.store.lists(workspace).await
    }

    /// Removes a list, unless a broadcast needs it.
    pub async fn remove(&self, acting: Acting, id: BroadcastListId) -> Result<ListRemoval, StoreError> {
        if self.store.is_needed(acting.workspace, id).await? {
            return Ok(ListRemoval::Needed);
        }
        let entry = acting.does(Action::BroadcastListRemoved, self.deps.clock.now(), &*self.deps.ids).to(id);
        let removed = self.store.remove_list(acting.workspace, id, &entry).await?;
        Ok(if removed { ListRemoval::Removed } else { ListRemoval::Unknown })
    }

    /// Stores a list, row by row, each number once. A list that breaks off is removed again.
    pub async fn take<E>(
        &self,
        acting: Acting,
        region: Region,
        name: &str,
        rows: impl Iterator<Item = Result<FileRow, E>>,
        refuse: impl FnMut(RefusedRow) -> Result<(), E>,
    ) -> Result<TakenList, ListError<E>> {
        let name = name.trim().replace('\0', "");
        if is_blank(&name) || name.chars().nth(LONGEST_NAME).is_some() {
            return Err(ListError::Name);
        }
        let mut rows = rows;
        let header = rows.next().transpose().map_err(ImportError::List)?;
        let Some((_, Ok(header))) = header else { return Err(ListError::Header) };
        let (numbers, columns) = titles::<E>(&header)?;
        let (now, id) = (self.deps.clock.now(), BroadcastListId::new(&*self.deps.ids));
        let titles = columns.iter().map(|(_, title)| title.clone()).collect();
        let list = BroadcastList { id, name, columns: titles, people: 0, complete: false, created_at: now };
        if !self.store.begin(acting.workspace, &list, MOST_LISTS).await? {
            return Err(ListError::TooMany);
        }
        let reading = Reading { region, numbers: &numbers, columns: &columns };
        let taken = self.fill(acting, list, &reading, rows, refuse).await;
        if taken.is_err() {
            // A process that dies here leaves an incomplete list, which nobody can send to and everybody can
            // remove.
            self.store.forget(acting.workspace, id).await?;
        }
        taken
    }

    async fn fill<E>(
        &self,
        acting: Acting,
        list: BroadcastList,
        reading: &Reading<'_>,
        mut rows: impl Iterator<Item = Result<FileRow, E>>,
        mut refuse: impl FnMut(RefusedRow) -> Result<(), E>,
    ) -> Result<TakenList, ListError<E>> {
        let mut taken = TakenList { list, repeated: 0, refused: 0 };
        loop {
            let some = rows.by_ref().take(BATCH).collect::<Result<Vec<_>, E>>().map_err(ImportError::List)?;
            if some.is_empty() {
                break;
            }
            let (mut batch, mut met) = (Vec::with_capacity(BATCH), HashSet::with_capacity(BATCH));
            for (line, listed) in self.read(acting.workspace, reading, some).await? {
                match listed {
                    Ok((listed, _)) if met.insert(listed.phone.clone()) => batch.push(listed),
                    Ok(_) => taken.repeated += 1,
                    Err(why) => {
                        taken.refused += 1;
                        refuse(RefusedRow { line, why }).map_err(ImportError::List)?;
                    }
                }
            }
            self.write::<E>(acting, &mut batch, &mut taken).await?;
        }
        let entry = acting.does(Action::BroadcastListAdded, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(taken.list.id).with("people", taken.list.people);
        self.store.complete(acting.workspace, taken.list.id, taken.list.people, &entry).await?;
        taken.list.complete = true;
        Ok(taken)
    }

    /// Parses rows. A number that no plan of today has counts if the workspace knows somebody by it.
    async fn read(
        &self,
        workspace: WorkspaceId,
        reading: &Reading<'_>,
        rows: Vec<FileRow>,
    ) -> Result<Vec<ReadRow>, StoreError> {
        let read = |(line, cells): FileRow| (line, cells.and_then(|cells| self.listed(&cells, reading)));
        let mut rows: Vec<ReadRow> = rows.into_iter().map(read).collect();
        let listed = rows.iter().filter_map(|(_, listed)| listed.as_ref().ok());
        let unplanned = listed.filter(|(_, is_planned)| !is_planned).map(|(listed, _)| listed.phone.clone());
        let known = known_by(&*self.contacts, workspace, unplanned).await?;
        for (_, row) in &mut rows {
            if row.as_ref().is_ok_and(|(listed, is_planned)| !is_planned && !known.contains(&listed.phone)) {
                *row = Err(PhoneError::Impossible.into());
            }
        }
        Ok(rows)
    }

    async fn write<E>(
        &self,
        acting: Acting,
        batch: &mut Vec<ListedNumber>,
        taken: &mut TakenList,
    ) -> Result<(), ListError<E>> {
        if let Actor::Member(id) = acting.actor {
            let team = self.members.team(acting.workspace).await?;
            if !team.iter().any(|member| member.id == id && member.role == Role::Owner) {
                return Err(ListError::Import(ImportError::NotAllowed));
            }
        }
        let written = self.store.add_to(acting.workspace, taken.list.id, batch).await?;
        let rows = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        batch.clear();
        taken.list.people += written;
        taken.repeated += rows.saturating_sub(written);
        if taken.list.people > MOST_ROWS { Err(ListError::TooLong) } else { Ok(()) }
    }

    fn listed(&self, cells: &[String], reading: &Reading<'_>) -> Result<(ListedNumber, bool), RowError> {
        let cell = |at: usize| unguarded(cells.get(at).map(String::as_str).unwrap_or_default());
        let ReadNumber { phone, is_planned } =
            ReadNumber::of(reading.numbers.phone_of(cells), reading.region)?;
        let mut values = ColumnValues::new();
        for (at, title) in reading.columns {
            let value = cell(*at).trim().replace('\0', "");
            if value.chars().nth(LONGEST_CELL).is_some() {
                return Err(RowError::TooLong);
            }
            if !is_blank(&value) {
                values.insert(title.clone(), value);
            }
        }
        Ok((ListedNumber { id: self.deps.ids.next(), phone, values }, is_planned))
    }
}

type Titled = Vec<(usize, String)>;

/// Finds the number's column, and the positions and titles of the others.
fn titles<E>(header: &[String]) -> Result<(Columns, Titled), ListError<E>> {
    let found = Columns::of_header(header).ok_or(ListError::Header)?;
    let mut columns = Vec::new();
    let mut met = HashSet::new();
    for (at, title) in header.iter().enumerate().filter(|(at, _)| *at != found.phone()) {
        let title = unguarded(title).trim().replace('\0', "");
        // A spreadsheet may write empty columns behind the last.
        if title.is_empty() {
            continue;
        }
        if title.chars().nth(LONGEST_TITLE).is_some() || !met.insert(fold_for_search(&title)) {
            return Err(ListError::Columns);
        }
        columns.push((at, title));
    }
    if columns.len() > MOST_COLUMNS { Err(ListError::Columns) } else { Ok((found, columns)) }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, sync::Arc};

    use super::{super::list::value_of, BroadcastLists, FileRow, ListError, TakenList};
    use crate::{
        access::members::{Member, Role, ports::MockMemberStore},
        audit::{Acting, Actor},
        broadcasts::ports::MockBroadcastListStore,
        contacts::ImportError,
        testing::{a_member, a_region, a_workspace, some_deps},
    };

    fn acting() -> Acting {
        Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None }
    }

    fn rows(rows: &[&[&str]]) -> Vec<Result<FileRow, Infallible>> {
        let row = |(at, cells): (usize, &&[&str])| {
            let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
            Ok((u64::try_from(at).unwrap() + 1, Ok(cells)))
        };
        rows.iter().enumerate().map(row).collect()
    }

    async fn take(
        role: Role,
        name: &str,
        list: &[&[&str]],
    ) -> (Result<TakenList, ListError<Infallible>>, Vec<u64>) {
        let mut store = MockBroadcastListStore::new();
        store.expect_begin().returning(|_, _, _| Ok(true));
        store.expect_add_to().returning(|_, _, rows| Ok(rows.len().try_into().unwrap()));
        store.expect_complete().returning(|_, _, _, _| Ok(()));
        store.expect_forget().returning(|_, _| Ok(()));
        let mut members = MockMemberStore::new();
        members.expect_team().returning(move |_| Ok(vec![Member { role, ..a_member(1) }]));
        let contacts = Arc::new(crate::contacts::ports::MockContactStore::new());
        let lists = BroadcastLists {
            store: Arc::new(store),
            contacts,
            members: Arc::new(members),
            deps: some_deps(),
        };
        let mut refused = Vec::new();
        let refuse = |row: crate::contacts::RefusedRow| {
            refused.push(row.line);
            Ok(())
        };
        let taken = lists.take(acting(), a_region(), name, rows(list).into_iter(), refuse).await;
        (taken, refused)
    }

    #[pollster::test]
    async fn each_number_is_taken_once_and_rows_that_are_none_are_named() {
        let list: &[&[&str]] = &[
            &["Order", "الهاتف", "City", ""],
            &["A-1", "07701234567", "'=x", ""],
            &["A-2", "+964 770 123 4567", "", ""],
            &["A-3", "nobody", "Erbil"],
            &["A-4", "07801234567"],
        ];
        let (taken, refused) = take(Role::Owner, " Weekend ", list).await;
        let taken = taken.unwrap();
        assert_eq!((taken.list.people, taken.repeated, taken.refused), (2, 1, 1));
        assert_eq!((taken.list.name.as_str(), taken.list.complete), ("Weekend", true));
        assert_eq!(taken.list.columns, ["Order", "City"]);
        assert_eq!(refused, [4]);
    }

    #[pollster::test]
    async fn what_is_no_list_is_refused_before_anything_is_kept() {
        let nothing: &[&[&str]] = &[];
        for (name, list) in [
            ("a", nothing),
            ("a", &[&["city", "street"]]),
            ("a", &[&["phone", "city", "CITY"]]),
            (" ", &[&["phone"]]),
        ] {
            let (taken, _) = take(Role::Owner, name, list).await;
            assert!(
                matches!(taken, Err(ListError::Header | ListError::Columns | ListError::Name)),
                "{name} {list:?} {taken:?}"
            );
        }
        let (taken, _) = take(Role::Agent, "a", &[&["phone"], &["07701234567"]]).await;
        assert!(matches!(taken, Err(ListError::Import(ImportError::NotAllowed))), "{taken:?}");
    }

    #[test]
    fn a_column_is_found_in_any_spelling() {
        let values = [("الإسم".to_owned(), "سارة".to_owned())].into();
        for column in ["الإسم", "الاسم", "الأسم"] {
            assert_eq!(value_of(&values, column), Some("سارة"), "{column}");
        }
        assert_eq!(value_of(&values, "city"), None);
    }
}
