//! `/{account}/subscribed_apps`: the app's subscription to an account's webhooks.

use std::sync::Arc;

use serde_json::{Value, json};
use url::Url;

use super::call::Call;
use super::error::GraphError;
use super::pages;
use crate::core::{Core, check_callback};
use crate::webhooks::handshake;
use crate::world::Subscription;

/// Fields of business accounts that an app can subscribe to, as far as the simulator posts them.
const FIELDS: [&str; 12] = [
    "messages",
    "smb_message_echoes",
    "standby",
    "user_preferences",
    "account_update",
    "message_template_status_update",
    "message_template_components_update",
    "message_template_quality_update",
    "template_category_update",
    "phone_number_quality_update",
    "phone_number_name_update",
    "business_capability_update",
];

/// Fields of Instagram accounts that an app can subscribe to, as far as the simulator posts them.
const FIELDS_OF_INSTAGRAM: [&str; 7] = [
    "messages",
    "messaging_postbacks",
    "messaging_seen",
    "message_reactions",
    "message_edit",
    "messaging_referral",
    "standby",
];

/// Answers `GET /{app}/subscriptions`: the fields that the app is subscribed to, for the app's own token
/// alone.
pub(super) fn of_app(core: &Core, call: &Call) -> Result<Value, GraphError> {
    if call.method != "GET" {
        return Err(GraphError::missing_object(call.method.as_str(), call.id()));
    }
    if !call.is_of_app(core) {
        let only = "This method must be called with an app access_token.";
        return Err(GraphError::of(15).with_title(only).with_status(400));
    }
    let withheld = &core.world().withheld.fields;
    let callback = core.app_callback().map(|url| url.to_string());
    let row = |object: &str, fields: &[&str]| {
        let fields = fields.iter().filter(|field| !withheld.contains(**field));
        let fields: Vec<Value> = fields.map(|name| json!({ "name": name, "version": "v25.0" })).collect();
        json!({ "object": object, "callback_url": callback, "active": true, "fields": fields })
    };
    Ok(json!({ "data": [
        row("whatsapp_business_account", &FIELDS),
        row("page", &pages::FIELDS),
        row("instagram", &FIELDS_OF_INSTAGRAM),
    ] }))
}

pub(super) async fn serve(core: &Arc<Core>, call: &Call, method: &str) -> Result<Value, GraphError> {
    let missing = || GraphError::missing_object(method, call.id());
    match method {
        "GET" => {
            let world = core.world();
            let subscribed = world.account(call.id()).ok_or_else(missing)?.subscription.is_some();
            let app = json!({ "whatsapp_business_api_data": {
                "id": core.config.app_id, "link": "https://www.facebook.com/games/?app_id=0", "name": "Simulated app",
            } });
            Ok(json!({ "data": if subscribed { vec![app] } else { Vec::new() } }))
        }
        "POST" => {
            let subscription = Subscription { callback: own_callback(core, call).await? };
            core.world().account_mut(call.id()).ok_or_else(missing)?.subscription = Some(subscription);
            Ok(json!({ "success": true }))
        }
        "DELETE" => {
            core.world().account_mut(call.id()).ok_or_else(missing)?.subscription = None;
            Ok(json!({ "success": true }))
        }
        _ => Err(missing()),
    }
}

/// Returns the account's own callback, if the call names one, after its handshake.
async fn own_callback(core: &Arc<Core>, call: &Call) -> Result<Option<Url>, GraphError> {
    let Some(text) = call.parameter("override_callback_uri") else { return Ok(None) };
    let refused = || {
        let error = GraphError::of(2200);
        error.with_title("Callback verification failed").with_status(400)
    };
    let url = Url::parse(text).ok().filter(|url| check_callback(url).is_ok()).ok_or_else(refused)?;
    let verify_token = call.parameter("verify_token").unwrap_or_default().to_owned();
    let (task, callback) = (Arc::clone(core), url.clone());
    let answer = core.spawn(async move { handshake(&task, callback, &verify_token).await }).await;
    match answer {
        Ok(answer) if answer.get("verified") == Some(&Value::Bool(true)) => Ok(Some(url)),
        _ => Err(refused()),
    }
}
