//! A row of the network's list of templates.

use domain::{
    channels::Account,
    templates::{Template, TemplateStatus, VariableLabels},
};
use serde_json::Value;

use super::{
    components,
    fields::{text, upper},
};

/// Parses a row; `None` for a deleted or an unreadable one.
pub(super) fn read(row: &Value, account: &Account) -> Option<Template> {
    let category = upper(row, "category")?;
    let rejection = text(row, "rejected_reason").filter(|reason| !reason.is_empty() && reason != "NONE");
    Some(Template {
        account: account.id,
        account_network_id: account.network_id.clone(),
        network_id: text(row, "id").filter(|id| !id.is_empty())?,
        name: text(row, "name").filter(|name| !name.is_empty())?,
        language: text(row, "language").filter(|code| !code.is_empty())?.replace('-', "_"),
        status: status(&upper(row, "status")?)?,
        rejection_reason: rejection,
        content: components::read(row.get("components"), &category),
        category,
        labels: VariableLabels::new(),
        send_ttl_seconds: row.get("message_send_ttl_seconds").and_then(Value::as_i64),
        validity_problem: None,
    })
}

/// Maps the network's states to ours (docs/run/networks.md, "States of templates"); `None` for deleted
/// templates. An unknown state is held back: such a template must not be sent.
fn status(name: &str) -> Option<TemplateStatus> {
    match name {
        "APPROVED" | "REINSTATED" => Some(TemplateStatus::Approved),
        "PENDING" | "IN_APPEAL" | "DRAFT" => Some(TemplateStatus::Pending),
        "REJECTED" | "DISABLED" | "LIMIT_EXCEEDED" => Some(TemplateStatus::Rejected),
        "DELETED" | "PENDING_DELETION" => None,
        _ => Some(TemplateStatus::Paused),
    }
}

#[cfg(test)]
mod tests {
    use domain::templates::TemplateStatus::{self, Approved, Paused, Pending, Rejected};

    use super::status;

    #[test]
    fn every_state_of_the_network_has_a_place() {
        let folds: [(&[&str], Option<TemplateStatus>); 5] = [
            (&["APPROVED", "REINSTATED"], Some(Approved)),
            (&["PENDING", "IN_APPEAL", "DRAFT"], Some(Pending)),
            (&["REJECTED", "DISABLED", "LIMIT_EXCEEDED"], Some(Rejected)),
            (&["PAUSED", "FLAGGED", "LOCKED", "ARCHIVED", "A_NEW_ONE"], Some(Paused)),
            (&["DELETED", "PENDING_DELETION"], None),
        ];
        for (names, folded) in folds {
            for name in names {
                assert_eq!(status(name), folded, "{name}");
            }
        }
    }
}
