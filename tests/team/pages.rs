//! What members do by the dashboard's pages in a browser that runs no script.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::{NUMBER, Team},
    support::{Answer, PASSWORD, Visitor, eventually, field},
};

#[tokio::test]
async fn an_agent_signs_in_sees_the_inbox_takes_a_conversation_and_answers_without_a_script() {
    let team = Team::new().await;
    let base = team.world.service.base_url();
    let mut visitor = Visitor::new(base);
    let wrong = [("email", "agent@palm.example"), ("password", "not that one at all")];
    let refused = visitor.post("/dashboard/sign-in", &wrong).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.html.contains("do not fit") && !refused.html.contains("not that one"),
        "{}",
        refused.html
    );

    let mut visitor = Visitor::signed_in(base, "agent@palm.example").await;
    let inbox = visitor.get("/dashboard/inbox").await;
    let path = format!("/dashboard/inbox/{}", team.conversation);
    assert_eq!(inbox.status, 200);
    assert!(inbox.html.contains(&path) && inbox.html.contains("متوفر؟"), "{}", inbox.html);
    assert!(inbox.html.contains("class=\"unread\""), "{}", inbox.html);
    assert!(inbox.html.contains("<span class=\"count\">Open: "), "what is counted is said: {}", inbox.html);
    visitor.get(&path).await;
    let inbox = visitor.get("/dashboard/inbox").await;
    assert!(!inbox.html.contains("class=\"unread\""), "it was shown: {}", inbox.html);

    let taken = visitor.post(&format!("{path}/moves"), &[("to", "take")]).await;
    assert_eq!((taken.status, &taken.location), (303, &path));
    let seen = team.owner.get(&format!("/conversations/{}", team.conversation)).await;
    assert_eq!(seen.text("/conversation/assignedTo"), team.agent_id);

    let page = visitor.get(&path).await;
    let key = field(&page.html, "key").to_owned();
    let answer = [("key", key.as_str()), ("text", "نعم، <b>متوفر</b>")];
    for _ in 0..2 {
        let sent = visitor.post(&format!("{path}/reply"), &answer).await;
        assert_eq!((sent.status, &sent.location), (303, &path), "{sent:?}");
    }
    let texts = team.world.simulator.messages();
    let texts: Vec<_> = texts.iter().filter(|message| message["body"]["type"] == "text").collect();
    assert_eq!(texts.len(), 1, "the same draft is sent once");
    assert_eq!(texts[0]["body"]["text"]["body"], "نعم، <b>متوفر</b>");

    let page = eventually("the answer with what became of it", async || {
        let request = visitor.client.request(Method::GET, format!("{base}{path}"));
        let answer = request.header("cookie", &visitor.cookie).send().await.unwrap();
        Some(answer.text().await.unwrap())
            .filter(|html| html.contains("tick delivered") || html.contains("tick read"))
    })
    .await;
    assert!(page.contains("نعم، &#60;b&#62;متوفر&#60;/b&#62;"), "{page}");
    assert_ne!(field(&page, "key"), key);
}

#[tokio::test]
async fn a_member_tags_names_and_moves_by_forms_and_is_told_what_was_not_done() {
    let team = Team::new().await;
    let path = format!("/dashboard/inbox/{}", team.conversation);
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let name = "\u{202e}<script>alert(1)</script>";
    for (what, fields) in [
        ("tags", [("add", "VIP")]),
        ("name", [("name", name)]),
        ("moves", [("to", &*format!("member:{}", team.owner_id))]),
    ] {
        let done = visitor.post(&format!("{path}/{what}?view=all"), &fields).await;
        assert_eq!((done.status, done.location), (303, format!("{path}?view=all")), "{what}");
    }
    let page = visitor.get(&path).await.html;
    assert!(page.contains("VIP"), "{page}");
    assert!(!page.contains("<script>alert") && page.contains("<bdi>&#60;script&#62;"), "{page}");

    let list = visitor.get("/dashboard/inbox?view=all").await.html;
    assert!(list.contains("<bdi class=\"holder\">") && !list.contains("Given to"), "who has it: {list}");

    let taken = visitor.post(&format!("{path}/moves"), &[("to", "take")]).await;
    assert_eq!(taken.status, 422);
    assert!(taken.html.contains("Somebody else holds this conversation."), "{}", taken.html);
    let untagged = visitor.post(&format!("{path}/tags"), &[("remove", "vip")]).await;
    assert_eq!(untagged.status, 303);
    let seen = team.owner.get(&format!("/conversations/{}", team.conversation)).await;
    assert_eq!(seen.body["tags"], json!([]));
    let draft = visitor.post(&format!("{path}/reply"), &[("key", "k"), ("text", " ")]).await;
    assert_eq!(draft.status, 422, "{draft:?}");
    assert_eq!(field(&draft.html, "key"), "k");
}

#[tokio::test]
async fn what_is_not_in_the_workspace_is_not_there() {
    let team = Team::new().await;
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    for path in ["/dashboard/inbox/0192f0c1-7a00-7000-8000-0000000000ff", "/dashboard/inbox/nothing"] {
        assert_eq!(visitor.get(path).await.status, 404, "{path}");
    }
    let elsewhere = "/dashboard/inbox/0192f0c1-7a00-7000-8000-0000000000ff/reply";
    assert_eq!(visitor.post(elsewhere, &[("key", "k"), ("text", "a")]).await.status, 404);
    let wrong = visitor.get("/dashboard/inbox?view=group").await;
    assert!(wrong.status == 200 && wrong.html.contains("role=\"alert\""), "{}", wrong.html);
}

#[tokio::test]
async fn an_owner_s_pages_are_an_owner_s_alone() {
    let team = Team::new().await;
    let base = team.world.service.base_url();
    let mut owner = Visitor::signed_in(base, "owner@palm.example").await;
    let mut agent = Visitor::signed_in(base, "agent@palm.example").await;
    for page in [
        "start",
        "workspace",
        "channels",
        "team",
        "templates",
        "automations",
        "assistant",
        "system",
        "keys",
        "webhooks",
        "usage",
        "log",
    ] {
        let path = format!("/dashboard/settings/{page}");
        assert_eq!(owner.get(&path).await.status, 200, "{page}");
        let refused = agent.get(&path).await;
        assert_eq!(refused.status, 403, "{page}");
        assert!(refused.html.contains("Only an owner may do this."), "{page}");
    }
    let key = [("label", "Web shop"), ("messages:send", "on")];
    assert_eq!(agent.post("/dashboard/settings/keys", &key).await.status, 403);
    for path in ["/dashboard/contacts", "/dashboard/profile"] {
        assert_eq!(agent.get(path).await.status, 200, "{path}");
    }
    for path in [
        "/dashboard/settings/webhooks/0192f0c1-7a00-7000-8000-0000000000ff",
        "/dashboard/settings/deliveries/0192f0c1-7a00-7000-8000-0000000000ff",
        "/dashboard/contacts/0192f0c1-7a00-7000-8000-0000000000ff",
    ] {
        assert_eq!(owner.get(path).await.status, 404, "{path}");
    }
}

/// What stands in a page between two texts.
fn between<'a>(html: &'a str, before: &str, after: &str) -> &'a str {
    html.split_once(before).unwrap().1.split_once(after).unwrap().0
}

/// The page that a link has opened in the other language, by the button for it, as a browser without a script
/// comes to it.
async fn is_read_in_arabic(visitor: &mut Visitor, html: &str, path: &str, token: &str) -> String {
    let form = between(html, "action=\"/dashboard/language\"", "</form>");
    let fields = [("language", "ar"), ("next", field(form, "next")), ("token", field(form, "token"))];
    assert_eq!((fields[1].1, fields[2].1), (path, token), "{form}");
    let chosen = visitor.post("/dashboard/language", &fields).await;
    assert_eq!(
        (chosen.status, chosen.location.as_str()),
        (307, path),
        "the form is posted there: {chosen:?}"
    );
    let shown = visitor.post(path, &fields).await;
    assert!(shown.status == 200 && shown.html.contains("dir=\"rtl\""), "{shown:?}");
    shown.html
}

#[tokio::test]
async fn an_owner_makes_a_key_that_opens_and_a_member_who_signs_in_by_forms() {
    let team = Team::new().await;
    let base = team.world.service.base_url();
    let mut owner = Visitor::signed_in(base, "owner@palm.example").await;
    let nothing = owner.post("/dashboard/settings/keys", &[("label", "Web shop")]).await;
    assert_eq!(nothing.status, 422, "a key opens something");
    let fields = [("label", "Web shop"), ("contacts:read", "on")];
    let made = owner.submit_and_look("/dashboard/settings/keys", &fields).await;
    let key = between(&made.html, "data-copied=\"Copied\">", "</code>").to_owned();
    assert!(made.status == 200 && key.starts_with("msk_"), "{}", made.html);
    let again = owner.get("/dashboard/settings/keys").await;
    assert!(again.html.contains("Web shop") && !again.html.contains(&key), "it is shown once");
    let opened = team.world.api().bare(Method::GET, "/v1/contacts").bearer_auth(&key).send().await.unwrap();
    assert_eq!(opened.status(), 200);

    let invite = [("email", "nour@palm.example"), ("role", "agent")];
    let invited = owner.submit_and_look("/dashboard/settings/team/invitations", &invite).await;
    assert!(
        invited.html.contains("<span data-until=\""),
        "the page knows when it runs out: {}",
        invited.html
    );
    let link = between(&invited.html, "data-copied=\"Copied\">", "</code>").replace("&#38;", "&");
    let mut visitor = Visitor::new(base);
    let open = visitor.post("/dashboard/invitation", &[("token", &link)]).await;
    assert!(open.status == 200 && open.html.contains("nour@palm.example"), "{open:?}");
    let token = field(&open.html, "token").to_owned();
    let arabic = is_read_in_arabic(&mut visitor, &open.html, "/dashboard/invitation", &token).await;
    assert!(arabic.contains("nour@palm.example") && field(&arabic, "token") == token, "{arabic}");
    let english = [("language", "en"), ("next", "/dashboard/invitation"), ("token", &token)];
    assert_eq!(visitor.post("/dashboard/language", &english).await.status, 307);
    let mut fields = [("token", token.as_str()), ("name", "Nour"), ("password", "short")];
    let refused = visitor.post("/dashboard/invitation/accept", &fields).await;
    assert!(refused.status == 422 && refused.html.contains("fewer than 10"), "{refused:?}");
    let back = format!(
        "name=\"next\" value=\"/dashboard/invitation\">\n<input type=\"hidden\" name=\"token\" value=\"{token}\">"
    );
    assert!(refused.html.contains(&back), "{refused:?}");
    fields[2].1 = PASSWORD;
    let joined = visitor.post("/dashboard/invitation/accept", &fields).await;
    assert_eq!((joined.status, joined.location.as_str()), (303, "/dashboard"));
    assert_eq!(visitor.get("/dashboard/inbox").await.status, 200);
    let used = visitor.post("/dashboard/invitation", &[("token", &link)]).await;
    assert_eq!(used.status, 422, "a link works once");

    let out = visitor.post("/dashboard/sign-out", &[]).await;
    assert_eq!((out.status, out.location.as_str()), (303, "/dashboard/sign-in?after=sign-out"));
    assert_eq!(visitor.get("/dashboard/inbox").await.status, 303);
}

#[tokio::test]
async fn a_template_and_a_file_go_into_a_conversation_by_forms_and_once() {
    let team = Team::new().await;
    let base = team.world.service.base_url();
    let path = format!("/dashboard/inbox/{}", team.conversation);
    let mut visitor = Visitor::signed_in(base, "agent@palm.example").await;

    let choice = visitor.get(&format!("{path}/template")).await;
    assert_eq!(choice.status, 200);
    let hours = "name=\"template\" value=\"store_hours\"><input type=\"hidden\" name=\"language\" value=\"";
    let language = between(&choice.html, hours, "\"").to_owned();
    let fields = [("template", "store_hours"), ("language", language.as_str()), ("key", "hours")];
    for _ in 0..2 {
        let sent = visitor.post(&format!("{path}/template"), &fields).await;
        assert_eq!((sent.status, &sent.location), (303, &path), "{}", sent.html);
    }
    let ready = [("template", "order_ready"), ("language", "ar"), ("key", "ready"), ("value-1", "سارة")];
    let refused = visitor.post(&format!("{path}/template"), &ready).await;
    assert_eq!(refused.status, 422);
    assert!(refused.html.contains("values do not fit"), "{}", refused.html);

    let upload = team.agent.request(Method::POST, "/attachments").query(&[("name", "dress.png")]);
    let upload = Answer::to(upload.body(&b"\x89PNG\r\n\x1a\n a picture of a blue dress"[..])).await;
    let file = [("key", "dress"), ("text", ""), ("attachment", upload.text("/id"))];
    for _ in 0..2 {
        let sent = visitor.post(&format!("{path}/reply"), &file).await;
        assert_eq!((sent.status, &sent.location), (303, &path), "{}", sent.html);
    }
    let sent = team.world.simulator.messages();
    let of = |kind: &str| sent.iter().filter(|message| message["body"]["type"] == kind).count();
    assert_eq!((of("template"), of("image")), (1, 1));
    let page = visitor.get(&path).await;
    let picture = between(&page.html, "<img src=\"/attachments/", "\"").replace("&#38;", "&");
    let shown = visitor.get(&format!("/attachments/{picture}")).await;
    assert_eq!(shown.status, 200, "a picture is shown from where the page is");
}

#[tokio::test]
async fn what_was_sent_under_a_reference_is_found_with_what_became_of_it() {
    let team = Team::new().await;
    let notice = json!({ "to": "07701234567", "template": "store_hours", "reference": "order <1042>" });
    assert_eq!(team.world.api().send(&notice).await.status, 201);
    let found = team.agent.get("/messages?reference=order%20%3C1042%3E").await;
    assert_eq!(found.text("/data/0/reference"), "order <1042>");
    assert_eq!(found.text("/data/0/template/name"), "store_hours");
    team.agent.get("/messages").await.assert_error(400, "no reference");
    team.agent.get(&format!("/messages?reference={}", "a".repeat(129))).await.assert_error(400, "too long");

    let mut visitor = team.owner.visitor();
    let path = "/dashboard/settings/messages";
    assert_eq!(visitor.get(path).await.status, 200);
    let page = visitor.get(&format!("{path}?reference=order%20%3C1042%3E")).await;
    let conversation = found.text("/data/0/conversationId");
    let link = format!("href=\"/dashboard/inbox/{conversation}\"");
    assert!(page.html.contains(&link) && page.html.contains("store_hours"), "{}", page.html);
    let none = visitor.get(&format!("{path}?reference=nothing")).await;
    assert!(none.html.contains("Nothing was found"), "{}", none.html);
}

/// Owners see who is left out of a broadcast, and why.
async fn who_is_left_out(team: &Team, owner: &mut Visitor, agent: &mut Visitor, path: &str) {
    let nobody = owner.get(&format!("{path}/skipped")).await;
    assert!(nobody.status == 200 && nobody.html.contains("Nobody would be left out."), "{}", nobody.html);
    let first = team.agent.get("/contacts?search=zainab").await.text("/rows/0/contact/id").to_owned();
    let stopped = team.agent.put(&format!("/contacts/{first}/marketing"), &json!({ "stopped": true })).await;
    assert_eq!(stopped.status, 204);
    let skipped = owner.get(&format!("{path}/skipped")).await;
    assert_eq!(skipped.html.matches("&#60;b&#62;zainab").count(), 1, "{}", skipped.html);
    assert_eq!(owner.get(&format!("{path}/skipped?cursor=00")).await.status, 400);
    assert_eq!(agent.get(&format!("{path}/skipped")).await.status, 403);
}

/// Lists are pasted, and what messages cost is written down.
async fn lists_and_prices(owner: &mut Visitor) {
    let rows = [("name", "Guests"), ("rows", "phone\tCity\n07801000001\tErbil\n")];
    assert_eq!(owner.post("/dashboard/broadcasts/lists", &rows).await.status, 303);
    // What is no number is told by its row.
    let some =
        [("name", "Others"), ("rows", "phone\tCity\n07801000002\tErbil\nunknowable\tBasra\n12\tBasra\n")];
    let told = owner.post("/dashboard/broadcasts/lists", &some).await;
    assert_eq!(told.status, 200, "{}", told.html);
    assert!(told.html.contains("Refused rows: 2") && told.html.contains("<td>3</td>"), "{}", told.html);
    assert!(told.html.contains("<td>4</td>") && !told.html.contains("unknowable"), "{}", told.html);
    assert!(!told.html.contains("Repeated rows: 0"), "{}", told.html);
    // So is how many came twice, also where nothing else is to be told.
    let twice = [("name", "Twice"), ("rows", "phone\n07801000003\n+9647801000003\n")];
    let told = owner.post("/dashboard/broadcasts/lists", &twice).await;
    assert!(told.status == 200 && told.html.contains("Repeated rows: 1"), "{}", told.html);
    assert!(!told.html.contains("Refused rows: 0"), "{}", told.html);
    let nothing = [("name", "Guests"), ("rows", "city\nErbil\n")];
    let refused = owner.post("/dashboard/broadcasts/lists", &nothing).await;
    assert!(refused.status == 422 && refused.html.contains("first row names"), "{}", refused.html);
    let prices = [("currency", "USD"), ("marketing", "0.0258"), ("utility", "")];
    assert_eq!(owner.post("/dashboard/broadcasts/prices", &prices).await.status, 303);
    let page = owner.get("/dashboard/broadcasts/lists").await.html;
    assert!(page.contains("Guests") && page.contains("City") && page.contains("0.0258"), "{page}");
}

/// Whom an owner ticks in the directory is whom a new broadcast goes to.
async fn ticked_contacts_are_an_audience(team: &Team, owner: &mut Visitor, agent: &mut Visitor) {
    let found = team.agent.get("/contacts?search=zainab").await;
    let (one, other) = (found.text("/rows/0/contact/id"), found.text("/rows/1/contact/id"));
    let fields = [format!("contact-{one}"), format!("contact-{other}")];
    let directory = "/dashboard/contacts?search=zainab";
    let page = owner.get(directory).await.html;
    assert!(fields.iter().all(|field| page.contains(&format!("name=\"{field}\""))), "{page}");
    assert!(!agent.get(directory).await.html.contains("name=\"contact-"), "only owners write broadcasts");
    let begin = owner.get(&format!("/dashboard/broadcasts/new?{}=yes&{}=yes", fields[0], fields[1])).await;
    assert!(begin.html.contains("value=\"chosen\" selected"), "{}", begin.html);
    let kept = |field: &String| begin.html.contains(&format!("name=\"{field}\" value=\"yes\""));
    assert!(fields.iter().all(kept), "{}", begin.html);
    let typed = [
        ("name", "Ticked"),
        ("template", "store_hours"),
        ("list", "chosen"),
        (fields[0].as_str(), "yes"),
        (fields[1].as_str(), "yes"),
    ];
    let added = owner.post("/dashboard/broadcasts/new", &typed).await;
    assert_eq!(added.status, 303, "{}", added.html);
    let id = added.location.trim_start_matches("/dashboard/broadcasts/").trim_end_matches("/content");
    let kept = team.owner.get(&format!("/broadcasts/{id}")).await;
    assert_eq!(kept.body["broadcast"]["audience"], json!({ "contactIds": [one, other] }), "{kept:?}");
    let nobody = owner.post("/dashboard/broadcasts/new", &typed[..3]).await;
    assert_eq!(nobody.status, 422, "{}", nobody.html);
}

/// What was written by the API is still there after a draft went through the forms as they came.
async fn what_the_form_does_not_ask_for_stays(team: &Team, owner: &mut Visitor) {
    let someone = team.agent.get("/contacts?search=zainab").await.text("/rows/0/contact/id").to_owned();
    let field_of_one = format!("contact-{someone}");
    let chosen = json!({ "contactIds": [someone] });
    let tagged = json!({ "filter": { "tag": "VIP", "tags": ["old", "new"] } });
    for (audience, list) in [(&chosen, "chosen"), (&tagged, "")] {
        let written = json!({
            "name": "Hours", "template": "store_hours", "from": NUMBER, "languages": ["ar", "en"],
            "audience": audience,
        });
        let added = team.owner.post("/broadcasts", &written).await;
        assert_eq!(added.status, 201, "{added:?}");
        let path = format!("/dashboard/broadcasts/{}", added.text("/id"));
        let page = owner.get(&format!("{path}/audience")).await.html;
        let is_tagged = list.is_empty();
        assert_eq!(page.contains("value=\"chosen\" selected"), !is_tagged, "{page}");
        assert_eq!(page.contains(&format!("name=\"{field_of_one}\" value=\"yes\"")), !is_tagged, "{page}");
        assert_eq!(page.contains("name=\"tag\""), is_tagged, "{page}");
        let (tag, tags) = if is_tagged { ("VIP", "old, new") } else { ("", "") };
        let typed = [
            (if is_tagged { "search" } else { field_of_one.as_str() }, if is_tagged { "" } else { "yes" }),
            ("name", "Hours"),
            ("template", "store_hours"),
            ("list", list),
            ("tag", tag),
            ("tags", tags),
            ("channel", ""),
            ("source", ""),
            ("group", ""),
            ("activeSince", ""),
            ("activeUntil", ""),
        ];
        assert_eq!(owner.post(&format!("{path}/audience"), &typed).await.status, 303);
        assert_eq!(owner.post(&format!("{path}/content"), &[("language", "")]).await.status, 303);
        let kept = team.owner.get(&format!("/broadcasts/{}", added.text("/id"))).await;
        for field in ["from", "languages", "audience"] {
            assert_eq!(kept.body["broadcast"][field], added.body[field], "{field} {kept:?}");
        }
    }
}

/// The owner's own number gets what the first person would get, once for each form; nothing has begun.
async fn one_is_tried_first(team: &Team, owner: &mut Visitor, agent: &mut Visitor, path: &str) {
    let (preview, trial) = (format!("{path}/preview"), format!("{path}/try"));
    let key = field(&owner.get(&preview).await.html, "key").to_owned();
    assert_eq!(agent.post(&trial, &[("to", "+9647809999999"), ("key", &key)]).await.status, 403);
    let wrong = owner.post(&trial, &[("to", "nobody"), ("key", &key)]).await;
    assert!(wrong.status == 422 && wrong.html.contains("value=\"nobody\""), "{}", wrong.html);
    for _ in 0..2 {
        let sent = owner.post(&trial, &[("to", "0780 999 9999"), ("key", &key)]).await;
        assert_eq!((sent.status, &sent.location), (303, &preview), "{}", sent.html);
    }
    let told = owner.get(&preview).await;
    assert!(told.html.contains("Sent to <bdi dir=\"ltr\">+9647809999999</bdi>"), "{}", told.html);
    assert_ne!(field(&told.html, "key"), key, "the next one is another message");
    let sent = team.world.control(Method::GET, "messages", &json!({})).await;
    let theirs = |message: &&Value| message["body"]["to"] == json!("9647809999999");
    assert_eq!(sent["data"].as_array().unwrap().iter().filter(theirs).count(), 1, "once: {sent}");
}

#[tokio::test]
async fn an_owner_writes_looks_at_starts_and_follows_a_broadcast_without_a_script() {
    let team = Team::new().await;
    let base = team.world.service.base_url();
    for index in 0..3 {
        let phone = format!("+964780{:07}", 2_000_000 + index);
        team.owner
            .post("/contacts", &json!({ "phone": phone, "name": format!("<b>zainab</b> {index}") }))
            .await;
    }
    let mut owner = Visitor::signed_in(base, "owner@palm.example").await;
    let mut agent = Visitor::signed_in(base, "agent@palm.example").await;
    assert_eq!(agent.get("/dashboard/broadcasts/new").await.status, 403);
    let begin = owner.get("/dashboard/broadcasts/new").await;
    assert!(
        begin.html.contains("value=\"new_season\"") && !begin.html.contains("login_code"),
        "{}",
        begin.html
    );

    // To whom. What is not taken comes back as it was typed.
    let audience = [
        ("name", "Season"),
        ("template", "new_season"),
        ("list", ""),
        ("search", "zainab"),
        ("tags", ""),
        ("channel", ""),
        ("source", "import"),
        ("group", ""),
        ("activeSince", ""),
        ("activeUntil", ""),
    ];
    let mut blank = audience;
    blank[0].1 = " ";
    let refused = owner.post("/dashboard/broadcasts/new", &blank).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.html.contains("role=\"alert\"") && refused.html.contains("value=\"zainab\""),
        "{}",
        refused.html
    );
    let added = owner.post("/dashboard/broadcasts/new", &audience).await;
    assert_eq!(added.status, 303, "{}", added.html);
    let content = added.location.clone();
    let path = content.strip_suffix("/content").unwrap().to_owned();

    // What it says.
    let page = owner.get(&content).await;
    let asked = ["name=\"source-1\"", "name=\"header\""];
    assert!(asked.iter().all(|field| page.html.contains(field)), "{}", page.html);
    let says = [
        ("label-1", field(&page.html, "label-1")),
        ("source-1", "name"),
        ("text-1", ""),
        ("header", "https://shop.example/season.jpg"),
        ("language", ""),
        ("quiet-from", ""),
        ("quiet-to", ""),
        ("quiet-zone", "Asia/Baghdad"),
    ];
    let written = owner.post(&content, &says).await;
    assert_eq!((written.status, written.location), (303, format!("{path}/preview")), "{}", written.html);
    let preview = owner.get(&format!("{path}/preview")).await;
    let escaped = preview.html.contains("&#60;b&#62;zainab&#60;/b&#62; 1");
    assert!(escaped && !preview.html.contains("<b>zainab"), "{}", preview.html);
    who_is_left_out(&team, &mut owner, &mut agent, &path).await;
    assert!(preview.html.contains(">Start now: 3 people</button>"), "{}", preview.html);
    one_is_tried_first(&team, &mut owner, &mut agent, &path).await;

    // When.
    let wrong = owner.post(&format!("{path}/start"), &[("at", "tomorrow"), ("zone", "Asia/Baghdad")]).await;
    assert_eq!(wrong.status, 422);
    let at = [("at", "2999-01-01T10:00"), ("zone", "Asia/Baghdad")];
    let scheduled = owner.post(&format!("{path}/start"), &at).await;
    assert_eq!((scheduled.status, &scheduled.location), (303, &path));
    let page = owner.get(&path).await.html;
    assert!(page.contains("2999-01-01 10:00 +03:00"), "{page}");
    assert!(page.contains(&format!("href=\"{path}/preview\"")), "another time can be chosen: {page}");
    let started = owner.post(&format!("{path}/start"), &[]).await;
    assert_eq!((started.status, &started.location), (303, &path), "{}", started.html);
    let page = eventually("its end", async || {
        let request = agent.client.request(Method::GET, format!("{base}{path}"));
        let answer = request.header("cookie", &agent.cookie).send().await.unwrap();
        Some(answer.text().await.unwrap())
            .filter(|html| html.contains("class=\"delivered\"") || html.contains("class=\"read\""))
    })
    .await;
    assert!(page.contains("<svg class=\"chart\"") && page.contains("data-live"), "{page}");
    // An agent follows it, and does nothing to it.
    assert!(!page.contains("/moves"), "{page}");
    assert_eq!(agent.post(&format!("{path}/moves"), &[("do", "cancel")]).await.status, 403);
    let people = agent.get(&format!("{path}/people?state=sent")).await;
    assert!(people.html.contains("+9647802000001") && !people.html.contains("/export"), "{}", people.html);
    assert!(
        owner.get(&format!("{path}/people?state=failed&reason=")).await.html.contains("/export?state=failed")
    );
    let late = owner.post(&format!("{path}/moves"), &[("do", "pause")]).await;
    assert!(late.status == 422 && late.html.contains(&format!("data-here=\"{path}\"")), "{}", late.html);
    assert!(late.html.contains("started or ended meanwhile"), "{}", late.html);
    assert!(owner.get("/dashboard/broadcasts").await.html.contains("Season"));

    ticked_contacts_are_an_audience(&team, &mut owner, &mut agent).await;
    what_the_form_does_not_ask_for_stays(&team, &mut owner).await;

    lists_and_prices(&mut owner).await;
    assert_eq!(owner.get("/dashboard/broadcasts/0192f0c1-7a00-7000-8000-0000000000ff").await.status, 404);
}
