//! Settings that an owner may change.

use crate::{phone::Region, zone::Zone};

/// Settings to change; `None` leaves one as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceSettings {
    pub name: Option<String>,
    pub locale: Option<String>,
    pub region: Option<Region>,
    pub time_zone: Option<Zone>,
}

impl WorkspaceSettings {
    /// Returns every setting under its name in the log of changes.
    pub(super) fn told(&self) -> [(&'static str, Option<&str>); 4] {
        let Self { name, locale, region, time_zone } = self;
        [
            ("name", name.as_deref()),
            ("locale", locale.as_deref()),
            ("region", region.as_ref().map(Region::as_str)),
            ("timeZone", time_zone.as_ref().map(Zone::name)),
        ]
    }
}
