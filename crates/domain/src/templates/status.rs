//! Template states and categories.

/// Whether a template can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TemplateStatus {
    /// It can be sent.
    Approved,
    /// The network has not decided.
    Pending,
    /// The network refused or disabled it.
    Rejected,
    /// The network holds it back for now.
    Paused,
}

impl TemplateStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Approved, Self::Pending, Self::Rejected, Self::Paused];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Pending => "pending",
            Self::Rejected => "rejected",
            Self::Paused => "paused",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// The categories that a caller can filter by (decision 8 of the REST API).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// Notices about something the customer did.
    Utility,
    /// One-time codes.
    Authentication,
    /// Offers.
    Marketing,
}

impl Category {
    /// Every category.
    pub const ALL: [Self; 3] = [Self::Utility, Self::Authentication, Self::Marketing];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utility => "UTILITY",
            Self::Authentication => "AUTHENTICATION",
            Self::Marketing => "MARKETING",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }
}
