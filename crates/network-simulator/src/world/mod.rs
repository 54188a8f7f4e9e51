//! The accounts, their numbers and their templates, and the pages: everything that the network knows.

mod page;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

use crate::config::{Account, Number, Page};
use crate::ids::Ids;
use crate::templates::{Shelf, Template};

pub(crate) use page::{Channel, Fields, PageState};

/// All accounts and pages. (Not `Debug`: it is indexed by token.)
#[derive(Default)]
pub(crate) struct World {
    accounts: BTreeMap<String, AccountState>,
    /// From number id to account id.
    numbers: HashMap<String, String>,
    /// From token to account ids.
    tokens: HashMap<String, Vec<String>>,
    pages: BTreeMap<String, PageState>,
    pub(crate) withheld: Withheld,
    /// Codes of the sign-up, each with the address that it was issued for.
    codes: HashMap<String, String>,
    /// Times at which each number was registered or deregistered.
    pub(crate) registrations: HashMap<String, Vec<Instant>>,
}

/// Permissions and fields withheld from the app, as if somebody had forgotten to tick them.
#[derive(Debug, Default)]
pub(crate) struct Withheld {
    pub(crate) permissions: BTreeSet<String>,
    /// Fields of accounts, pages and Instagram accounts.
    pub(crate) fields: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct AccountState {
    pub(crate) id: String,
    pub(crate) name: String,
    token: SecretString,
    /// `None` if the app gets no webhooks of this account.
    pub(crate) subscription: Option<Subscription>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) templates: Shelf,
    pub(crate) sends: Sends,
}

/// What an account may send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sends {
    #[default]
    Everything,
    /// No templates.
    Answers,
    Nothing,
}

/// The app's subscription to an account's webhooks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subscription {
    /// A callback for this account alone.
    pub(crate) callback: Option<Url>,
}

/// Number that a message leaves from.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    pub(crate) account_id: String,
    pub(crate) phone_number_id: String,
    pub(crate) digits: String,
    pub(crate) connected: bool,
    pub(crate) sends: Sends,
}

/// Object that an id in a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    Account,
    Number,
    Template,
}

impl World {
    pub(crate) fn new(accounts: &[Account], pages: &[Page], ids: &Ids) -> Result<Self, String> {
        let mut world = Self::default();
        for page in pages {
            if world.pages.insert(page.id.clone(), PageState::new(page)).is_some() {
                return Err(format!("two pages have the id {}", page.id));
            }
        }
        for account in accounts {
            let mut templates = Shelf::default();
            for row in &account.templates {
                templates.put(Template::from_row(row.clone(), || ids.object())?);
            }
            for number in &account.numbers {
                world.numbers.insert(number.id.clone(), account.id.clone());
            }
            let token = account.token.expose_secret().to_owned();
            world.tokens.entry(token).or_default().push(account.id.clone());
            let state = AccountState {
                id: account.id.clone(),
                name: account.name.clone(),
                token: account.token.clone(),
                subscription: account.subscribed.then(Subscription::default),
                numbers: account.numbers.clone(),
                templates,
                sends: Sends::default(),
            };
            if world.accounts.insert(account.id.clone(), state).is_some() {
                return Err(format!("two accounts have the id {}", account.id));
            }
        }
        Ok(world)
    }

    /// Issues a code of the sign-up for the address that the browser is sent back to.
    pub(crate) fn code(&mut self, id: &str, back: &str) -> String {
        let code = format!("AQ{id}");
        self.codes.insert(code.clone(), back.to_owned());
        code
    }

    /// Returns the address that a code was issued for, once.
    pub(crate) fn spend_code(&mut self, code: &str) -> Option<String> {
        self.codes.remove(code)
    }

    /// Returns whether any account or page has this token.
    pub(crate) fn knows_token(&self, token: &str) -> bool {
        self.tokens.contains_key(token) || self.pages_of(token).next().is_some()
    }

    /// Returns the ids of the accounts that `token` sees.
    pub(crate) fn accounts_of(&self, token: &str) -> &[String] {
        self.tokens.get(token).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn accounts(&self) -> impl Iterator<Item = &AccountState> {
        self.accounts.values()
    }

    pub(crate) fn account(&self, id: &str) -> Option<&AccountState> {
        self.accounts.get(id)
    }

    pub(crate) fn account_mut(&mut self, id: &str) -> Option<&mut AccountState> {
        self.accounts.get_mut(id)
    }

    /// Resolves an id to its object and its account, if `token` sees it.
    pub(crate) fn resolve(&self, id: &str, token: &str) -> Option<(Object, &AccountState)> {
        let seen = |account: &&AccountState| account.token.expose_secret() == token;
        if let Some(account) = self.accounts.get(id) {
            return Some(account).filter(seen).map(|account| (Object::Account, account));
        }
        if let Some(account) = self.account_of_number(id) {
            return Some(account).filter(seen).map(|account| (Object::Number, account));
        }
        let mut accounts = self.accounts_of(token).iter().filter_map(|account| self.accounts.get(account));
        let account = accounts.find(|account| account.templates.by_id(id).is_some())?;
        Some((Object::Template, account))
    }

    fn account_of_number(&self, phone_number_id: &str) -> Option<&AccountState> {
        self.accounts.get(self.numbers.get(phone_number_id)?)
    }

    pub(crate) fn sender(&self, phone_number_id: &str) -> Option<Sender> {
        let account = self.account_of_number(phone_number_id)?;
        let number = account.number(phone_number_id)?;
        Some(Sender {
            account_id: account.id.clone(),
            phone_number_id: number.id.clone(),
            digits: digits(&number.display_phone_number),
            connected: number.status == "CONNECTED",
            sends: account.sends,
        })
    }

    /// Adds templates to an account; with `replace` all others are removed. Nothing changes if a row is
    /// invalid.
    pub(crate) fn put_templates(
        &mut self,
        account_id: &str,
        rows: Vec<Value>,
        replace: bool,
        ids: &Ids,
    ) -> Result<Vec<Arc<Template>>, String> {
        let account = self.account_mut(account_id).ok_or_else(|| format!("no account {account_id}"))?;
        let templates: Vec<Template> = rows
            .into_iter()
            .map(|row| Template::from_row(account.with_known_id(row), || ids.object()))
            .collect::<Result<_, _>>()?;
        if replace {
            account.templates = Shelf::default();
        }
        Ok(templates.into_iter().map(|template| account.templates.put(template)).collect())
    }
}

impl AccountState {
    pub(crate) fn number(&self, id: &str) -> Option<&Number> {
        self.numbers.iter().find(|number| number.id == id)
    }

    pub(crate) fn number_mut(&mut self, id: &str) -> Option<&mut Number> {
        self.numbers.iter_mut().find(|number| number.id == id)
    }

    /// Gives a row without an id the one of its name and language, if known.
    fn with_known_id(&self, mut row: Value) -> Value {
        let text = |field: &str| row.get(field).and_then(Value::as_str).unwrap_or_default();
        let known = self.templates.find(text("name"), text("language")).map(|known| known.id().to_owned());
        if let (Some(id), Some(fields)) = (known, row.as_object_mut()) {
            fields.entry("id").or_insert(Value::String(id));
        }
        row
    }
}

/// Extracts the digits of a number in any spelling.
pub(crate) fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}
