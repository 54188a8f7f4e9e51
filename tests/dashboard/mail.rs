//! Mail, over a mail server that falls silent.

use std::time::Instant;

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{Browser, Service, World};

#[tokio::test]
async fn a_silent_mail_server_holds_up_neither_an_invitation_nor_the_stop() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = format!("smtp://{}", listener.local_addr().unwrap());
    let settings = [("MESSAGING_SMTP_URL", &*server), ("MESSAGING_MAIL_FROM", "no-reply@palm.example")];
    let mut service = Service::start_with(&world.secrets, &settings).await;
    let owner =
        Browser::joined(service.base_url(), &world.secrets, &world.workspace, "owner@palm.example", "owner")
            .await;
    let invited = owner.post("/invitations", &json!({ "email": "omar@palm.example", "role": "agent" })).await;
    assert_eq!((invited.status, &invited.body["link"]), (201, &Value::Null), "{invited:?}");
    // The mail server has a connection, and says nothing on it.
    let (_silent, _) = listener.accept().await.unwrap();
    let asked = Instant::now();
    let ended = tokio::task::spawn_blocking(move || (service.terminate(), service.log())).await.unwrap();
    assert!(ended.0 && asked.elapsed().as_secs() < 20, "{:?}", asked.elapsed());
    assert!(ended.1.iter().any(|line| line.contains("mails are lost")), "it is said");
}
