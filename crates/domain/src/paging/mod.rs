//! Pages of a list, newest first, and the cursors between them.
//!
//! A cursor names the last row of its page by (time, id), so a page costs the same at any depth, and rows
//! that are added meanwhile come before the first page and disturb no other.

mod cursor;

pub use cursor::Cursors;

use time::OffsetDateTime;
use uuid::Uuid;

use crate::errors::StoreError;

/// Number of rows of a page (docs/use/rest-api.md, "Limits").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u8);

impl PageLimit {
    pub const ONE: Self = Self(1);

    /// Returns a limit of `rows`; `None` outside 1 to 100.
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

/// Position of a row in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Time by which the list is ordered, newest first; microseconds count.
    pub at: OffsetDateTime,
    /// Order among rows of the same time, highest first.
    pub id: Uuid,
}

/// Page as a caller asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedPage {
    pub limit: PageLimit,
    /// Cursor that came with the page before; `None` for the first page.
    pub cursor: Option<String>,
}

/// Page as a store is asked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageRequest {
    pub limit: PageLimit,
    /// Last row before the page; `None` for the first page.
    pub after: Option<Position>,
}

/// Page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Cursor of the next page; `None` on the last page.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Makes a page of up to one row more than it holds; the extra row only shows that there is a next page.
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

/// Rejection of a cursor that was not issued for this list of this workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`cursor` was not issued for this list")]
pub struct ForeignCursor;

/// Reason why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Cursor(#[from] ForeignCursor),
    #[error(transparent)]
    Store(#[from] StoreError),
}
