//! Dialog of the network's sign-up, and the exchange of its code for a token.

use actix_web::http::header::{ContentType, LOCATION};
use actix_web::{HttpRequest, HttpResponse};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use url::Url;

use super::call::Call;
use super::error::GraphError;
use crate::core::Core;

/// Answers `GET /dialog/oauth`: a page with a link that agrees and one that does not. With `choice` it
/// answers as the link would.
pub(super) fn dialog(core: &Core, call: &Call) -> HttpResponse {
    let text = |name: &str| call.query.get(name).map(String::as_str).unwrap_or_default();
    let back = Url::parse(text("redirect_uri")).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(back) =
        back.filter(|_| text("client_id") == core.config.app_id && !text("config_id").is_empty())
    else {
        return GraphError::parameter("Invalid client_id, config_id or redirect_uri").response(&core.ids);
    };
    let mut agreed = back.clone();
    if text("choice") == "agree" {
        let issued = core.world().code(&core.ids.object(), back.as_str());
        agreed.query_pairs_mut().append_pair("code", &issued).append_pair("state", text("state"));
        return HttpResponse::Found().insert_header((LOCATION, agreed.as_str())).finish();
    }
    let mut denied = back;
    denied
        .query_pairs_mut()
        .append_pair("error", "access_denied")
        .append_pair("error_reason", "user_denied")
        .append_pair("error_description", "Permissions error")
        .append_pair("state", text("state"));
    if text("choice") == "deny" {
        return HttpResponse::Found().insert_header((LOCATION, denied.as_str())).finish();
    }
    let html = "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">\
                <link rel=\"icon\" href=\"data:,\">\
                <title>Simulated sign-up</title><h1>Simulated sign-up</h1>\
                <p>Give the app what this business has?</p>";
    let here = |choice: &str| {
        let query: Vec<(&str, &str)> =
            call.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(query).append_pair("choice", choice);
        form.finish().replace('&', "&amp;")
    };
    let links = format!(
        "<p><a href=\"?{}\">Agree</a> <a href=\"?{}\">Cancel</a></p></html>",
        here("agree"),
        here("deny")
    );
    HttpResponse::Ok().content_type(ContentType::html()).body(format!("{html}{links}"))
}

/// Answers `GET /oauth/access_token`: the token for a code, once, to the address that the code was issued
/// for.
pub(super) fn exchange(core: &Core, request: &HttpRequest, call: &Call) -> HttpResponse {
    match exchanged(core, call) {
        Ok(answer) if request.method() == actix_web::http::Method::GET => HttpResponse::Ok().json(answer),
        Ok(_) => GraphError::missing_object(call.method.as_str(), "oauth").response(&core.ids),
        Err(error) => error.response(&core.ids),
    }
}

fn exchanged(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let text = |name: &str| call.query.get(name).map(String::as_str).unwrap_or_default();
    if text("client_id") != core.config.app_id
        || text("client_secret") != core.config.app_secret.expose_secret()
    {
        return Err(GraphError::of(1).with_title("Error validating client secret.").with_status(400));
    }
    let spent = || {
        let title = "This authorization code has been used.";
        GraphError::of(100).with_title(title).with_subcode(36_009).with_status(400)
    };
    let given_to = core.world().spend_code(text("code")).ok_or_else(spent)?;
    if given_to != text("redirect_uri") {
        let title = "Error validating verification code. Please make sure your redirect_uri is identical";
        return Err(GraphError::of(100).with_title(title).with_subcode(36_008).with_status(400));
    }
    // The business has one system user, who sees what the first token sees.
    let first = core.config.accounts.first().map(|account| &account.token);
    let token = first.or_else(|| core.config.pages.first().map(|page| &page.token)).ok_or_else(spent)?;
    Ok(json!({ "access_token": token.expose_secret(), "token_type": "bearer" }))
}
