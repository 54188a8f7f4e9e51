//! Connections of the pool, seen from the server.

use adapter_postgres::{Database, PoolConfig, migrate};
use domain::{errors::StoreError, ids::IdSource, testing::SequentialIds, workspaces::ports::WorkspaceStore};
use std::{sync::Arc, time::Duration};
use tls_trust::Trust;
use tokio::sync::oneshot;

use crate::stores::support::{Fixture, GlassVault};

const OURS: &str = "application_name = 'messaging-service' AND datname = current_database()";

#[tokio::test]
async fn a_pool_that_lost_its_server_connections_opens_new_ones() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let end = format!("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {OURS}");
    let ended = fixture.client().await.query(&end, &[]).await.unwrap();
    assert!(!ended.is_empty());
    // The answer to the first request that notices depends on which side is faster.
    if let Err(error) = fixture.stores.workspaces.find(workspace.id).await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    }
    assert_eq!(fixture.stores.workspaces.find(workspace.id).await.unwrap(), Some(workspace));
}

#[tokio::test]
async fn an_address_that_asks_for_encryption_is_not_served_without() {
    let fixture = Fixture::new().await;
    let url = format!("{}?sslmode=verify-full", fixture.database.url());
    assert!(migrate(&url, &Trust::default(), |_| ()).await.is_err());
    let config = PoolConfig { url, trust: Trust::default(), size: 1, wait: Duration::from_secs(5) };
    let ids: Arc<dyn IdSource> = Arc::new(SequentialIds::default());
    let database = Database::new(&config, Arc::new(GlassVault), ids).unwrap();
    assert!(matches!(database.ready().await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn connections_live_on_when_the_worker_that_needed_them_has_ended() {
    let fixture = Fixture::new().await;
    let id = fixture.workspace(1).await.id;
    let client = fixture.client().await;
    let processes = async || {
        let query = format!("SELECT pid FROM pg_stat_activity WHERE {OURS} ORDER BY pid");
        let rows = client.query(&query, &[]).await.unwrap();
        rows.into_iter().map(|row| row.get(0)).collect::<Vec<i32>>()
    };
    let (used, is_used) = oneshot::channel();
    let (end, ended) = oneshot::channel::<()>();
    let ids: Arc<dyn IdSource> = Arc::<SequentialIds>::default();
    let stores = fixture.database.stores(Arc::new(GlassVault), ids);
    let workers_store = stores.clone();
    let worker = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            used.send(workers_store.workspaces.find(id).await.is_ok()).unwrap();
            ended.await.unwrap();
        });
    });
    assert!(is_used.await.unwrap());
    let opened = processes().await;
    end.send(()).unwrap();
    worker.await.unwrap();
    assert!(stores.workspaces.find(id).await.unwrap().is_some());
    assert_eq!(processes().await, opened);
}
