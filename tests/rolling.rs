//! A node leaves, and another takes its place, without anybody noticing.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{SHOP_NUMBER, Service, World, eventually, local_client};

/// How long a node that leaves goes on taking requests here.
const DELAY: &str = "2";

/// What a balancer knows of the nodes: those that say they are ready get requests.
#[derive(Clone)]
struct Balancer {
    ready: Arc<Mutex<Vec<String>>>,
    turn: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
}

impl Balancer {
    /// Asks these nodes, by their public and admin addresses, whether they are ready, over and over.
    fn over(nodes: Arc<Mutex<Vec<(String, String)>>>) -> Self {
        let balancer = Self { ready: Arc::default(), turn: Arc::default(), over: Arc::default() };
        let asking = balancer.clone();
        tokio::spawn(async move {
            let client = local_client().build().unwrap();
            while !asking.over.load(Ordering::Relaxed) {
                let mut ready = Vec::new();
                let known = nodes.lock().unwrap().clone();
                for (public, admin) in known {
                    let answer = client.get(format!("{admin}/readyz")).send().await;
                    if answer.is_ok_and(|answer| answer.status() == 200) {
                        ready.push(public);
                    }
                }
                *asking.ready.lock().unwrap() = ready;
                tokio::task::yield_now().await;
            }
        });
        balancer
    }

    /// A node that was ready a moment ago.
    fn node(&self) -> Option<String> {
        let ready = self.ready.lock().unwrap();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        ready.get(turn.checked_rem(ready.len())?).cloned()
    }
}

/// Asks and sends until `stop`; returns the number of answered requests. Any that is not answered fails the
/// test.
async fn load(balancer: Balancer, key: String, number: usize) -> usize {
    let client = local_client().build().unwrap();
    let mut answered = 0;
    while !balancer.over.load(Ordering::Relaxed) {
        let Some(node) = balancer.node() else {
            tokio::task::yield_now().await;
            continue;
        };
        let request = if answered % 10 == number {
            let body = json!({ "to": format!("+96477012{number:02}{answered:03}"), "template": "order_ready",
                               "language": "ar", "variables": ["a", "b"], "from": SHOP_NUMBER });
            client.post(format!("{node}/v1/messages/template")).json(&body)
        } else {
            client.get(format!("{node}/v1/openapi.json"))
        };
        let answer = request.bearer_auth(&key).send().await;
        let answer = answer.unwrap_or_else(|error| panic!("cut after {answered}: {error:?}"));
        let status = answer.status().as_u16();
        let body = answer.text().await.unwrap_or_else(|error| panic!("cut in the answer: {error:?}"));
        assert!([200, 201].contains(&status), "{status} {body}");
        answered += 1;
    }
    answered
}

async fn ended(mut node: Service) -> bool {
    tokio::task::spawn_blocking(move || node.terminate()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_are_replaced_under_load_and_no_request_is_cut() {
    let world = World::new().await;
    let settings = [("MESSAGING_STOP_DELAY", DELAY)];
    let mut running = Vec::new();
    let nodes = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let node = Service::start_with(&world.secrets, &settings).await;
        nodes.lock().unwrap().push((node.base_url().to_owned(), node.admin_url().to_owned()));
        running.push(node);
    }
    // Some of what is under way when a node is asked to end waits for the network.
    world.simulator.set_faults(&json!([{ "kind": "latency", "ms": 1500 }])).unwrap();
    let balancer = Balancer::over(Arc::clone(&nodes));
    let mut clients = JoinSet::new();
    for number in 0..6 {
        clients.spawn(load(balancer.clone(), world.key.clone(), number));
    }
    let mut fresh = Vec::new();
    for old in running {
        let new = Service::start_with(&world.secrets, &settings).await;
        nodes.lock().unwrap().push((new.base_url().to_owned(), new.admin_url().to_owned()));
        eventually("the new node gets requests", async || {
            balancer.ready.lock().unwrap().iter().any(|node| node == new.base_url()).then_some(())
        })
        .await;
        assert!(ended(old).await);
        fresh.push(new);
    }
    balancer.over.store(true, Ordering::Relaxed);
    let answered: usize = clients.join_all().await.into_iter().sum();
    assert!(answered > 100, "{answered}");
}

#[tokio::test]
async fn a_node_that_is_asked_to_end_says_so_at_once_and_goes_on_taking_requests() {
    let world = World::new().await;
    let settings = [("MESSAGING_STOP_DELAY", DELAY)];
    let node = Service::start_with(&world.secrets, &settings).await;
    let (url, admin) = (node.base_url().to_owned(), node.admin_url().to_owned());
    let client = local_client().build().unwrap();
    let ask = async |url: String| client.get(url).send().await.unwrap();
    assert_eq!(ask(format!("{admin}/readyz")).await.status(), 200);
    assert!(ask(format!("{url}/v1/openapi.json")).await.headers().get("connection").is_none());
    let ending = tokio::spawn(ended(node));
    eventually("it is not ready any more", async || {
        (ask(format!("{admin}/readyz")).await.status() == 503).then_some(())
    })
    .await;
    // Taken, and the next one is to go elsewhere.
    let answer = ask(format!("{url}/v1/openapi.json")).await;
    assert_eq!((answer.status().as_u16(), answer.headers()["connection"].to_str().unwrap()), (200, "close"));
    assert!(ending.await.unwrap());
}
