//! What is wrong with a form is said in its reader's language, and what was typed is still there.

use serde_json::json;

use crate::{
    life::Team,
    support::{PASSWORD, Visitor},
};

/// An owner who reads Arabic.
async fn owner(team: &Team) -> Visitor {
    let mut owner = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let chosen = owner.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    assert_eq!(chosen.status, 303, "{}", chosen.html);
    owner
}

/// Posts what is refused: the page says this, and has all of that.
async fn refused(owner: &mut Visitor, path: &str, fields: &[(&str, &str)], said: &str, kept: &[&str]) {
    let refused = owner.post(path, fields).await;
    assert_eq!(refused.status, 422, "{path} {fields:?}: {}", refused.html);
    for part in kept.iter().chain([&said]) {
        assert!(refused.html.contains(part), "{path} {fields:?}: no {part} in {}", refused.html);
    }
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
    refused(&mut owner, "/dashboard/broadcasts/new", &blank, "للاسم من 1 إلى 100 حرف", &["zainab"]).await;

    let content = format!("{path}/content");
    let half = [("quiet-from", "21:00"), ("quiet-to", ""), ("quiet-zone", "Asia/Basra"), ("spread", "yes")];
    let kept = ["value=\"21:00\"", "value=\"Asia/Basra\"", "value=\"yes\" checked"];
    refused(&mut owner, &content, &half, "لساعات الهدوء بداية ونهاية", &kept).await;
    let nowhere = [("quiet-from", "21:00"), ("quiet-to", "08:00"), ("quiet-zone", "Asia/Basra")];
    refused(&mut owner, &content, &nowhere, "لا توجد منطقة زمنية كهذه", &kept[..2]).await;
    let same = [("quiet-from", "08:00"), ("quiet-to", "08:00"), ("quiet-zone", "Asia/Baghdad")];
    refused(&mut owner, &content, &same, "وقتان مختلفان", &["value=\"08:00\""]).await;
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
    refused(&mut owner, &start, &elsewhere, "لا توجد منطقة زمنية كهذه", &kept).await;
    let never = [("at", "never"), ("zone", "Asia/Baghdad")];
    refused(&mut owner, &start, &never, "اكتب يوماً ووقتاً للبدء", &["value=\"never\""]).await;

    let prices = [("currency", "dinar"), ("marketing", "0.5"), ("utility", "")];
    let kept = ["value=\"dinar\"", "value=\"0.5\""];
    refused(&mut owner, "/dashboard/broadcasts/prices", &prices, "العملة ثلاثة أحرف لاتينية", &kept).await;
    let arabic = [("currency", "IQD"), ("marketing", "٠٫٥"), ("utility", "")];
    assert_eq!(owner.post("/dashboard/broadcasts/prices", &arabic).await.status, 303);
    let kept = team.owner.get("/broadcast-prices").await;
    assert_eq!(kept.body["prices"]["marketing"], "0.5", "{kept:?}");
    let rows = [("name", "Guests"), ("rows", "city\nErbil\n")];
    refused(&mut owner, "/dashboard/broadcasts/lists", &rows, "الصف الأول يسمّي الأعمدة", &["Erbil"]).await;

    // People are chosen by reasons in words, and the code of one that was followed stays among them.
    let people = owner.get(&format!("{path}/people?reason=131026")).await;
    assert!(people.html.contains("value=\"131026\" selected>لا يمكن إيصالها"), "{}", people.html);
    assert!(people.html.contains("value=\"no_name\">اسمهم غير معروف"), "{}", people.html);
}

#[tokio::test]
async fn every_other_form_says_what_is_wrong_with_it() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let settings = "/dashboard/settings";
    let address = [("url", "http://10.0.0.1/events"), ("lead.captured", "on")];
    let none = [("url", "https://shop.example/events")];
    let conversation = format!("/dashboard/inbox/{}", team.conversation);
    let long = "x".repeat(201);
    for (path, fields, said, kept) in [
        (format!("{settings}/keys"), &[("label", "Web shop")][..], "اختر شيئاً واحداً على الأقل", "Web shop"),
        (format!("{settings}/webhooks"), &none[..], "اختر", "https://shop.example/events"),
        (
            format!("{settings}/webhooks"),
            &address[..],
            "لا يجوز الاتصال بهذا العنوان",
            "http://10.0.0.1/events",
        ),
        (
            format!("{settings}/team/invitations"),
            &[("email", "nobody"), ("role", "agent")][..],
            "هذا ليس بريداً إلكترونياً",
            "value=\"nobody\"",
        ),
        (format!("{settings}/team/groups"), &[("name", " ")][..], "للمجموعة اسم", ""),
        (
            "/dashboard/canned-replies".to_owned(),
            &[("shortcut", "two words"), ("text", "Hello")][..],
            "الاختصار كلمة واحدة",
            "two words",
        ),
        (format!("{conversation}/notes"), &[("text", " ")][..], "للملاحظة من 1", ""),
        (format!("{conversation}/tags"), &[("add", long.as_str())][..], "للوسم من 1", long.as_str()),
        (format!("{conversation}/name"), &[("name", long.as_str())][..], "للاسم من 1 إلى 200", long.as_str()),
        ("/dashboard/profile".to_owned(), &[("do", "rename"), ("name", "")][..], "200 حرف", ""),
        (
            "/dashboard/profile".to_owned(),
            &[("do", "password"), ("current", PASSWORD), ("new", "short")][..],
            "أقل من عشرة أحرف",
            "aria-invalid=\"true\"",
        ),
    ] {
        refused(&mut owner, &path, fields, said, &[kept]).await;
    }
}

#[tokio::test]
async fn a_search_without_a_letter_says_so() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let searched = owner.get("/dashboard/messages?search=%3F%21").await;
    assert_eq!(searched.status, 422, "{}", searched.html);
    assert!(searched.html.contains("اكتب كلمة فيها حرف أو رقم"), "{}", searched.html);
}

#[tokio::test]
async fn a_wrong_code_leaves_the_second_factor_that_was_offered() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let offer = [("do", "offer"), ("current", PASSWORD)];
    assert_eq!(owner.post("/dashboard/profile", &offer).await.status, 200);
    let wrong = [("do", "confirm"), ("code", "12")];
    refused(&mut owner, "/dashboard/profile", &wrong, "الرمز خاطئ", &["name=\"code\"", "value=\"confirm\""])
        .await;
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
