//! Check of an address when it is registered.

use async_trait::async_trait;
use domain::systems::{
    SystemBase,
    ports::{ForbiddenSystem, SystemAddresses},
};
use guarded_http::{CallError, GuardedClient, Url};

/// Judge of addresses as a call would judge them, look-up included, without calling them.
#[derive(Debug, Clone)]
pub struct GuardedSystems(GuardedClient);

impl GuardedSystems {
    /// Makes a judge with the policy of `client`, the one that systems are called with.
    pub fn new(client: GuardedClient) -> Self {
        Self(client)
    }
}

#[async_trait]
impl SystemAddresses for GuardedSystems {
    async fn check(&self, base: &SystemBase) -> Result<(), ForbiddenSystem> {
        let url =
            Url::parse(base.as_str()).map_err(|_| ForbiddenSystem("the address is not a URL".to_owned()))?;
        self.0.check(&url).await.map_err(|error| {
            ForbiddenSystem(match error {
                CallError::Timeout => "the host name could not be resolved in time".to_owned(),
                error => error.to_string(),
            })
        })
    }
}
