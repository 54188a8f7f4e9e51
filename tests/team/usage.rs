//! What a workspace used, day by day.

use serde_json::json;

use crate::life::Team;

#[tokio::test]
async fn an_owner_sees_what_was_used_today_and_a_chart_of_it() {
    let team = Team::new().await;
    let path = format!("/conversations/{}/messages", team.conversation);
    assert_eq!(team.agent.post(&path, &json!({ "text": "نعم، متوفر" })).await.status, 201);
    let notice = json!({ "to": "07709999999", "template": "store_hours" });
    assert_eq!(team.world.api().send(&notice).await.status, 201);
    let mut visitor = team.owner.visitor();
    let page = visitor.get("/dashboard/settings/usage?days=1").await.html;
    let (_, rows) = page.split_once("<tbody>").unwrap();
    let (_, today) = rows.split("</tbody>").next().unwrap().split_once("</td><td>").unwrap();
    // What was received and sent, templates with their category, active customers; and no other day.
    assert!(today.starts_with("1</td><td>2</td><td>1 · "), "{page}");
    assert!(today.trim_end().ends_with("</td><td>2</td></tr>") && !today.contains("<tr>"), "{page}");
    for wrong in ["days=0", "days=397", "days=all"] {
        assert_eq!(visitor.get(&format!("/dashboard/settings/usage?{wrong}")).await.status, 400, "{wrong}");
    }
    let page = visitor.get("/dashboard/settings/usage?days=90").await;
    assert!(page.status == 200 && page.html.contains("class=\"bars\""), "{}", page.html);
    assert!(page.html.contains("2 active customers"), "{}", page.html);
    visitor.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    let page = visitor.get("/dashboard/settings/usage").await.html;
    assert!(page.contains("زبونان نشطان"), "{page}");
    assert!(!page.contains("<td>202"), "a day is told in words: {page}");
}
