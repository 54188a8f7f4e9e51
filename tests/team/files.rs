//! A member answers with a file: it reaches the customer, shows in the conversation, and is told of.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::Team,
    support::{Answer, Browser, Visitor},
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n a picture of a blue dress";
/// Beginning of a picture of one pixel.
const HEAD_OF_PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
const GIF: &[u8] = b"GIF89a\x01\0\x01\0 a turning dress";
const PDF: &[u8] = b"%PDF-1.4 the price list";

/// Uploads a file as `by`.
async fn upload(by: &Browser, name: &str, content_type: &str, file: &'static [u8]) -> Answer {
    let request = by.request(Method::POST, "/attachments").query(&[("name", name)]);
    Answer::to(request.header("content-type", content_type).body(file)).await
}

/// The same, of a file that is taken; its id.
async fn uploaded(by: &Browser, name: &str, file: &'static [u8]) -> String {
    let answer = upload(by, name, "application/octet-stream", file).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.text("/id").to_owned()
}

fn path(conversation: &str) -> String {
    format!("/conversations/{conversation}/messages")
}

async fn send(by: &Browser, conversation: &str, key: &str, body: &Value) -> Answer {
    Answer::to(by.request(Method::POST, &path(conversation)).header("Idempotency-Key", key).json(body)).await
}

/// The file behind a link of this service.
async fn opened(team: &Team, link: &Value) -> Vec<u8> {
    let path = link.as_str().unwrap().strip_prefix(team.world.service.base_url()).unwrap();
    let answer = team.world.api().bare(Method::GET, path).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn a_picture_with_a_text_reaches_the_customer_on_whatsapp_once_and_shows_in_the_conversation() {
    let team = Team::new().await;
    let answer = upload(&team.agent, "فستان.png", "image/png", PNG).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let wanted = json!({ "id": answer.text("/id"), "kind": "image", "contentType": "image/png",
        "bytes": PNG.len(), "title": "فستان.png" });
    assert_eq!(answer.body, wanted);
    let body = json!({ "attachmentId": answer.text("/id"), "text": "متوفر بالأزرق" });
    let sent = send(&team.agent, &team.conversation, "dress", &body).await;
    assert_eq!(sent.status, 201, "{sent:?}");
    assert_eq!(
        (sent.text("/message/content"), sent.text("/message/senderId")),
        ("متوفر بالأزرق", &*team.agent_id)
    );

    let taken = team.world.simulator.messages();
    let message = &taken.last().unwrap()["body"];
    assert_eq!((&message["type"], &message["image"]["caption"]), (&json!("image"), &json!("متوفر بالأزرق")));
    let arrived = team.world.simulator.file(message["image"]["id"].as_str().unwrap()).unwrap();
    assert_eq!(arrived, ("image/png".to_owned(), PNG.to_vec()));

    let told = team.world.receiver.next_of("message.sent").await;
    let page = team.owner.get(&path(&team.conversation)).await;
    let public = team.world.api().get(&format!("/v1/conversations/{}/messages", team.conversation)).await;
    for shown in
        [&sent.body["message"], &told.body["data"]["message"], &page.body["data"][0], &public.body["data"][0]]
    {
        assert_eq!(shown["id"], sent.body["message"]["id"]);
        let [file] = shown["attachments"].as_array().unwrap().as_slice() else { panic!("{shown}") };
        assert_eq!((&file["kind"], &file["contentType"]), (&json!("image"), &json!("image/png")));
        assert_eq!((&file["bytes"], &file["title"]), (&json!(PNG.len()), &json!("فستان.png")));
        assert_eq!(opened(&team, &file["url"]).await, PNG);
    }

    let again = send(&team.agent, &team.conversation, "dress", &body).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")), "{again:?}");
    assert_eq!(again.body["message"]["attachments"][0]["title"], "فستان.png");
    let twice = send(&team.agent, &team.conversation, "dress again", &body).await;
    twice.assert_refused(409, "attachment_used", &json!({}), "sent already");
    assert_eq!(team.world.simulator.messages().len(), taken.len());
}

#[tokio::test]
async fn a_document_and_its_text_reach_the_customer_on_messenger_as_two_messages_and_once() {
    let team = Team::new().await;
    team.world.connect_page();
    let person = json!({ "channelId": "1234567890", "from": "24811234567890123", "name": "Sara K",
        "message": { "text": "متوفر؟" } });
    team.world.control(Method::POST, "inbound", &person).await;
    let created = team.world.receiver.next_of("conversation.created").await;
    let conversation = created.text("/data/conversation/id");
    let file = uploaded(&team.owner, "prices.pdf", PDF).await;

    let both = json!({ "attachmentId": file, "text": "تفضلي" });
    let sent = send(&team.owner, conversation, "both", &both).await;
    assert_eq!((sent.status, sent.text("/message/content")), (201, ""), "{sent:?}");
    assert_eq!(sent.text("/message/attachments/0/kind"), "document");
    let again = send(&team.owner, conversation, "both", &both).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")), "{again:?}");
    let [taken, text] = &team.world.simulator.messages()[..] else { panic!("not two messages") };
    assert_eq!(text["body"]["message"]["text"], "تفضلي");
    assert_eq!(taken["body"]["message"]["attachment"]["type"], "file");
    let arrived = team.world.simulator.file(taken["id"].as_str().unwrap()).unwrap();
    assert_eq!(arrived, ("application/pdf".to_owned(), PDF.to_vec()));
    let told = team.world.receiver.next_of("message.sent").await;
    assert_eq!(told.text("/data/message/attachments/0/title"), "prices.pdf");
    let page = team.owner.get(&path(conversation)).await;
    assert_eq!(page.body["data"].as_array().unwrap().len(), 3, "no echo of our own: {page:?}");
    let long =
        json!({ "attachmentId": uploaded(&team.owner, "more.pdf", PDF).await, "text": "x".repeat(2_001) });
    send(&team.owner, conversation, "long", &long)
        .await
        .assert_error(400, "a text that its network does not take");
    assert_eq!(team.world.simulator.messages().len(), 2, "nor is its file on its way");
}

#[tokio::test]
async fn a_picture_reaches_the_customer_on_instagram_by_its_link_and_by_itself() {
    let team = Team::new().await;
    team.world.connect_page();
    let person = json!({ "channelId": "17841400000000001", "from": "17851234567890123", "name": "Sara K",
        "message": { "text": "متوفر؟" } });
    team.world.control(Method::POST, "inbound", &person).await;
    let created = team.world.receiver.next_of("conversation.created").await;
    assert_eq!(created.text("/data/conversation/channel"), "instagram");
    let conversation = created.text("/data/conversation/id");

    let unknown = json!({ "attachmentId": uploaded(&team.agent, "dress.gif", GIF).await });
    let refused = team.agent.post(&path(conversation), &unknown).await;
    assert_eq!((refused.status, refused.text("/code")), (415, "attachment_type"), "{refused:?}");
    let file = uploaded(&team.agent, "dress.png", PNG).await;
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let inbox = visitor.get("/dashboard/inbox?view=all").await.html;
    assert!(inbox.contains("<bdi>Rafidain Shop</bdi></span>"), "by its page's name: {inbox}");
    let reply = format!("/dashboard/inbox/{conversation}/reply");
    let long = "م".repeat(501);
    let refused = visitor.post(&reply, &[("key", "long"), ("text", &*long)]).await;
    assert!(refused.status == 422 && refused.html.contains("about 500 in Arabic"), "{refused:?}");
    assert!(refused.html.contains(&long), "{refused:?}");
    let before = team.world.simulator.messages().len();

    let sent = send(&team.agent, conversation, "dress", &json!({ "attachmentId": file })).await;
    assert_eq!((sent.status, sent.text("/message/content")), (201, ""), "{sent:?}");
    let taken = team.world.simulator.messages();
    assert_eq!(taken.len(), before + 1, "nothing of what was refused");
    let message = taken.last().unwrap();
    assert_eq!(message["body"]["recipient"]["id"], "17851234567890123");
    let attachment = &message["body"]["message"]["attachment"];
    assert_eq!(attachment["type"], "image");
    assert_eq!(opened(&team, &attachment["payload"]["url"]).await, PNG);
    let arrived = team.world.simulator.file(message["id"].as_str().unwrap()).unwrap();
    assert_eq!(arrived, ("image/png".to_owned(), PNG.to_vec()));

    let told = team.world.receiver.next_of("message.sent").await;
    let page = team.owner.get(&path(conversation)).await;
    assert_eq!(page.body["data"].as_array().unwrap().len(), 2, "no echo of our own: {page:?}");
    for shown in [&told.body["data"]["message"], &page.body["data"][0]] {
        assert_eq!(shown["id"], sent.body["message"]["id"]);
        assert_eq!(
            (&shown["attachments"][0]["kind"], &shown["attachments"][0]["title"]),
            (&json!("image"), &json!("dress.png"))
        );
        assert_eq!(opened(&team, &shown["attachments"][0]["url"]).await, PNG);
    }
    let again = send(&team.agent, conversation, "dress", &json!({ "attachmentId": file })).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")), "{again:?}");
    assert_eq!(team.world.simulator.messages().len(), taken.len());
}

#[tokio::test]
async fn a_file_that_cannot_be_taken_or_sent_says_why() {
    let team = Team::new().await;
    let refused = |answer: Answer, status: u16, code: &str| {
        assert_eq!((answer.status, answer.text("/code")), (status, code), "{answer:?}");
    };
    upload(&team.agent, "a.png", "image/png", b"").await.assert_error(400, "an empty file");
    upload(&team.agent, "a\nb.png", "image/png", PNG).await.assert_error(400, "a name with a line break");
    refused(upload(&team.agent, "page.html", "text/html", b"<html><script>").await, 415, "attachment_type");
    let whole = vec![b'x'; 26 * 1024 * 1024];
    let picture = [HEAD_OF_PNG, &whole].concat();
    let request = team.agent.request(Method::POST, "/attachments").body(picture);
    let large = Answer::to(request).await;
    large.assert_refused(413, "attachment_too_large", &json!({ "mostBytes": 25 * 1024 * 1024 }), "large");
    let packed = team.agent.request(Method::POST, "/attachments").header("content-encoding", "gzip");
    refused(Answer::to(packed.body(PNG)).await, 415, "content_encoding");
    assert_eq!(team.world.rows().await.count("uploads").await, 0, "nothing is left of these");

    let reply = async |by: &Browser, body: Value| by.post(&path(&team.conversation), &body).await;
    reply(&team.agent, json!({})).await.assert_error(400, "nothing to say");
    let unknown = json!({ "attachmentId": "0192f0c1-7a00-7000-8000-0000000000ff" });
    refused(reply(&team.agent, unknown).await, 404, "attachment_not_found");
    let theirs = json!({ "attachmentId": uploaded(&team.owner, "a.png", PNG).await });
    refused(reply(&team.agent, theirs.clone()).await, 404, "attachment_not_found");
    let picture = [HEAD_OF_PNG, &vec![b'x'; 6 * 1024 * 1024]].concat();
    let request = team.agent.request(Method::POST, "/attachments").body(picture);
    let large = json!({ "attachmentId": Answer::to(request).await.text("/id") });
    let refusal = reply(&team.agent, large).await;
    refusal.assert_refused(
        413,
        "attachment_too_large",
        &json!({ "mostBytes": 5 * 1024 * 1024 }),
        "on WhatsApp",
    );

    // The network's refusal of the file stays in the conversation, as one of a text does.
    let refusing = json!([{ "kind": "error", "code": 131_053 }]);
    team.world.simulator.set_faults(&refusing).unwrap();
    let refusal = reply(&team.owner, theirs.clone()).await;
    refusal.assert_refused(422, "whatsapp_rejected", &json!({ "whatsappCode": 131_053 }), "refused");
    let page = team.owner.get(&path(&team.conversation)).await;
    assert_eq!(page.text("/data/0/attachments/0/title"), "a.png");
    team.world.simulator.set_faults(&json!([])).unwrap();
    refused(reply(&team.owner, theirs).await, 409, "attachment_used");
}

#[tokio::test]
async fn what_waits_to_be_sent_is_bounded_in_bytes_for_the_whole_workspace() {
    let team = Team::new().await;
    let file = uploaded(&team.agent, "a\u{202e}gnp.exe", PNG).await;
    let rows = team.world.rows().await;
    assert_eq!(rows.texts("SELECT title FROM uploads").await, ["agnp.exe"]);
    let two_gib: usize = 2 * 1024 * 1024 * 1024;
    rows.change(&format!("UPDATE uploads SET bytes = {}", two_gib - PNG.len() + 1)).await;
    let refused = upload(&team.owner, "b.png", "image/png", PNG).await;
    refused.assert_refused(409, "too_many_attachment_bytes", &json!({}), "no room");
    rows.change(&format!("UPDATE uploads SET bytes = {}", PNG.len())).await;
    let sent = send(&team.agent, &team.conversation, "one", &json!({ "attachmentId": file })).await;
    assert_eq!((sent.status, sent.text("/message/attachments/0/title")), (201, "agnp.exe"), "{sent:?}");
}
