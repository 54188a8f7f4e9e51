//! What people call themselves (Graph API reference, F.3).

use async_trait::async_trait;
use domain::{
    channels::ports::NetworkError,
    contacts::{
        Identity,
        ports::{NetworkProfiles, Profile},
    },
};
use graph_client::webhook;
use secrecy::SecretString;
use serde_json::Value;

use crate::{PageNetwork, failure};

#[async_trait]
impl NetworkProfiles for PageNetwork {
    async fn profile(&self, person: &Identity, token: &SecretString) -> Result<Profile, NetworkError> {
        let (id, fields) = match person {
            Identity::MessengerUser(id) => (id, "first_name,last_name,profile_pic"),
            Identity::InstagramUser(id) => (id, "name,username,profile_pic"),
            Identity::Phone(_) | Identity::WhatsappUser(_) => return Ok(Profile::default()),
        };
        let row: Value =
            self.graph.get(id, &[("fields", fields)], token).await.map_err(failure::of_question)?;
        Ok(profile(&row))
    }
}

/// The name in one piece or in two, else the user name.
fn profile(row: &Value) -> Profile {
    let text = |name: &str| webhook::text(row.get(name));
    let parts: Vec<String> = [text("first_name"), text("last_name")].into_iter().flatten().collect();
    let joined = (!parts.is_empty()).then(|| parts.join(" "));
    Profile {
        name: joined.or_else(|| text("name")).or_else(|| text("username")),
        avatar_url: text("profile_pic").filter(|url| url.starts_with("https://")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Profile, profile};

    #[test]
    fn a_name_comes_in_one_piece_in_two_or_not_at_all() {
        let picture = "https://platform-lookaside.fbsbx.com/p";
        for (row, name, avatar_url) in [
            (
                json!({ "first_name": "Sara", "last_name": "K", "profile_pic": picture }),
                Some("Sara K"),
                Some(picture),
            ),
            (json!({ "first_name": "Sara", "last_name": "" }), Some("Sara"), None),
            (json!({ "name": "Sara K", "username": "sara.k", "profile_pic": null }), Some("Sara K"), None),
            (
                json!({ "name": null, "username": "sara.k", "profile_pic": "javascript:1" }),
                Some("sara.k"),
                None,
            ),
            (json!({ "id": "1" }), None, None),
            (Value::Null, None, None),
        ] {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            assert_eq!(profile(&row), Profile { name: owned(name), avatar_url: owned(avatar_url) }, "{row}");
        }
    }
}
