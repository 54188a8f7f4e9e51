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
    let days = team.owner.get("/usage/days").await;
    let today = &days.body["rows"][0];
    assert_eq!(
        (&today["received"], &today["sent"], &today["activeCustomers"]),
        (&json!(1), &json!(2), &json!(2)),
        "{days:?}"
    );
    let templates = today["templates"].as_object().unwrap();
    assert_eq!(templates.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 1, "{days:?}");
    assert_eq!(team.owner.get("/usage/days?days=1").await.body["rows"].as_array().unwrap().len(), 1);
    for wrong in ["days=0", "days=397", "days=all"] {
        team.owner.get(&format!("/usage/days?{wrong}")).await.assert_error(400, wrong);
    }
    let mut visitor = team.owner.visitor();
    let page = visitor.get("/dashboard/settings/usage?days=90").await;
    assert!(page.status == 200 && page.html.contains("class=\"bars\""), "{}", page.html);
    assert!(page.html.contains("2 active customers"), "{}", page.html);
    visitor.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    let page = visitor.get("/dashboard/settings/usage").await.html;
    assert!(page.contains("زبونان نشطان"), "{page}");
    assert!(!page.contains(days.text("/rows/0/day")), "a day is told in words: {page}");
}
