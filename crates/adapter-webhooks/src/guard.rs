//! Check of an address when it is registered.

use async_trait::async_trait;
use domain::webhooks::ports::{AddressGuard, ForbiddenAddress};
use guarded_http::{CallError, GuardedClient, Url};

/// Longest address in characters, the same as for a customer's own system.
const LONGEST: usize = 2_000;

/// Judge of addresses as a delivery would judge them, look-up included, without calling them.
#[derive(Debug, Clone)]
pub struct GuardedAddresses(GuardedClient);

impl GuardedAddresses {
    /// Makes a judge with the policy of `client`, the one that deliveries are sent with.
    pub fn new(client: GuardedClient) -> Self {
        Self(client)
    }
}

#[async_trait]
impl AddressGuard for GuardedAddresses {
    async fn check(&self, url: &str) -> Result<(), ForbiddenAddress> {
        if url.chars().nth(LONGEST).is_some() {
            return Err(ForbiddenAddress(format!(
                "the address must not be longer than {LONGEST} characters"
            )));
        }
        let url = Url::parse(url).map_err(|_| ForbiddenAddress("the address is not a URL".to_owned()))?;
        self.0.check(&url).await.map_err(|error| {
            ForbiddenAddress(match error {
                CallError::Timeout => "the host name could not be resolved in time".to_owned(),
                error => error.to_string(),
            })
        })
    }
}
