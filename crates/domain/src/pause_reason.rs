//! Reasons for which a broadcast was paused.

/// Reason for which the service paused a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseReason {
    /// The plan has no room for more active customers this month.
    PlanLimit,
    SubscriptionPaused,
    /// The template is gone, not approved now, or different from when the broadcast was started.
    TemplateUnusable,
    /// No connected number can send it.
    NoNumber,
    /// The network lets the account send nothing for now.
    AccountBarred,
    /// The network refuses messages for what they are or how many, not for whom they go to.
    NetworkRefused,
    /// The audience's group is gone.
    AudienceGone,
}

impl PauseReason {
    pub const ALL: [Self; 7] = [
        Self::PlanLimit,
        Self::SubscriptionPaused,
        Self::TemplateUnusable,
        Self::NoNumber,
        Self::AccountBarred,
        Self::NetworkRefused,
        Self::AudienceGone,
    ];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PlanLimit => "plan_limit_reached",
            Self::SubscriptionPaused => "subscription_paused",
            Self::TemplateUnusable => "template_unusable",
            Self::NoNumber => "no_number",
            Self::AccountBarred => "account_barred",
            Self::NetworkRefused => "network_refused",
            Self::AudienceGone => "audience_gone",
        }
    }

    /// Parses a name that `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}
