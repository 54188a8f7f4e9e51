//! Makes the demo workspace: two accounts, three numbers, a page with its Instagram account, templates of
//! every kind, keys, and webhook addresses.

use std::collections::BTreeMap;

use domain::{
    access::Scope, audit::Acting, channels::ports::AccountStore, events::EventType, ids::WorkspaceId,
    phone::Region, workspaces::NewWorkspace,
};
use secrecy::SecretString;
use url::Url;

use super::{
    Services, example,
    ready::{Number, Page, Webhook},
};

const ACCOUNTS: [&str; 2] = ["102290129340398", "102290129340407"];
pub(super) const OWNER: &str = "owner@rafidain.example";
const SEND_ONLY: &str = "+9647700000002";

pub(super) struct World {
    pub(super) workspace: WorkspaceId,
    pub(super) key: String,
    /// One key for each scope, with that scope alone.
    pub(super) keys: BTreeMap<&'static str, String>,
    pub(super) numbers: Vec<Number>,
    pub(super) pages: Vec<Page>,
    pub(super) webhooks: Vec<Webhook>,
}

impl World {
    /// Makes the workspace, through the same use cases that an operator's commands run.
    pub(super) async fn make(
        services: &Services,
        token: &SecretString,
        more_webhooks: &[Url],
    ) -> anyhow::Result<Self> {
        let Services { running, operations, simulator, receiver, network, network_webhook, .. } = services;
        let use_cases = &running.use_cases;
        let new = NewWorkspace {
            name: "Rafidain".to_owned(),
            locale: "ar".to_owned(),
            region: Region::default(),
            time_zone: domain::zone::Zone::default(),
            owner_email: OWNER.parse()?,
        };
        let (workspace, _) = operations.create_workspace.run(new).await?;
        let workspace = workspace.id;
        let operator = Acting::operator(workspace);
        for account in ACCOUNTS {
            use_cases.connect_account.run(operator, account.to_owned(), token.clone()).await?;
            use_cases.sync_account.run_for(workspace, account).await?;
        }
        operations.set_send_only.run(operator, SEND_ONLY, true).await?;
        let page = use_cases.connect_page.run(operator, token.clone()).await?;
        let page = Page { page_id: page.network_id, instagram_id: page.instagram_network_id };

        example::make(&operations.foundation, network, simulator, network_webhook, workspace).await?;

        let key = operations.issue_key.run(operator, "sandbox", Scope::ALL.to_vec()).await?;
        let mut keys = BTreeMap::new();
        for scope in Scope::ALL {
            let only = operations.issue_key.run(operator, scope.as_str(), vec![scope]).await?;
            keys.insert(scope.as_str(), only.secret.reveal().to_owned());
        }

        let mut webhooks = Vec::new();
        for url in [receiver.url()].into_iter().chain(more_webhooks) {
            let events = EventType::SUBSCRIBABLE.to_vec();
            let address = operations.register_address.run(operator, url.to_string(), events).await?;
            webhooks.push(Webhook { url: url.clone(), secret: address.secret.reveal().to_owned() });
        }
        if let Some(first) = webhooks.first() {
            receiver.expect_signed_with(&first.secret);
        }

        let numbers = operations.stores.channels.numbers(workspace).await?;
        let numbers = numbers.into_iter().map(|number| Number {
            phone: number.phone.as_str().to_owned(),
            phone_number_id: number.network_id,
            account: number.account_network_id,
            send_only: number.send_only,
        });
        Ok(Self {
            workspace,
            key: key.secret.reveal().to_owned(),
            keys,
            numbers: numbers.collect(),
            pages: vec![page],
            webhooks,
        })
    }
}
