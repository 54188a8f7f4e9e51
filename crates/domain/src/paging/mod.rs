//! Pages of a list, newest first, and the cursors between them.
//!
//! A cursor names the last row of its page by (time, id), so that a page costs the same at any depth, and rows
//! that are added meanwhile come before the first page and disturb no other.

mod cursor;

pub use cursor::Cursors;

use time::OffsetDateTime;
use uuid::Uuid;

use crate::errors::StoreError;

/// A page has so many rows (docs/rest-api.md, "Limits").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u8);

impl PageLimit {
    /// The page has one row.
    pub const ONE: Self = Self(1);

    /// Makes a page of `rows`; `None` outside 1 to 100.
    pub fn new(rows: u64) -> Option<Self> {
        u8::try_from(rows).ok().filter(|rows| (1..=100).contains(rows)).map(Self)
    }

    pub const fn rows(self) -> u8 {
        self.0
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(50)
    }
}

/// It is a row's place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The list is ordered by it, the newest first; microseconds count.
    pub at: OffsetDateTime,
    /// It parts rows of one time, the highest first.
    pub id: Uuid,
}

/// It is a page as a caller asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedPage {
    pub limit: PageLimit,
    /// The page before ended there, as its answer said; `None` is from the start.
    pub cursor: Option<String>,
}

/// It says which page is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageRequest {
    pub limit: PageLimit,
    /// The page begins after this row; `None` is from the start.
    pub after: Option<Position>,
}

/// It is a page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// It is the cursor of the next page; `None` when this is the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Returns a page out of up to one row more than it holds, which tells that there is a next one.
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

/// It says why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}
