//! The network's own sign-up, which the simulator plays: from the page's button to what its code opens.

use adapter_postgres::testing::TestDatabase;
use reqwest::{StatusCode, Url, redirect::Policy};

use super::{Sandbox, phones::by_link};
use crate::support::{Visitor, field, local_client};

const CHANNELS: &str = "/dashboard/settings/channels";
const CLINIC: &str = "102290129340407";

/// Opens the dialog by the page's button and answers it; returns where it leads back to.
async fn answered(visitor: &mut Visitor, simulator: &str, choice: &str) -> String {
    let page = visitor.get(CHANNELS).await.html;
    let button = format!("{CHANNELS}/sign-up");
    assert!(page.contains(&format!("href=\"{button}\"")), "{page}");
    let begun = visitor.get(&button).await;
    assert_eq!(begun.status, 303, "{begun:?}");
    assert!(begun.location.starts_with(&format!("{simulator}/v25.0/dialog/oauth?")), "{}", begun.location);
    let dialog = visitor.client.get(&begun.location).send().await.unwrap();
    assert_eq!(dialog.status(), StatusCode::OK);
    let html = dialog.text().await.unwrap();
    let link =
        html.split('"').find(|part| part.starts_with('?') && part.ends_with(&format!("choice={choice}")));
    let link = link.unwrap_or_else(|| panic!("no link: {html}")).replace("&amp;", "&");
    let link = Url::parse(&begun.location).unwrap().join(&link).unwrap();
    let back = visitor.client.get(link).send().await.unwrap();
    assert_eq!(back.status(), StatusCode::FOUND);
    let back = back.headers()["location"].to_str().unwrap().strip_prefix(&visitor.base).unwrap().to_owned();
    assert!(back.starts_with(&format!("{button}/back?")), "{back}");
    back
}

#[tokio::test]
async fn the_network_s_own_sign_up_leads_from_the_page_s_button_to_what_it_opens() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let client = local_client().redirect(Policy::none()).build().unwrap();
    let owner = by_link(&sandbox, &client, 0).await;
    let mut visitor = Visitor::new(sandbox.text("/baseUrl").trim_end_matches('/'));
    visitor.cookie = owner.cookie.clone().unwrap();
    let simulator = sandbox.text("/network/simulatorUrl");

    let back = answered(&mut visitor, simulator, "deny").await;
    let denied = visitor.get(&back).await;
    assert!(denied.status == 422 && denied.html.contains("role=\"alert\""), "{denied:?}");

    let accounts = owner.get("/accounts").await;
    let rows = accounts.body["rows"].as_array().unwrap();
    let clinic = rows.iter().find(|row| row["networkId"] == CLINIC).unwrap()["id"].as_str().unwrap();
    let path = format!("{CHANNELS}/accounts/{clinic}");
    assert_eq!(visitor.post(&path, &[("do", "disconnect")]).await.status, 303);

    let back = answered(&mut visitor, simulator, "agree").await;
    let opened = visitor.get(&back).await;
    assert!(opened.status == 200 && opened.html.contains("Tigris Clinic"), "{opened:?}");
    let offer = field(&opened.html, "offer").to_owned();
    let ticked = format!("account-{CLINIC}");
    let chosen = visitor
        .post(&format!("{CHANNELS}/choose"), &[("offer", offer.as_str()), (ticked.as_str(), "yes")])
        .await;
    assert_eq!((chosen.status, &*chosen.location), (303, CHANNELS), "{chosen:?}");
    let page = visitor.get(CHANNELS).await.html;
    assert!(page.contains(CLINIC), "it is connected again: {page}");
    assert_eq!(visitor.get(&back).await.status, 422, "a code is taken once");
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}
