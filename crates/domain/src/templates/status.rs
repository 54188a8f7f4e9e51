//! Template states and categories.

use serde::Serialize;

/// Status of a template at the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TemplateStatus {
    Approved,
    Pending,
    /// The network refused or disabled it.
    Rejected,
    /// The network holds it back for now.
    Paused,
}

impl TemplateStatus {
    pub const ALL: [Self; 4] = [Self::Approved, Self::Pending, Self::Rejected, Self::Paused];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Pending => "pending",
            Self::Rejected => "rejected",
            Self::Paused => "paused",
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// Category that a caller can filter by (docs/use/rest-api.md, "Template, language and number").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// Notifications about something the customer did.
    Utility,
    Authentication,
    Marketing,
}

impl Category {
    pub const ALL: [Self; 3] = [Self::Utility, Self::Authentication, Self::Marketing];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utility => "UTILITY",
            Self::Authentication => "AUTHENTICATION",
            Self::Marketing => "MARKETING",
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }
}
