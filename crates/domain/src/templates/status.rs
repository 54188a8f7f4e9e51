//! Template states and categories.

/// It says whether a template can be sent.
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
    pub const ALL: [Self; 4] = [Self::Approved, Self::Pending, Self::Rejected, Self::Paused];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Pending => "pending",
            Self::Rejected => "rejected",
            Self::Paused => "paused",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// They are the categories that a caller can filter by
/// (docs/rest-api.md, "Template, language and number").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// Such templates tell of something the customer did.
    Utility,
    /// Such templates carry one-time codes.
    Authentication,
    /// Such templates offer something.
    Marketing,
}

impl Category {
    pub const ALL: [Self; 3] = [Self::Utility, Self::Authentication, Self::Marketing];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utility => "UTILITY",
            Self::Authentication => "AUTHENTICATION",
            Self::Marketing => "MARKETING",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }
}
