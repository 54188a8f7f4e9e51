//! The admin port.

use crate::{
    service::{Ports, Service},
    wire::{Answer, answer},
};

async fn ask(service: &Service, path: &str) -> Answer {
    answer(service.client.get(format!("{}{path}", service.admin_url))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_get_metrics_and_the_state_of_the_process() {
    let service = Ports::new().start();
    let metrics = ask(&service, "/metrics").await;
    assert_eq!((metrics.status, metrics.body.as_str()), (200, Some("requests 1\n")));
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    assert_eq!(ask(&service, "/healthz").await.status, 200);
    assert_eq!(ask(&service, "/readyz").await.status, 200);
    ask(&service, "/v1/me").await.assert_error(404, "Not Found");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_process_does_without_for_a_while_is_said_and_it_is_ready_all_the_same() {
    let mut ports = Ports::new();
    ports.readiness = Ok(vec!["files: the bucket is not there".to_owned()]);
    let answer = ask(&ports.start(), "/readyz").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, Some("ready\nfiles: the bucket is not there\n")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_cannot_serve_is_alive_but_not_ready() {
    let mut ports = Ports::new();
    ports.readiness = Err("no database".to_owned());
    let service = ports.start();
    assert_eq!(ask(&service, "/healthz").await.status, 200);
    let answer = ask(&service, "/readyz").await;
    answer.assert_error(503, "Service Unavailable");
    assert!(answer.message().contains("no database"), "{answer:?}");
}
