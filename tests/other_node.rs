//! Two nodes on one database are one service.

use std::collections::BTreeSet;

use futures_util::future::join_all;

use crate::support::{Answer, Api, Service, World};

/// Requests of one key in a minute (docs/use/rest-api.md, "Limits").
const LIMIT: u32 = 600;

/// A second node, and the same key at the first and at it.
async fn nodes(world: &World) -> (Service, [Api; 2]) {
    let other = Service::start(&world.secrets).await;
    let at_other = Api::new(other.base_url(), &world.key);
    (other, [world.api(), at_other])
}

/// The requests left, as the answer says.
#[track_caller]
fn remaining(answer: &Answer) -> u32 {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("x-ratelimit-remaining").unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_revoked_key_opens_no_node_from_its_next_request_on() {
    let world = World::new().await;
    let (_other, nodes) = nodes(&world).await;
    let mut id = String::new();
    // Both have just seen the key.
    for node in nodes.iter().chain(&nodes) {
        let me = node.get("/v1/me").await;
        assert_eq!(me.status, 200, "{me:?}");
        me.text("/key/id").clone_into(&mut id);
    }
    world.operator(&["key", "revoke", &world.workspace, &id]);
    for node in nodes.iter().rev() {
        node.get("/v1/me").await.assert_error(401, "revoked");
    }
}

#[tokio::test]
async fn nodes_count_a_keys_requests_together() {
    let world = World::new().await;
    let (_other, nodes) = nodes(&world).await;
    assert_eq!(nodes[0].get("/v1/me").await.status, 200);
    let rows = world.rows().await;
    // A window in a minute that is yet to come, so that no minute ends during the test.
    let window = async |used: u32| {
        rows.change(&format!("UPDATE rate_windows SET used = {used}, started_at = '2126-01-01 00:00Z'"))
            .await;
    };
    window(0).await;
    for (node, left) in nodes.iter().cycle().zip((LIMIT - 6..LIMIT).rev()) {
        assert_eq!(remaining(&node.get("/v1/me").await), left);
    }

    // At once, too, each request is counted once.
    window(0).await;
    let answers = join_all(nodes.iter().cycle().take(40).map(|node| node.get("/v1/me"))).await;
    let left: BTreeSet<u32> = answers.iter().map(remaining).collect();
    assert_eq!(left, (LIMIT - 40..LIMIT).collect());

    // What one node has let in, the other does not.
    window(LIMIT - 1).await;
    assert_eq!(remaining(&nodes[0].get("/v1/me").await), 0);
    for node in &nodes {
        node.get("/v1/me").await.assert_error(429, "over the limit");
    }
}
