//! A process that is killed while a member's file streams in, or on to the network.

use std::{fs, path::PathBuf, time::Duration};

use reqwest::Method;
use serde_json::json;
use server::config::Role;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::{
    life::Team,
    support::{Answer, Browser, InProcess, Service, eventually},
};

/// Size of the file, as its head announces it.
const ANNOUNCED: usize = 20 * 1024 * 1024;
/// Bytes sent: more than is collected before they are written.
const SENT: usize = 12 * 1024 * 1024;

/// Every file that is kept, whole or not.
fn kept(team: &Team) -> Vec<PathBuf> {
    let of_workspace = team.world.secrets.files_folder.path().join(&team.world.workspace);
    let entries =
        fs::read_dir(of_workspace).map(|entries| entries.map(|entry| entry.unwrap().path()).collect());
    entries.unwrap_or_default()
}

#[tokio::test]
async fn of_an_upload_that_a_kill_cut_off_nothing_can_be_sent_and_all_is_swept() {
    let mut team = Team::new().await;
    let rows = team.world.rows().await;
    let address = team.world.service.base_url().strip_prefix("http://").unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /dashboard/api/attachments?name=prices.pdf HTTP/1.1\r\nhost: {address}\r\nx-dashboard: 1\r\n\
         cookie: {}\r\ncontent-type: application/pdf\r\ncontent-length: {ANNOUNCED}\r\n\r\n%PDF-1.4",
        team.agent.cookie.as_ref().unwrap()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(&vec![b'x'; SENT]).await.unwrap();
    let half = eventually("a part of the file", async || {
        kept(&team).into_iter().find(|file| fs::metadata(file).is_ok_and(|file| file.len() > 0))
    })
    .await;
    team.world.service.kill();
    assert!(half.exists() && fs::metadata(&half).unwrap().len() < u64::try_from(SENT).unwrap());
    assert_eq!(rows.count("uploads WHERE bytes IS NULL").await, 1);

    team.world.service = Service::start(&team.world.secrets).await;
    let mut agent = Browser::new(team.world.service.base_url());
    agent.cookie.clone_from(&team.agent.cookie);
    let id = rows.texts("SELECT id::text FROM uploads").await.remove(0);
    let path = format!("/conversations/{}/messages", team.conversation);
    let refused = agent.post(&path, &json!({ "attachmentId": id })).await;
    assert_eq!((refused.status, refused.text("/code")), (404, "attachment_not_found"), "{refused:?}");
    assert_eq!(rows.count("sends").await, 0);

    // A day and a bit later.
    let process = InProcess::over(&team.world.secrets);
    process.clock.advance(Duration::from_hours(26));
    let worker = process.serve(&[Role::Worker]);
    eventually("nothing left", async || {
        (rows.count("uploads").await == 0 && kept(&team).is_empty()).then_some(())
    })
    .await;
    worker.stop().await;
}

#[tokio::test]
async fn of_a_file_that_a_kill_kept_from_the_network_nothing_was_begun_and_its_key_sends_it() {
    let mut team = Team::new().await;
    let rows = team.world.rows().await;
    let picture = b"\x89PNG\r\n\x1a\n a picture of a blue dress";
    let upload = team.agent.request(Method::POST, "/attachments").query(&[("name", "dress.png")]);
    let file = Answer::to(upload.body(picture.as_slice())).await;
    let body = json!({ "attachmentId": file.text("/id") });
    let path = format!("/conversations/{}/messages", team.conversation);
    let reply = |by: &Browser| by.request(Method::POST, &path).header("Idempotency-Key", "dress").json(&body);

    let slow = json!([{ "kind": "latency", "ms": 60_000, "on": "edits", "times": 1 }]);
    team.world.simulator.set_faults(&slow).unwrap();
    let asking = tokio::spawn(reply(&team.agent).send());
    eventually("the file on its way to the network", async || {
        let left = team.world.control(Method::GET, "faults", &json!({})).await;
        left["faults"].as_array().is_some_and(Vec::is_empty).then_some(())
    })
    .await;
    assert_eq!(rows.count("sends").await, 0, "nothing is begun as long as nothing can be sent");
    team.world.service.kill();
    assert!(asking.await.unwrap().is_err(), "an answer");

    team.world.service = Service::start(&team.world.secrets).await;
    let mut agent = Browser::new(team.world.service.base_url());
    agent.cookie.clone_from(&team.agent.cookie);
    let sent = Answer::to(reply(&agent)).await;
    assert_eq!((sent.status, sent.header("idempotency-replayed")), (201, None), "{sent:?}");
    let taken = team.world.simulator.messages().pop().unwrap();
    let arrived = team.world.simulator.file(taken["body"]["image"]["id"].as_str().unwrap()).unwrap();
    assert_eq!(arrived.1, picture);
    let again = Answer::to(reply(&agent)).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")), "{again:?}");
}
