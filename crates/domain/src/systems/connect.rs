//! Connection of a workspace's own system.

use std::{sync::Arc, time::Duration};

use super::{
    address::{BaseError, SecretError, SystemBase, SystemSecret},
    answered::CallError,
    capability::Capability,
    connection::{ConnectedSystem, SystemConnection},
    ports::{CustomSystem, ForbiddenSystem, SystemAddresses, SystemCall},
    record::RecordCall,
    route::Route,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::SystemId,
};

/// Time limit of a verification, a retry included.
pub(super) const VERIFY_WITHIN: Duration = Duration::from_secs(10);

/// Reason why a system was not connected; what was connected before still is.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(transparent)]
    Base(#[from] BaseError),
    #[error(transparent)]
    Forbidden(#[from] ForbiddenSystem),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Unverified(CallError),
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Connects systems.
pub struct ConnectSystem {
    pub system: Arc<dyn CustomSystem>,
    pub addresses: Arc<dyn SystemAddresses>,
    pub record: RecordCall,
}

impl ConnectSystem {
    /// Asks the system to introduce itself and, if it does, connects it in place of the former one. At the
    /// same address it is the same system with another secret: it keeps its id, and so what refers to it.
    pub async fn run(
        &self,
        acting: Acting,
        base: &str,
        secret: &str,
    ) -> Result<SystemConnection, ConnectError> {
        let base = SystemBase::parse(base)?;
        let secret = SystemSecret::parse(secret)?;
        self.addresses.check(&base).await?;
        let RecordCall { store, deps: Deps { clock, ids, .. }, .. } = &self.record;
        let began = clock.now();
        let call = SystemCall { workspace: acting.workspace, base, secret, within: VERIFY_WITHIN };
        let answered = self.system.verify(&call).await;
        self.record.log(acting.workspace, Route::Verify, &answered, began).await?;
        let introduction = answered.map_err(|failed| ConnectError::Unverified(failed.error))?.value;
        let (now, SystemCall { base, secret, .. }) = (clock.now(), call);
        let before = store.find(acting.workspace).await?.filter(|before| before.base == base);
        let id = before.map_or_else(|| SystemId::new(&**ids), |before| before.id);
        let connection = SystemConnection {
            creator: acting.actor.member(),
            ..SystemConnection::new(id, base, introduction, now)
        };
        let capabilities = connection.introduction.capabilities.iter().map(Capability::as_str);
        let entry = acting.does(Action::SystemConnected, now, &**ids).to(connection.id);
        let entry = entry
            // Never more of the address: what stands behind the host may be a secret.
            .with("origin", connection.base.origin())
            .with("capabilities", capabilities.collect::<Vec<_>>());
        let connected = ConnectedSystem { connection, secret };
        if store.connect(acting.workspace, &connected, &entry).await? {
            Ok(connected.connection)
        } else {
            Err(ConnectError::UnknownWorkspace)
        }
    }
}
