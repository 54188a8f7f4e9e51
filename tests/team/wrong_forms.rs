//! What is wrong with a form is said in its reader's language, and what was typed is still there.

use serde_json::json;

use crate::{
    life::Team,
    support::{PASSWORD, Visitor, field},
};

/// An owner who reads Arabic.
async fn owner(team: &Team) -> Visitor {
    let mut owner = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let chosen = owner.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    assert_eq!(chosen.status, 303, "{}", chosen.html);
    owner
}

/// Posts what is refused: the page shows this reason, and all of that.
async fn refused(
    owner: &mut Visitor,
    path: &str,
    fields: &[(&str, &str)],
    said: &str,
    kept: &[&str],
) -> String {
    let refused = owner.post(path, fields).await;
    assert_eq!(refused.status, 422, "{path} {fields:?}: {}", refused.html);
    for part in kept.iter().chain([&said]) {
        assert!(refused.html.contains(part), "{path} {fields:?}: no {part} in {}", refused.html);
    }
    refused.html
}

/// The same, said at this field alone: it is marked, the reason describes it and stands right before it or
/// its line, and it has the focus.
async fn refused_at(
    owner: &mut Visitor,
    path: &str,
    fields: &[(&str, &str)],
    (name, said): (&str, &str),
    kept: &[&str],
) {
    let html = refused(owner, path, fields, said, kept).await;
    is_at(&html, name, said, &format!("{path} {fields:?}"));
}

fn is_at(html: &str, name: &str, said: &str, what: &str) {
    // The style speaks of wrong fields, too.
    let (_, html) = html.split_once("</head>").expect(what);
    assert_eq!(html.matches("aria-invalid").count(), 1, "{what}: one field is wrong: {html}");
    assert_eq!(html.matches("id=\"why\"").count(), 1, "{what}: it is said once: {html}");
    assert_eq!(html.matches(" autofocus").count(), 1, "{what}: one field has the focus: {html}");
    let (before, marked) = html.split_once(" aria-invalid=\"true\">").expect(what);
    let (before, tag) = before.rsplit_once('<').expect(what);
    assert!(tag.contains(&format!("name=\"{name}\"")), "{what}: {tag} is not {name}");
    assert!(tag.contains("aria-describedby=\"why") && tag.contains(" autofocus"), "{what}: {tag}");
    let (above, why) = before.rsplit_once("id=\"why\"").expect(what);
    assert!(why.contains(said), "{what}: {why}");
    assert!(above.rfind("<form") > above.rfind("</form"), "{what}: it stands in the form");
    // What stands in one line with the field stands between them.
    let between = why.split("class=\"line\"").next().unwrap_or(why);
    assert!(
        !between.contains("<input") && !between.contains("<button"),
        "{what}: it stands elsewhere: {why}"
    );
    assert!(marked.contains("</form>"), "{what}");
}

/// The same page with its reason above its form, where it is about no field of it.
fn is_above(html: &str, what: &str) {
    assert!(!html.contains(" aria-invalid"), "{what}: {html}");
    assert_eq!(html.matches("id=\"why\"").count(), 1, "{what}: {html}");
}

#[tokio::test]
async fn a_broadcast_s_forms_say_what_is_wrong_and_keep_what_was_typed() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let written = json!({ "name": "Hours", "template": "store_hours", "audience": { "filter": {} } });
    let added = team.owner.post("/broadcasts", &written).await;
    assert_eq!(added.status, 201, "{added:?}");
    let path = format!("/dashboard/broadcasts/{}", added.text("/id"));

    let blank = [("name", " "), ("template", "store_hours"), ("search", "zainab")];
    let wrong = ("name", "للاسم من 1 إلى 100 حرف");
    refused_at(&mut owner, "/dashboard/broadcasts/new", &blank, wrong, &["zainab"]).await;

    let content = format!("{path}/content");
    let half = [("quiet-from", "21:00"), ("quiet-to", ""), ("quiet-zone", "Asia/Basra"), ("spread", "yes")];
    let kept = ["value=\"21:00\"", "value=\"Asia/Basra\"", "value=\"yes\" checked"];
    refused_at(&mut owner, &content, &half, ("quiet-to", "لساعات الهدوء بداية ونهاية"), &kept).await;
    let nowhere = [("quiet-from", "21:00"), ("quiet-to", "08:00"), ("quiet-zone", "Asia/Basra")];
    let wrong = ("quiet-zone", "لا توجد منطقة زمنية كهذه");
    refused_at(&mut owner, &content, &nowhere, wrong, &kept[..2]).await;
    let same = [("quiet-from", "08:00"), ("quiet-to", "08:00"), ("quiet-zone", "Asia/Baghdad")];
    refused_at(&mut owner, &content, &same, ("quiet-from", "وقتان مختلفان"), &["value=\"08:00\""]).await;
    let kept = team.owner.get(&format!("/broadcasts/{}", added.text("/id"))).await;
    assert!(kept.body["broadcast"]["quiet"].is_null(), "{kept:?}");

    // Hours until the end of a day are taken as their fields show them.
    let midnight = json!({ "zone": "Asia/Baghdad", "hours": ["21:00", "24:00"] });
    let mut until_midnight = written.clone();
    until_midnight["quiet"] = midnight;
    let added = team.owner.post("/broadcasts", &until_midnight).await;
    assert_eq!(added.status, 201, "{added:?}");
    let of_midnight = format!("/dashboard/broadcasts/{}/content", added.text("/id"));
    let shown = owner.get(&of_midnight).await;
    assert!(shown.html.contains("type=\"time\" value=\"00:00\""), "{}", shown.html);
    let taken = [("quiet-from", "21:00"), ("quiet-to", "00:00"), ("quiet-zone", "Asia/Baghdad")];
    assert_eq!(owner.post(&of_midnight, &taken).await.status, 303);

    let start = format!("{path}/start");
    let kept = ["value=\"2999-01-01T10:00\"", "value=\"Asia/Basra\""];
    let elsewhere = [("at", "2999-01-01T10:00"), ("zone", "Asia/Basra")];
    refused_at(&mut owner, &start, &elsewhere, ("zone", "لا توجد منطقة زمنية كهذه"), &kept).await;
    let never = [("at", "never"), ("zone", "Asia/Baghdad")];
    refused_at(&mut owner, &start, &never, ("at", "اكتب يوماً ووقتاً للبدء"), &["value=\"never\""]).await;

    // A year that was mistyped is no start at once.
    let last_year = [("at", "2025-01-01T10:00"), ("zone", "Asia/Baghdad")];
    refused_at(&mut owner, &start, &last_year, ("at", "مضى هذا الوقت"), &["value=\"2025-01-01T10:00\""])
        .await;

    let prices = [("currency", "dinar"), ("marketing", "0.5"), ("utility", "")];
    let kept = ["value=\"dinar\"", "value=\"0.5\""];
    let wrong = ("currency", "العملة ثلاثة أحرف لاتينية");
    refused_at(&mut owner, "/dashboard/broadcasts/prices", &prices, wrong, &kept).await;
    let arabic = [("currency", "IQD"), ("marketing", "٠٫٥"), ("utility", "")];
    assert_eq!(owner.post("/dashboard/broadcasts/prices", &arabic).await.status, 303);
    let kept = team.owner.get("/broadcast-prices").await;
    assert_eq!(kept.body["prices"]["marketing"], "0.5", "{kept:?}");
    let rows = [("name", "Guests"), ("rows", "city\nErbil\n")];
    let wrong = ("rows", "الصف الأول يسمّي الأعمدة");
    refused_at(&mut owner, "/dashboard/broadcasts/lists", &rows, wrong, &["Erbil"]).await;

    // People are chosen by reasons in words, and the code of one that was followed stays among them.
    let people = owner.get(&format!("{path}/people?reason=131026")).await;
    assert!(people.html.contains("value=\"131026\" selected>لا يمكن إيصالها"), "{}", people.html);
    assert!(people.html.contains("value=\"no_name\">اسمهم غير معروف"), "{}", people.html);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of forms")]
async fn an_owner_s_forms_say_at_the_field_what_is_wrong_with_it() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let settings = "/dashboard/settings";
    let address = [("url", "http://10.0.0.1/events"), ("lead.captured", "on")];
    let none = [("url", "https://shop.example/events")];
    let automations = format!("{settings}/automations");
    let mistake =
        [("name", "Prices"), ("began", "on"), ("do-1", "close"), ("do-2", "reply"), ("text-2", " ")];
    let hours = [("has-hours", "on"), ("zone", "Asia/Baghdad"), ("friday-1-opens", "09:00")];
    let assistant = format!("{settings}/assistant");
    let mode = [("mode", "off"), ("languages", "ar"), ("daily-tokens", "1000")];
    let fact = [&mode[..], &[("fact-title-2", "Delivery"), ("fact-text-2", " ")]].concat();
    let tokens = [("mode", "off"), ("languages", "ar"), ("daily-tokens", "many")];
    let worded = [&mode[..], &[("wordings-en", "[greet]\r\nCall 0770")]].concat();
    let acts = [("do", "say"), ("acts", "[\"nothing\"]"), ("evidence", "{}"), ("language", "ar")];
    let unspoken = [("do", "add"), ("text", "Where is it?"), ("expects", "hand_over"), ("must", "here")];
    let draft = [("do", "preview"), ("category", "UTILITY"), ("name", "Not Allowed"), ("language", "ar")];
    let picture =
        [&draft[..2], &[("name", "spring"), ("language", "ar"), ("header", "IMAGE"), ("body", "Hi")]]
            .concat();
    let system = [("do", "connect"), ("base", "ftp://shop.example"), ("secret", "longenough")];
    let secret = [("do", "connect"), ("base", "https://shop.example"), ("secret", " ")];
    for (path, fields, wrong, kept) in [
        (
            format!("{settings}/keys"),
            &[("label", "Web shop")][..],
            ("contacts:read", "اختر شيئاً واحداً على الأقل"),
            "Web shop",
        ),
        (
            format!("{settings}/keys"),
            &[("label", " "), ("messages:send", "on")][..],
            ("label", "اكتب غرض المفتاح"),
            "value=\"on\" checked",
        ),
        (
            format!("{settings}/webhooks"),
            &none[..],
            ("conversation.created", "اختر"),
            "https://shop.example/events",
        ),
        (
            format!("{settings}/webhooks"),
            &address[..],
            ("url", "لا يجوز الاتصال بهذا العنوان"),
            "http://10.0.0.1/events",
        ),
        (
            format!("{settings}/team/invitations"),
            &[("email", "nobody"), ("role", "agent")][..],
            ("email", "هذا ليس بريداً إلكترونياً"),
            "value=\"nobody\"",
        ),
        (
            format!("{settings}/team/invitations"),
            &[("email", "agent@palm.example"), ("role", "agent")][..],
            ("email", "صاحب هذا البريد عضو في الفريق"),
            "value=\"agent@palm.example\"",
        ),
        (format!("{settings}/team/groups"), &[("name", " ")][..], ("name", "للمجموعة اسم"), ""),
        (automations.clone(), &mistake[..], ("text-2", "4096"), "value=\"Prices\""),
        (automations.clone(), &[("name", ""), ("began", "on")][..], ("name", "50"), ""),
        (format!("{automations}/settings"), &hours[..], ("friday-1-opens", ""), "value=\"09:00\""),
        (
            format!("{automations}/settings"),
            &[("idle-close", "soon")][..],
            ("idle-close", ""),
            "value=\"soon\"",
        ),
        (assistant.clone(), &fact[..], ("fact-text-1", ""), "value=\"Delivery\""),
        (assistant.clone(), &tokens[..], ("daily-tokens", ""), "value=\"many\""),
        (assistant.clone(), &worded[..], ("wordings-en", ""), "Call 0770"),
        (format!("{assistant}/try"), &acts[..], ("acts", ""), "nothing"),
        (
            format!("{assistant}/questions"),
            &unspoken[..],
            ("must", "اتركه فارغاً أو توقّع جواباً"),
            "Where is it?",
        ),
        (
            format!("{assistant}/questions"),
            &[("do", "paste"), ("pasted", " ")][..],
            ("pasted", "للسؤال من 1 إلى 500 حرف"),
            "",
        ),
        (format!("{settings}/templates/write"), &draft[..], ("name", ""), "value=\"Not Allowed\""),
        (
            format!("{settings}/templates/write"),
            &picture[..],
            ("attachment", "المثال ملف رفعته"),
            "value=\"spring\"",
        ),
        (format!("{settings}/system"), &system[..], ("base", ""), "ftp://shop.example"),
        (format!("{settings}/system"), &secret[..], ("secret", ""), "https://shop.example"),
        (
            format!("{settings}/channels/accounts"),
            &[("network-id", "none"), ("token", "another")][..],
            ("network-id", "معرّف الحساب"),
            "value=\"none\"",
        ),
        (
            format!("{settings}/workspace"),
            &[("do", "settings"), ("name", "Palm"), ("locale", "ar"), ("region", "Iraq")][..],
            ("region", ""),
            "value=\"Iraq\"",
        ),
    ] {
        refused_at(&mut owner, &path, fields, wrong, &[kept]).await;
    }
}

#[tokio::test]
async fn a_member_s_forms_say_at_the_field_what_is_wrong_with_it() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let conversation = format!("/dashboard/inbox/{}", team.conversation);
    let added = team.owner.post("/contacts", &json!({ "phone": "07801234567" })).await;
    let (long, longest) = ("x".repeat(201), "x".repeat(4097));
    for (path, fields, wrong, kept) in [
        (
            "/dashboard/contacts".to_owned(),
            &[("phone", "12"), ("name", "Sara")][..],
            ("phone", "هذا ليس رقم هاتف ممكناً"),
            "value=\"12\"",
        ),
        ("/dashboard/contacts/import".to_owned(), &[("rows", "")][..], ("rows", ""), ""),
        (
            "/dashboard/canned-replies".to_owned(),
            &[("shortcut", "two words"), ("text", "Hello")][..],
            ("shortcut", "الاختصار كلمة واحدة"),
            "two words",
        ),
        (
            "/dashboard/canned-replies".to_owned(),
            &[("shortcut", "hello"), ("text", " ")][..],
            ("text", "الاختصار كلمة واحدة"),
            "value=\"hello\"",
        ),
        (format!("{conversation}/notes"), &[("text", " ")][..], ("text", "للملاحظة من 1"), ""),
        (format!("{conversation}/tags"), &[("add", long.as_str())][..], ("add", "للوسم من 1"), long.as_str()),
        (
            format!("{conversation}/name"),
            &[("name", long.as_str())][..],
            ("name", "للاسم من 1 إلى 200"),
            long.as_str(),
        ),
        (
            format!("/dashboard/contacts/{}/name", added.text("/id")),
            &[("name", long.as_str())][..],
            ("name", "للاسم من 1 إلى 200"),
            long.as_str(),
        ),
        (
            format!("{conversation}/reply"),
            &[("key", "far-too-long"), ("text", longest.as_str())][..],
            ("text", "4096"),
            "value=\"far-too-long\"",
        ),
        ("/dashboard/profile".to_owned(), &[("do", "rename"), ("name", "")][..], ("name", "200 حرف"), ""),
        (
            "/dashboard/profile".to_owned(),
            &[("do", "password"), ("current", PASSWORD), ("new", "short")][..],
            ("new", "أقل من عشرة أحرف"),
            "",
        ),
        (
            "/dashboard/profile".to_owned(),
            &[("do", "password"), ("current", "another one"), ("new", "long enough now")][..],
            ("current", "كلمة المرور غير صحيحة"),
            "",
        ),
    ] {
        refused_at(&mut owner, &path, fields, wrong, &[kept]).await;
    }
    // Of two fields of one name, it is the one of the form whose button was pressed.
    let offer = [("do", "offer"), ("current", "another one")];
    let html = refused(&mut owner, "/dashboard/profile", &offer, "كلمة المرور غير صحيحة", &[]).await;
    let (_, form) = html.split_once("id=\"why\"").unwrap();
    assert!(form.find("value=\"offer\"") < form.find("</form>"), "{html}");
    assert!(html.find("value=\"password\"") < html.find("id=\"why\""), "{html}");
}

#[tokio::test]
async fn what_belongs_to_no_field_is_said_above_the_form() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let members = team.owner.get("/members").await;
    let rows = members.body["rows"].as_array().unwrap();
    let own = rows.iter().find(|member| member["email"] == "owner@palm.example").unwrap();
    let own = format!("/dashboard/settings/team/members/{}", own["id"].as_str().unwrap());
    for (path, fields, said) in [
        (own.as_str(), &[("do", "agent")][..], "آخر مالك يبقى مالكاً"),
        ("/dashboard/inbox/moves", &[("do", "take")][..], ""),
        ("/dashboard/settings/system", &[("do", "verify"), ("base", "https://x.example")][..], "لا يوجد نظام"),
    ] {
        let html = refused(&mut owner, path, fields, said, &[]).await;
        is_above(&html, path);
    }
    let mut nobody = Visitor::new(team.world.service.base_url());
    let wrong = [("email", "owner@palm.example"), ("password", "another one"), ("next", "/dashboard")];
    let refused = nobody.post("/dashboard/sign-in", &wrong).await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    is_above(&refused.html, "signing in");
}

#[tokio::test]
async fn who_broadcasts_to_those_who_are_ticked_and_has_ticked_nobody_does_not_begin_one_to_everybody() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let begun = owner.get("/dashboard/broadcasts/new?ticked=yes").await;
    assert_eq!(begun.status, 422, "{}", begun.html);
    assert!(begun.html.contains("لم يُحدَّد أحد"), "{}", begun.html);
    let (_, page) = begun.html.split_once("</head>").unwrap();
    is_above(page, "nobody ticked");
    assert!(begun.html.contains("<option value=\"chosen\" selected>"), "{}", begun.html);
    let written = [("name", "Hours"), ("template", "store_hours"), ("list", "chosen")];
    refused(&mut owner, "/dashboard/broadcasts/new", &written, "", &[]).await;
}

#[tokio::test]
async fn the_first_step_of_a_broadcast_that_is_sent_again_after_going_back_changes_the_draft() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let begun = owner.get("/dashboard/broadcasts/new").await;
    let (_, draft) = begun.html.split_once("name=\"draft\" value=\"").unwrap();
    let (draft, _) = draft.split_once('"').unwrap();
    for name in ["Hours", "Hours of Friday"] {
        let written = [("draft", draft), ("name", name), ("template", "store_hours"), ("list", "")];
        let next = owner.post("/dashboard/broadcasts/new", &written).await;
        assert_eq!(next.status, 303, "{}", next.html);
    }
    let listed = team.owner.get("/broadcasts").await;
    let names: Vec<_> = listed.body["rows"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["Hours of Friday"], "{listed:?}");
}

#[tokio::test]
async fn what_was_typed_on_a_step_of_a_broadcast_is_kept_by_going_back() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let written = json!({ "name": "Ready", "template": "order_ready", "audience": { "filter": {} } });
    let path =
        format!("/dashboard/broadcasts/{}", team.owner.post("/broadcasts", &written).await.text("/id"));
    let content = format!("{path}/content");
    let page = owner.get(&content).await;
    assert!(page.html.contains("name=\"do\" value=\"back\" formnovalidate"), "{}", page.html);
    let labels = [field(&page.html, "label-1"), field(&page.html, "label-2")];
    let typed = [
        ("do", "back"),
        ("label-1", labels[0]),
        ("source-1", "text"),
        ("text-1", "زبوننا"),
        ("label-2", labels[1]),
        ("source-2", "text"),
        ("text-2", ""),
        ("spread", "yes"),
        ("quiet-from", "21:00"),
    ];
    let wrong = ("quiet-to", "لساعات الهدوء بداية ونهاية");
    refused_at(&mut owner, &content, &typed, wrong, &["value=\"زبوننا\"", "value=\"21:00\""]).await;
    let back = owner.post(&content, &[&typed[..], &[("quiet-to", "08:00")]].concat()).await;
    assert_eq!((back.status, &back.location), (303, &format!("{path}/audience")), "{}", back.html);
    let page = owner.get(&content).await;
    for kept in ["value=\"زبوننا\"", "value=\"yes\" checked", "value=\"21:00\"", "value=\"08:00\""] {
        assert!(page.html.contains(kept), "{kept}: {}", page.html);
    }
    // By itself the step is still to be finished.
    assert_eq!(owner.post(&content, &typed[1..8]).await.status, 422);

    let start = "?at=2999-01-01T10%3A00&zone=Asia%2FAden";
    let page = owner.get(&format!("{content}{start}")).await;
    let carried = format!("action=\"{content}?at=2999-01-01T10%3A00&#38;zone=Asia%2FAden\"");
    assert!(page.html.contains(&carried), "{}", page.html);
    let back = owner.post(&format!("{content}{start}"), &typed[..8]).await;
    assert_eq!((back.status, &back.location), (303, &format!("{path}/audience{start}")), "{}", back.html);
    let first = [("name", "Ready"), ("template", "order_ready"), ("list", "")];
    let forth = owner.post(&back.location, &first).await;
    assert_eq!((forth.status, &forth.location), (303, &format!("{content}{start}")), "{}", forth.html);
    let preview = owner.get(&format!("{path}/preview{start}")).await;
    for kept in ["value=\"2999-01-01T10:00\"", "value=\"Asia/Aden\""] {
        assert!(preview.html.contains(kept), "{kept}: {}", preview.html);
    }
}

#[tokio::test]
async fn what_speaks_against_a_broadcast_is_said_in_the_reader_s_language_alone() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let nobody = json!({ "search": "nobody is called like this" });
    let written = json!({ "name": "Hours", "template": "store_hours", "audience": { "filter": nobody } });
    let added = team.owner.post("/broadcasts", &written).await;
    let start = format!("/dashboard/broadcasts/{}/start", added.text("/id"));
    let html = refused(&mut owner, &start, &[], "", &[]).await;
    assert!(!html.contains("nobody of the audience"), "{html}");
}

#[tokio::test]
async fn a_message_is_not_found_by_what_is_no_number_and_that_is_said() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let found = owner.get("/dashboard/settings/messages?by=phone&clue=abc").await;
    assert_eq!(found.status, 422, "{}", found.html);
    is_at(&found.html, "clue", "هذا ليس رقم هاتف ممكناً", "no number");
}

#[tokio::test]
async fn a_search_without_a_letter_says_so() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let searched = owner.get("/dashboard/messages?search=%3F%21").await;
    assert_eq!(searched.status, 422, "{}", searched.html);
    is_at(&searched.html, "search", "اكتب كلمة فيها حرف أو رقم", "a search");
}

#[tokio::test]
async fn a_wrong_code_leaves_the_second_factor_that_was_offered() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let offer = [("do", "offer"), ("current", PASSWORD)];
    assert_eq!(owner.post("/dashboard/profile", &offer).await.status, 303);
    let wrong = [("do", "confirm"), ("code", "12")];
    let kept = ["value=\"confirm\"", "ابدأ من جديد بسر آخر"];
    refused_at(&mut owner, "/dashboard/profile", &wrong, ("code", "الرمز خاطئ"), &kept).await;
}

#[tokio::test]
async fn whoever_reads_a_refused_form_in_another_language_comes_back_to_its_page() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    for (path, page) in [
        ("/dashboard/settings/team/groups", "/dashboard/settings/team"),
        ("/dashboard/broadcasts/prices", "/dashboard/broadcasts"),
        ("/dashboard/settings/webhooks", "/dashboard/settings/webhooks"),
    ] {
        let back = format!("name=\"next\" value=\"{page}\"");
        refused(&mut owner, path, &[("name", "")], &back, &[]).await;
    }
}
