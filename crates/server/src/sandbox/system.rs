//! The system of the workspace's own: the reference shop, or one that the user is building.

use anyhow::Context;
use domain::{
    audit::Acting,
    ids::WorkspaceId,
    systems::{SystemBase, SystemSecret},
};
use guarded_http::Policy;
use reference_shop::{Config, ReferenceShop};
use secrecy::ExposeSecret;

use super::{addresses::loopback, ready, secrets::random_hex};
use crate::{
    cli::SandboxArgs,
    wiring::{Foundation, system_client, systems},
};

pub(super) struct Address {
    base: String,
    secret: String,
}

pub(super) struct System {
    address: Address,
    /// Runs as long as the sandbox; `None` beside a system of the user's own.
    shop: Option<ReferenceShop>,
}

/// Returns the system that is asked for; `None` for the reference shop.
///
/// # Errors
/// When base or secret is invalid, before anything is started.
pub(super) fn asked_for(arguments: &SandboxArgs) -> anyhow::Result<Option<Address>> {
    let (Some(base), Some(secret)) = (&arguments.system, &arguments.system_secret) else { return Ok(None) };
    let secret = secret.expose_secret();
    let base = SystemBase::parse(base).context("--system")?;
    SystemSecret::parse(secret).context("--system-secret")?;
    Ok(Some(Address { base: base.as_str().to_owned(), secret: secret.to_owned() }))
}

impl System {
    /// Starts the reference shop where no other system was asked for.
    pub(super) async fn open(asked_for: Option<Address>) -> anyhow::Result<Self> {
        if let Some(address) = asked_for {
            return Ok(Self { address, shop: None });
        }
        let secret = random_hex();
        let shop = ReferenceShop::start(Config::new(secret.clone())).await.context("the reference shop")?;
        Ok(Self { address: Address { base: shop.base_url(), secret }, shop: Some(shop) })
    }

    pub(super) async fn connect(
        &self,
        on: &Foundation,
        workspace: WorkspaceId,
    ) -> anyhow::Result<ready::System> {
        let Address { base, secret } = &self.address;
        let client = system_client(Policy { allowed: loopback() }, &on.trust)?;
        let connect = systems(on, client).connect;
        let connected = connect.run(Acting::operator(workspace), base, secret).await;
        let connected = connected.with_context(|| format!("the system at {base}"))?;
        Ok(ready::System {
            base_url: connected.base.as_str().to_owned(),
            secret: secret.clone(),
            control_url: self.shop.as_ref().map(ReferenceShop::control_url),
        })
    }

    pub(super) async fn close(self) {
        if let Some(shop) = self.shop {
            shop.stop().await;
        }
    }
}
