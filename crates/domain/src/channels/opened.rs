//! Accounts, numbers and pages that a token opens, before any of them is connected.

use std::sync::Arc;

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    ChannelKind, ListedNumber,
    connect::check_token,
    offer::seal,
    ports::{
        AccountStore, ConnectError, Held, ListedPage, NetworkAccounts, NetworkError, NetworkPages,
        NetworkTokens, OwnedPage,
    },
    token::TokenFacts,
};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{SessionId, WorkspaceId},
    vault::Vault,
};

/// Most business accounts of a token that are looked at.
const MOST_ACCOUNTS: usize = 25;

/// Permissions that each network needs of a token.
const NEEDED: [(ChannelKind, &[&str]); 3] = [
    (ChannelKind::Whatsapp, &["whatsapp_business_management", "whatsapp_business_messaging"]),
    (ChannelKind::Messenger, &["pages_messaging", "pages_manage_metadata"]),
    (ChannelKind::Instagram, &["instagram_basic", "instagram_manage_messages"]),
];
/// Permission that a person's token needs beside those, so that its pages are listed.
const TO_LIST_PAGES: &str = "pages_show_list";

/// A permission that a token lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingPermission {
    pub network: ChannelKind,
    pub permission: &'static str,
}

/// State of an account, a number or a page: who has connected it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Connected by nobody.
    Free,
    /// Connected by the workspace that asks.
    Connected,
    /// Connected by another workspace, of which nothing is told.
    NotAvailable,
}

/// A number that a token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedNumber {
    pub number: ListedNumber,
    pub availability: Availability,
}

/// A business account that a token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedAccount {
    pub network_id: String,
    pub name: Option<String>,
    pub numbers: Vec<OpenedNumber>,
    /// Why the numbers could not be listed, in the network's words.
    pub problem: Option<String>,
    pub availability: Availability,
}

/// A page that a token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedPage {
    pub page: ListedPage,
    /// User name of its Instagram account.
    pub instagram_name: Option<String>,
    pub availability: Availability,
    pub instagram_availability: Availability,
}

/// Everything that a token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// `None` if the token never expires.
    pub expires_at: Option<OffsetDateTime>,
    pub missing: Vec<MissingPermission>,
    pub accounts: Vec<OpenedAccount>,
    pub pages: Vec<OpenedPage>,
    /// The token, sealed for this session and [`OFFER_LIFE`](super::OFFER_LIFE), to connect some of them
    /// with.
    pub offer: String,
}

/// Returns the permissions that a token lacks, network by network.
pub fn missing(facts: &TokenFacts) -> Vec<MissingPermission> {
    let lacks = |permission: &&str| !facts.permissions.contains(*permission);
    let mut missing: Vec<_> = NEEDED
        .iter()
        .flat_map(|(network, needed)| {
            needed
                .iter()
                .copied()
                .filter(lacks)
                .map(|permission| MissingPermission { network: *network, permission })
        })
        .collect();
    if !facts.of_page && lacks(&TO_LIST_PAGES) {
        missing.push(MissingPermission { network: ChannelKind::Messenger, permission: TO_LIST_PAGES });
    }
    if facts.of_page {
        missing.retain(|missing| missing.network != ChannelKind::Whatsapp);
    }
    missing
}

/// Use case that lists what a token opens.
#[derive(Clone)]
pub struct OpenToken {
    pub tokens: Arc<dyn NetworkTokens>,
    pub accounts: Arc<dyn NetworkAccounts>,
    pub pages: Arc<dyn NetworkPages>,
    pub store: Arc<dyn AccountStore>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl OpenToken {
    /// Asks the network what the token opens. Nothing is stored.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        session: SessionId,
        token: &SecretString,
    ) -> Result<Opened, ConnectError> {
        check_token(token)?;
        let facts = self.tokens.describe(token).await?;
        let mut accounts = Vec::new();
        for network_id in facts.accounts.iter().take(MOST_ACCOUNTS) {
            accounts.push(self.account(network_id, token).await?);
        }
        let pages = owned_pages(&*self.pages, &facts, token).await?;
        let mut pages: Vec<OpenedPage> = pages.into_iter().map(opened).collect();
        self.mark(workspace, &mut accounts, &mut pages).await?;
        let offer = seal(&*self.vault, workspace, session, token, self.clock.now())?;
        Ok(Opened { expires_at: facts.expires_at, missing: missing(&facts), accounts, pages, offer })
    }

    async fn account(&self, network_id: &str, token: &SecretString) -> Result<OpenedAccount, NetworkError> {
        let mut account = OpenedAccount {
            network_id: network_id.to_owned(),
            name: None,
            numbers: Vec::new(),
            problem: None,
            availability: Availability::Free,
        };
        match self.accounts.numbers(network_id, token).await {
            Ok(numbers) => {
                let opened = |number| OpenedNumber { number, availability: Availability::Free };
                account.numbers = numbers.into_iter().map(opened).collect();
            }
            Err(NetworkError::Refused { message, .. }) => account.problem = Some(message),
            Err(unavailable @ NetworkError::Unavailable(_)) => return Err(unavailable),
        }
        // A list without a name is still a list.
        account.name = self.tokens.account_name(network_id, token).await.unwrap_or_default();
        Ok(account)
    }

    async fn mark(
        &self,
        workspace: WorkspaceId,
        accounts: &mut [OpenedAccount],
        pages: &mut [OpenedPage],
    ) -> Result<(), StoreError> {
        let of_accounts = accounts.iter().flat_map(|account| {
            let numbers = account.numbers.iter().map(|opened| opened.number.network_id.clone());
            numbers.chain([account.network_id.clone()])
        });
        let of_pages = pages.iter().flat_map(|opened| {
            [Some(opened.page.network_id.clone()), opened.page.instagram_network_id.clone()]
                .into_iter()
                .flatten()
        });
        let ids: Vec<String> = of_accounts.chain(of_pages).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let held = self.store.held(workspace, &ids).await?;
        let of = |id: &str| availability(&held, id);
        for account in accounts {
            account.availability = of(&account.network_id);
            for opened in &mut account.numbers {
                opened.availability = of(&opened.number.network_id);
            }
        }
        for opened in pages {
            opened.availability = of(&opened.page.network_id);
            let instagram = opened.page.instagram_network_id.as_deref();
            opened.instagram_availability = instagram.map_or(Availability::Free, of);
        }
        Ok(())
    }
}

/// Returns the pages behind a token, each with its own token. A token that may not list pages has none.
pub(super) async fn owned_pages(
    network: &dyn NetworkPages,
    facts: &TokenFacts,
    token: &SecretString,
) -> Result<Vec<OwnedPage>, NetworkError> {
    if facts.of_page {
        let page = network.page(token).await?;
        return Ok(vec![OwnedPage { page, instagram_name: None, token: token.clone() }]);
    }
    if !facts.permissions.iter().any(|permission| permission.starts_with("pages_")) {
        return Ok(Vec::new());
    }
    match network.pages(token).await {
        Err(NetworkError::Refused { .. }) => Ok(Vec::new()),
        answered => answered,
    }
}

fn opened(OwnedPage { page, instagram_name, .. }: OwnedPage) -> OpenedPage {
    let (availability, instagram_availability) = (Availability::Free, Availability::Free);
    OpenedPage { page, instagram_name, availability, instagram_availability }
}

fn availability(held: &[Held], id: &str) -> Availability {
    match held.iter().find(|held| held.network_id == id) {
        None => Availability::Free,
        Some(Held { here: true, .. }) => Availability::Connected,
        Some(Held { here: false, .. }) => Availability::NotAvailable,
    }
}

#[cfg(test)]
mod tests {
    use super::missing;
    use crate::channels::token::TokenFacts;

    #[test]
    fn each_permission_that_is_missing_is_named_once() {
        let names = |permissions: &[&str], of_page| {
            let permissions = permissions.iter().map(|one| (*one).to_owned()).collect();
            let facts = TokenFacts { permissions, of_page, ..TokenFacts::default() };
            missing(&facts).into_iter().map(|missing| missing.permission).collect::<Vec<_>>()
        };
        let whatsapp = ["whatsapp_business_management", "whatsapp_business_messaging"];
        let pages =
            ["pages_messaging", "pages_manage_metadata", "instagram_basic", "instagram_manage_messages"];
        assert_eq!(names(&[&whatsapp[..], &pages, &["pages_show_list"]].concat(), false), [""; 0]);
        assert_eq!(names(&pages, true), [""; 0], "a page's own token has nothing to do with numbers");
        assert_eq!(names(&whatsapp, false), [&pages[..], &["pages_show_list"]].concat());
        assert_eq!(names(&[], false).len(), 7);
        assert_eq!(names(&["whatsapp_business_management"], false)[0], "whatsapp_business_messaging");
    }
}
