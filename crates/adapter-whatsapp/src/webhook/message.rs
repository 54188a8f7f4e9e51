//! What a customer wrote, kept as it came.

use domain::inbound::AsWritten;
use serde_json::{Value, json};

/// The message with the one who wrote it and the number it was written to, as on the wire. `of` is how many
/// messages came with these contacts.
pub(super) fn written(message: &Value, of: usize, contacts: &[Value], metadata: Option<&Value>) -> AsWritten {
    let contact = contact(message, of, contacts);
    AsWritten(json!({ "message": message, "contact": contact, "metadata": metadata }).to_string())
}

/// Who wrote: by number, else by user id, else the only contact of the only message.
fn contact<'a>(message: &Value, of: usize, contacts: &'a [Value]) -> Option<&'a Value> {
    let same = |ours: &str, theirs: &str| {
        let wanted = id(message, ours);
        contacts.iter().find(|contact| wanted.is_some() && id(contact, theirs) == wanted)
    };
    let only = || contacts.first().filter(|_| of == 1 && contacts.len() == 1);
    same("from", "wa_id").or_else(|| same("from_user_id", "user_id")).or_else(only)
}

/// An id without the plus sign that some samples write before numbers.
fn id<'a>(holder: &'a Value, name: &str) -> Option<&'a str> {
    let id = holder.get(name)?.as_str()?.trim_start_matches('+');
    (!id.is_empty()).then_some(id)
}
