//! A member's session at the dashboard.

use anyhow::{Context, ensure};
use reqwest::{Client, header::SET_COOKIE};
use serde_json::json;

use crate::machine::Service;

const PASSWORD: &str = "a long password of the bench";

/// Accepts the invitation that the operator's command printed; returns the session's cookie header.
pub(crate) async fn begun(client: &Client, service: &Service, invited: &str) -> anyhow::Result<String> {
    let link = invited.lines().find(|line| line.contains("/dashboard/")).context("no link")?;
    let (_, token) = link.split_once('#').context("the link carries nothing")?;
    let body = json!({ "token": token.trim(), "name": "نور", "password": PASSWORD });
    let address = format!("http://{}/dashboard/api/invitations/accept", service.address);
    let accepted = client.post(address).header("x-dashboard", "1").json(&body).send().await?;
    ensure!(accepted.status().is_success(), "the invitation was not accepted: {}", accepted.status());
    let cookie = accepted.headers().get(SET_COOKIE).context("no cookie")?.to_str()?;
    Ok(cookie.split(';').next().unwrap_or_default().to_owned())
}
