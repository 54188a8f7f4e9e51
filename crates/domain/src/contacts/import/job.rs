//! An import and its progress.

use time::{Duration, OffsetDateTime};

use super::{
    report::{ImportReport, People},
    row::RefusedRow,
};
use crate::ids::{ImportJobId, MemberId};

/// Time without progress after which an arriving list counts as broken off: the longest rows of a part arrive
/// faster over the slowest connection that is supported.
pub(super) const STALE_AFTER: Duration = Duration::minutes(5);

/// State of an import job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportState {
    /// The list is being read; none of its people is written yet.
    Arriving,
    /// All of it has arrived, and it is being written.
    Running,
    Finished,
    /// The rest was abandoned: the member who gave the list may no longer import.
    Stopped,
}

impl ImportState {
    pub const ALL: [Self; 4] = [Self::Arriving, Self::Running, Self::Finished, Self::Stopped];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arriving => "arriving",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A list that is imported in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportJob {
    pub id: ImportJobId,
    pub member: MemberId,
    /// Name of the file; empty if the list came as rows.
    pub name: String,
    pub state: ImportState,
    /// Number of rows of people that have arrived.
    pub people: u64,
    pub report: ImportReport,
    /// Titles of columns and of a workbook's other sheets that were not read; known once all of it has
    /// arrived.
    pub not_read: Vec<String>,
    pub created_at: OffsetDateTime,
    /// Time of the last progress.
    pub changed_at: OffsetDateTime,
}

impl ImportJob {
    /// Returns whether the list broke off while arriving and is not removed yet.
    pub(super) fn has_broken_off(&self, now: OffsetDateTime) -> bool {
        self.state == ImportState::Arriving && self.changed_at < now - STALE_AFTER
    }
}

/// People of a list who are still to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportPart {
    /// Position among the list's parts, from 1.
    pub number: u32,
    /// Number of rows that name these people.
    pub rows: u64,
    pub people: People,
}

/// Rows that are staged together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StagedRows {
    /// `None` if none of the rows is of a person.
    pub part: Option<ImportPart>,
    pub refused: u64,
    /// The refused rows to keep one by one, fewer than `refused` once
    /// [`MOST_REFUSALS`](super::MOST_REFUSALS) are kept.
    pub refusals: Vec<RefusedRow>,
}
