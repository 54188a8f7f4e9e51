//! A workspace, its settings and its plan.

mod change;
mod days;
mod month;
pub mod ports;
mod region;
mod setup;
mod usage;

pub use change::{ChangeWorkspace, ChangeWorkspaceError, WorkspaceSettings};
pub use days::{CountUsage, DAYS_TOLD, DayUsage};
pub use month::Month;
pub use region::FindRegion;
pub use setup::{CreateWorkspace, NewWorkspace, SetPlan, WantedLimit};
pub use usage::{ShowUsage, Usage};

use crate::{automations::Zone, ids::WorkspaceId, phone::Region};

/// A tenant with the settings that rules depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name, as `GET /v1/me` shows it.
    pub name: String,
    /// The language its templates default to, such as `ar`.
    pub locale: String,
    /// Whose country code a number without one gets.
    pub region: Region,
    /// Where its clock is: times are shown by it, and new opening hours, quiet hours and starts take it.
    pub time_zone: Zone,
    /// What it may send.
    pub plan: Plan,
}

/// What a workspace has paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// How many customers may be active in one calendar month (UTC); `None` is unlimited.
    pub active_customer_limit: Option<u32>,
    /// A paused subscription sends nothing.
    pub paused: bool,
}
