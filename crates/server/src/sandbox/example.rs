//! Creates the person and the conversation of the API document's examples, under the ids that they use, so
//! that each example runs here as it stands.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use domain::{
    deps::Deps,
    ids::{IdSource, WorkspaceId},
    sending::{TemplateRequest, Variables},
};
use network_simulator::Simulator;
use url::Url;
use uuid::Uuid;

use crate::{
    config::NetworkConfig,
    wiring::{Foundation, UseCases},
};

/// Ids of the message, its recipient and the conversation that it opens, in the order in which they are
/// taken.
const IDS: [Uuid; 3] = [
    Uuid::from_u128(0x0192_f0c1_7a00_7000_8000_0000_0000_0001),
    Uuid::from_u128(0x0192_f0c1_7a00_7000_8000_0000_0000_0004),
    Uuid::from_u128(0x0192_f0c1_7a00_7000_8000_0000_0000_0003),
];

/// Source of those ids first, then of fresh ones.
struct ExampleIds {
    taken: AtomicUsize,
    fresh: Arc<dyn IdSource>,
}

impl IdSource for ExampleIds {
    fn next(&self) -> Uuid {
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        IDS.get(taken).copied().unwrap_or_else(|| self.fresh.next())
    }
}

/// Sends the message. The network gets its webhook address only afterwards, so that the events shown of a
/// send are those of one that somebody made here.
pub(super) async fn make(
    on: &Foundation,
    network: &NetworkConfig,
    simulator: &Simulator,
    webhook: &Url,
    workspace: WorkspaceId,
) -> anyhow::Result<()> {
    simulator.set_webhook_url(None)?;
    let ids = ExampleIds { taken: AtomicUsize::new(0), fresh: Arc::clone(&on.deps.ids) };
    let deps = Deps { ids: Arc::new(ids), ..on.deps.clone() };
    let use_cases = UseCases::new(&Foundation { deps, ..on.clone() }, network, None)?;
    let notice = TemplateRequest {
        to: "+9647701234567".to_owned(),
        name: Some("سارة".to_owned()),
        template: "order_ready".to_owned(),
        language: Some("ar".to_owned()),
        variables: Some(Variables::Ordered(vec!["سارة".to_owned(), "A-1042".to_owned()])),
        reference: Some("order-1042".to_owned()),
        ..TemplateRequest::default()
    };
    use_cases.send_template.run_as(workspace, None, &notice).await?;
    simulator.settled().await;
    simulator.set_webhook_url(Some(webhook.clone()))?;
    Ok(())
}
