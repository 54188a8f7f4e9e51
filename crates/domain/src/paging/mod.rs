//! Pages of a list, newest first, and the cursors between them.
//!
//! A cursor names the last row of its page by (time, id), so that a page costs the same at any depth, and rows
//! that are added meanwhile come before the first page and disturb no other.

mod cursor;

pub use cursor::Cursors;

use time::OffsetDateTime;
use uuid::Uuid;

use crate::errors::StoreError;

/// How many rows a page has (REST API v1, Limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u8);

impl PageLimit {
    /// A page of `rows`; `None` outside 1 to 100.
    pub fn new(rows: u64) -> Option<Self> {
        u8::try_from(rows).ok().filter(|rows| (1..=100).contains(rows)).map(Self)
    }

    /// The rows.
    pub const fn rows(self) -> u8 {
        self.0
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(50)
    }
}

/// A row's place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// What the list is ordered by, newest first; microseconds count.
    pub at: OffsetDateTime,
    /// What parts rows of one time, highest first.
    pub id: Uuid,
}

/// A page as a caller asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedPage {
    /// How many rows.
    pub limit: PageLimit,
    /// Where the page before ended, as its answer said; `None` from the start.
    pub cursor: Option<String>,
}

/// Which page is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// How many rows.
    pub limit: PageLimit,
    /// After which row; `None` from the start.
    pub after: Option<Position>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows, newest first.
    pub rows: Vec<T>,
    /// The cursor of the next page; `None` when this is the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// A page out of up to one row more than it holds, which tells that there is a next one.
    pub fn cut(
        mut rows: Vec<T>,
        limit: PageLimit,
        place: impl Fn(&T) -> Position,
        cursor: impl Fn(Position) -> String,
    ) -> Self {
        let most = usize::from(limit.rows());
        let more = rows.len() > most;
        rows.truncate(most);
        let next = rows.last().filter(|_| more).map(|last| cursor(place(last)));
        Self { rows, next }
    }
}

/// The cursor was not issued for this list of this workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`cursor` was not issued for this list")]
pub struct ForeignCursor;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The caller's cursor is not one of this list.
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
