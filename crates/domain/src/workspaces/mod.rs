//! A workspace, its settings and its plan.

mod change;
mod day_usage;
mod days;
mod month;
pub mod ports;
mod region;
mod settings;
mod setup;
mod usage;

pub use change::{ChangeWorkspace, ChangeWorkspaceError};
pub use day_usage::DayUsage;
pub use days::{CountUsage, DAYS_TOLD};
pub use month::Month;
pub use region::FindRegion;
pub use settings::WorkspaceSettings;
pub use setup::{CreateWorkspace, CreateWorkspaceError, NewWorkspace, SetPlan, WantedLimit};
pub use usage::{ShowUsage, Usage};

use crate::{ids::WorkspaceId, phone::Region, zone::Zone};

/// Tenant, with the settings that rules depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: WorkspaceId,
    /// Name shown by `GET /v1/me`.
    pub name: String,
    /// Default language of templates, such as `ar`.
    pub locale: String,
    /// Region of numbers without a country code.
    pub region: Region,
    /// Zone in which times are shown; default of new opening hours, quiet hours and starts.
    pub time_zone: Zone,
    pub plan: Plan,
}

/// Subscription of a workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// Most customers active in one calendar month (UTC); `None` is unlimited.
    pub active_customer_limit: Option<u32>,
    /// Whether the subscription is paused; nothing is sent then.
    pub paused: bool,
}
