//! Names of people (docs/run/networks.md, "Names of people").

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
        let picture = |url: &String| self.graph.may_be_shown(url);
        Ok(Profile { avatar_url: webhook::text(row.get("profile_pic")).filter(picture), name: name(&row) })
    }
}

/// Returns the name in one piece or in two, else the user name.
fn name(row: &Value) -> Option<String> {
    let text = |name: &str| webhook::text(row.get(name));
    let parts: Vec<String> = [text("first_name"), text("last_name")].into_iter().flatten().collect();
    let joined = (!parts.is_empty()).then(|| parts.join(" "));
    joined.or_else(|| text("name")).or_else(|| text("username"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::name;

    #[test]
    fn a_name_comes_in_one_piece_in_two_or_not_at_all() {
        for (row, wanted) in [
            (json!({ "first_name": "Sara", "last_name": "K" }), Some("Sara K")),
            (json!({ "first_name": "Sara", "last_name": "" }), Some("Sara")),
            (json!({ "name": "Sara K", "username": "sara.k" }), Some("Sara K")),
            (json!({ "name": null, "username": "sara.k" }), Some("sara.k")),
            (json!({ "id": "1" }), None),
            (Value::Null, None),
        ] {
            assert_eq!(name(&row).as_deref(), wanted, "{row}");
        }
    }
}
