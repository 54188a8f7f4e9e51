//! The app's subscriptions at the network, and the address that they post to.

use serde_json::Value;
use url::Url;

use super::fields::{check_all_held, field_names};

/// Kind of thing that the network posts about, each with a subscription of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    Account,
    Page,
    Instagram,
}

impl Object {
    /// Returns its name at the network.
    const fn name(self) -> &'static str {
        match self {
            Self::Account => "whatsapp_business_account",
            Self::Page => "page",
            Self::Instagram => "instagram",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Account => "business accounts",
            Self::Page => "pages",
            Self::Instagram => "Instagram accounts",
        }
    }

    fn fields(self) -> Vec<&'static str> {
        match self {
            Self::Account => adapter_whatsapp::subscribed_fields().collect(),
            Self::Page => adapter_messenger::subscribed_fields().collect(),
            Self::Instagram => adapter_messenger::instagram_fields().collect(),
        }
    }

    /// Returns its row among the app's subscriptions.
    pub(super) fn row(self, rows: &[Value]) -> Option<&Value> {
        rows.iter().find(|row| row.get("object").and_then(Value::as_str) == Some(self.name()))
    }

    /// Checks that the app is subscribed to every field.
    pub(super) fn heard(self, row: Option<&Value>) -> Result<(), String> {
        let Some(row) = row else {
            return Err(format!("the app is subscribed to no field of {}", self.words()));
        };
        if row.get("active") == Some(&Value::Bool(false)) {
            return Err(format!("the app's subscription to {} is switched off", self.words()));
        }
        check_all_held(&field_names(row.get("fields")), &self.fields())
    }
}

/// Checks that the network posts to `webhook`. `own` is the account's own address, where it has one in place
/// of the app's.
pub(super) fn comes_here(row: &Value, own: Option<&str>, webhook: &Url) -> Result<(), String> {
    match own.or_else(|| row.get("callback_url")?.as_str()) {
        None => Err("the network names no address that it posts to".to_owned()),
        Some(to) if Url::parse(to).is_ok_and(|to| to == *webhook) => Ok(()),
        Some(to) => Err(format!("the network posts to {to}, and not to {webhook}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Object, comes_here};

    #[test]
    fn what_is_switched_off_or_lacks_a_field_is_not_heard() {
        for object in [Object::Account, Object::Page, Object::Instagram] {
            let row = |fields: &[&str], active: Value| json!({ "object": object.name(), "fields": fields, "active": active });
            let fields = object.fields();
            let all = row(&fields, json!(true));
            assert_eq!(object.heard(Some(&all)), Ok(()));
            let rows = [json!({ "object": "user" }), all.clone()];
            assert_eq!(object.row(&rows), Some(&all));
            assert_eq!(object.row(&rows[..1]), None);
            let off = object.heard(Some(&row(&fields, json!(false)))).unwrap_err();
            assert!(off.contains("switched off") && off.contains(object.words()), "{off}");
            let lacking = object.heard(Some(&row(&fields[1..], json!(true))));
            assert_eq!(lacking, Err(format!("it lacks {}", fields[0])));
            assert!(object.heard(None).unwrap_err().contains("no field"));
        }
    }

    #[test]
    fn what_the_network_posts_elsewhere_does_not_come_here() {
        let here = "https://messages.example/networks/meta/webhook".parse().expect("a URL");
        let row = |to: Value| json!({ "callback_url": to });
        let right = row(json!("https://messages.example:443/networks/meta/webhook"));
        let wrong = row(json!("https://old.example/networks/meta/webhook"));
        assert_eq!(comes_here(&right, None, &here), Ok(()));
        let elsewhere = "the network posts to https://old.example/networks/meta/webhook, and not to \
                         https://messages.example/networks/meta/webhook";
        assert_eq!(comes_here(&wrong, None, &here), Err(elsewhere.to_owned()));
        assert_eq!(comes_here(&wrong, Some("https://messages.example/networks/meta/webhook"), &here), Ok(()));
        assert!(comes_here(&right, Some("https://old.example/"), &here).is_err());
        assert!(comes_here(&row(Value::Null), None, &here).is_err());
    }
}
