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
pub use setup::{CreateWorkspace, CreateWorkspaceError, NewWorkspace, SetPlan, WantedLimit};
pub use usage::{ShowUsage, Usage};

use crate::{automations::Zone, ids::WorkspaceId, phone::Region};

/// It is a tenant with the settings that rules depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: WorkspaceId,
    /// `GET /v1/me` shows this name.
    pub name: String,
    /// Its templates default to this language, such as `ar`.
    pub locale: String,
    /// Numbers without a country code are taken for this region's.
    pub region: Region,
    /// It says where its clock is: times are shown by it, and new opening hours, quiet hours and starts take
    /// it.
    pub time_zone: Zone,
    pub plan: Plan,
}

/// A workspace has paid for this.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// It says how many customers may be active in one calendar month (UTC); `None` is unlimited.
    pub active_customer_limit: Option<u32>,
    /// A paused subscription sends nothing.
    pub paused: bool,
}
