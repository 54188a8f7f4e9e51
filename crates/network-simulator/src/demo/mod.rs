//! Two businesses for trying things out.

use secrecy::SecretString;
use serde_json::Value;

use crate::config::{Account, InstagramAccount, Number, Page};
use crate::error::Error;

const SHOP_TEMPLATES: &str = include_str!("shop.json");
const CLINIC_TEMPLATES: &str = include_str!("clinic.json");

/// Returns two accounts that share a token, with three numbers between them, and templates of every kind and
/// status: positional and named variables, every header, URL and quick-reply buttons, one-time codes, two
/// languages of one name, one name in both accounts.
///
/// # Errors
/// If the built-in templates cannot be parsed, which a test rules out.
pub fn demo_accounts(token: &SecretString) -> Result<Vec<Account>, Error> {
    let mut shop = Account::new("102290129340398", "Rafidain Shop", token.clone());
    shop.numbers = vec![
        Number::new("106540352242922", "+964 770 000 0001", "Rafidain Shop"),
        Number::new("106540352242933", "+964 770 000 0002", "Rafidain Codes"),
    ];
    shop.templates = rows(SHOP_TEMPLATES)?;
    let mut clinic = Account::new("102290129340407", "Tigris Clinic", token.clone());
    clinic.numbers = vec![Number::new("106540352242944", "+964 780 000 0003", "Tigris Clinic")];
    clinic.templates = rows(CLINIC_TEMPLATES)?;
    Ok(vec![shop, clinic])
}

/// Returns a page for Messenger, with an Instagram account linked to it.
pub fn demo_page(token: &SecretString) -> Page {
    let mut page = Page::new("1234567890", "Rafidain Shop", token.clone());
    page.instagram = Some(InstagramAccount::new("17841400000000001", "rafidain.shop"));
    page
}

fn rows(json: &str) -> Result<Vec<Value>, Error> {
    serde_json::from_str(json).map_err(|error| Error::invalid(format!("the demo's templates: {error}")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_demo_has_templates_of_every_kind_and_status() {
        let accounts = demo_accounts(&SecretString::from("token")).unwrap();
        assert_eq!(accounts.len(), 2);
        assert_eq!(accounts.iter().map(|account| account.numbers.len()).sum::<usize>(), 3);
        let templates: Vec<&Value> = accounts.iter().flat_map(|account| &account.templates).collect();
        let all = |pointer: &str| -> BTreeSet<String> {
            templates.iter().filter_map(|row| row.pointer(pointer)?.as_str()).map(str::to_owned).collect()
        };
        for status in ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL"] {
            assert!(all("/status").contains(status), "{status}");
        }
        for format in ["TEXT", "IMAGE", "VIDEO", "DOCUMENT"] {
            assert!(all("/components/0/format").contains(format), "{format}");
        }
        assert_eq!(all("/category").len(), 3);
        assert_eq!(all("/parameter_format").len(), 2);
        let ids = all("/id");
        assert_eq!(ids.len(), templates.len(), "ids are unique");
    }
}
