//! Identity of a person: by number, by user id, or both (docs/run/networks.md, "Who somebody is").

use domain::{contacts::Identity, inbound::Person, phone::PhoneNumber};
use graph_client::webhook;
use serde_json::Value;

/// Longest user id, in bytes: a country, the mark of an enterprise, and 128 signs.
const LONGEST_USER_ID: usize = 160;

/// Fields that name a person.
pub(super) struct Names {
    /// Field of the number; sometimes it contains a user id.
    pub(super) number: &'static str,
    /// Fields of the user id, and of the one that several businesses share.
    pub(super) users: [&'static str; 2],
}

/// User-id fields of a person whom the network itself names.
const USERS: [&str; 2] = ["user_id", "parent_user_id"];

pub(super) const WRITER: Names = Names { number: "from", users: ["from_user_id", "from_parent_user_id"] };
/// Person whom the network itself names.
pub(super) const NAMED: Names = Names { number: "wa_id", users: USERS };
/// Recipient of the business's message.
pub(super) const RECIPIENT: Names = Names { number: "to", users: ["to_user_id", "to_parent_user_id"] };

/// Returns the person that a message names, completed by the contact beside it. `of` is the number of
/// messages that came with these contacts. `None` if it names nobody.
pub(super) fn person(message: &Value, names: &Names, of: usize, contacts: &[Value]) -> Option<Person> {
    let [user, parent] = names.users;
    let mut identities = identities([names.number, user, parent].map(|name| message.get(name)));
    let contact = contact(message, names, of, contacts);
    if let Some(contact) = contact
        && (identities.is_empty() || is_named_by(contact, &identities))
    {
        for identity in of_contact(contact) {
            // A second number would be another spelling of the message's own, and so would a second user id.
            let is_same = |known: &Identity| {
                known.kind() == identity.kind() && known.is_shared() == identity.is_shared()
            };
            if !identities.iter().any(is_same) {
                identities.push(identity);
            }
        }
    }
    identities.sort();
    let profile = contact.and_then(|contact| contact.get("profile"));
    let called = |field: &str| webhook::text(profile?.get(field));
    let name = called("name").or_else(|| called("username"));
    (!identities.is_empty()).then_some(Person { identities, name, avatar_url: None })
}

/// Finds the contact of a message: by number, else by user id, else the only contact of the only message.
fn contact<'a>(message: &Value, names: &Names, of: usize, contacts: &'a [Value]) -> Option<&'a Value> {
    let same = |ours: &str, theirs: &str| {
        let wanted = id(message.get(ours));
        contacts.iter().find(|contact| wanted.is_some() && id(contact.get(theirs)) == wanted)
    };
    let [user, parent] = names.users;
    let only = || contacts.first().filter(|_| of == 1 && contacts.len() == 1);
    same(names.number, "wa_id")
        .or_else(|| same(user, "user_id"))
        .or_else(|| same(parent, "parent_user_id"))
        .or_else(|| same(names.number, "user_id"))
        .or_else(only)
}

fn is_named_by(contact: &Value, identities: &[Identity]) -> bool {
    of_contact(contact).iter().any(|named| identities.contains(named))
}

fn of_contact(contact: &Value) -> Vec<Identity> {
    let [user, parent] = USERS;
    identities(["wa_id", user, parent].map(|name| contact.get(name)))
}

/// Parses the identities in these fields, in their order.
pub(super) fn identities<'a>(fields: impl IntoIterator<Item = Option<&'a Value>>) -> Vec<Identity> {
    let mut identities: Vec<Identity> = Vec::new();
    for identity in fields.into_iter().filter_map(identity) {
        if !identities.contains(&identity) {
            identities.push(identity);
        }
    }
    identities
}

/// Parses a number, with or without the plus sign, or a user id; some senders write one where the other
/// belongs.
fn identity(field: Option<&Value>) -> Option<Identity> {
    let id = id(field)?;
    match PhoneNumber::from_e164(&format!("+{id}")) {
        Ok(phone) => Some(Identity::Phone(phone)),
        Err(_) => is_user_id(id).then(|| Identity::WhatsappUser(id.to_owned())),
    }
}

/// Returns whether this is a user id: `CC.` and letters or digits, or `CC.ENT.` and such.
fn is_user_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    id.len() <= LONGEST_USER_ID
        && id.bytes().all(plain)
        && id.split_once('.').is_some_and(|(country, rest)| !country.is_empty() && !rest.is_empty())
}

/// Returns an id without the plus sign that some samples write before numbers.
fn id(field: Option<&Value>) -> Option<&str> {
    let id = field?.as_str()?.trim_start_matches('+');
    (!id.is_empty()).then_some(id)
}
