//! Webhook fields of business accounts: the one list for parsing, subscribing, and checking subscriptions.

/// How the value of a field is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Messages of customers, and statuses of ours.
    Messages,
    /// The fields of messages, in conversations that another app holds.
    Standby,
    /// What people want to be sent.
    Preferences,
    /// Changed user ids.
    UserIds,
    /// The network's measures against the account.
    Account,
    /// A change after which the account's templates and numbers are loaded again.
    ReadAgain,
    /// About the account alone, and of no use here.
    Unused,
}

/// All known fields (docs/run/networks.md, "What an account is told").
const FIELDS: [(&str, Field); 27] = [
    ("messages", Field::Messages),
    ("smb_message_echoes", Field::Messages),
    ("standby", Field::Standby),
    ("user_preferences", Field::Preferences),
    ("account_update", Field::Account),
    ("message_template_status_update", Field::ReadAgain),
    ("message_template_components_update", Field::ReadAgain),
    ("message_template_quality_update", Field::ReadAgain),
    ("template_category_update", Field::ReadAgain),
    ("phone_number_quality_update", Field::ReadAgain),
    ("phone_number_name_update", Field::ReadAgain),
    ("business_capability_update", Field::ReadAgain),
    ("user_id_update", Field::UserIds),
    ("account_alerts", Field::Unused),
    ("account_review_update", Field::Unused),
    ("account_settings_update", Field::Unused),
    ("automatic_events", Field::Unused),
    ("business_username_update", Field::Unused),
    ("business_username_updates", Field::Unused),
    ("flows", Field::Unused),
    ("messaging_handovers", Field::Unused),
    ("partner_solutions", Field::Unused),
    ("payment_configuration_update", Field::Unused),
    ("security", Field::Unused),
    ("smb_app_state_sync", Field::Unused),
    ("template_correct_category_detection", Field::Unused),
    ("tracking_events", Field::Unused),
];

/// Finds how a field is parsed; `None` for an unknown one.
pub(super) fn field(name: &str) -> Option<Field> {
    FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
}

/// Lists the fields that an app subscribes to, once for all accounts.
pub fn subscribed_fields() -> impl Iterator<Item = &'static str> {
    let is_subscribed = |field: Field| match field {
        Field::Messages | Field::Standby | Field::Preferences | Field::Account | Field::ReadAgain => true,
        // Arrives without a subscription, for which the network has none.
        Field::UserIds | Field::Unused => false,
    };
    FIELDS.iter().filter(move |(_, field)| is_subscribed(*field)).map(|(name, _)| *name)
}
