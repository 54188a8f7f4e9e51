//! Customers' records, and customers made of leads.

use domain::{
    external_id::ExternalId,
    systems::{CustomerRecord, FieldValue, LONGEST_FIELD, LONGEST_LABEL, MAX_FIELDS, Why},
    text::PlainText,
};

use crate::json::{
    Node,
    values::{boolean, id, number, string, text},
};

/// Longest number, in characters, that is repeated to a customer.
const LONGEST_NUMBER: usize = 40;

/// Answer to the question for a customer.
pub(crate) enum Lookup {
    Known(CustomerRecord),
    Unknown,
}

impl From<Lookup> for Option<CustomerRecord> {
    fn from(lookup: Lookup) -> Self {
        match lookup {
            Lookup::Known(record) => Some(record),
            Lookup::Unknown => None,
        }
    }
}

/// Reads `GET /customers/lookup`. Null means that the system does not know the customer; an answer without
/// `customer` cannot be used.
pub(crate) fn record(node: &Node<'_, '_>) -> Option<Lookup> {
    let [customer] = node.fields(["customer"])?;
    let Some(customer) = customer.any_node() else {
        customer.missing();
        return None;
    };
    if customer.is_null() {
        return Some(Lookup::Unknown);
    }
    let [own_id, name, fields] = customer.fields(["id", "name", "fields"])?;
    let fields = fields.node().and_then(|fields| fields.members(MAX_FIELDS, field));
    Some(Lookup::Known(CustomerRecord {
        id: own_id.optional(id),
        name: name.optional(text(LONGEST_LABEL)),
        fields: fields.unwrap_or_default(),
    }))
}

/// Reads a field; it is left out if its label shows nothing, and cut if its text is too long.
fn field(label: &str, node: Node<'_, '_>) -> Option<(PlainText, FieldValue)> {
    let Some(label) = PlainText::read(label, LONGEST_LABEL) else {
        node.note(Why::NotAllowed);
        return None;
    };
    if node.is_null() {
        return Some((label, FieldValue::Null));
    }
    let cut = |written: &str| match PlainText::read_whole(written, LONGEST_FIELD) {
        Some((text, whole)) => {
            if !whole {
                node.note(Why::TooLong);
            }
            Some(text)
        }
        None => None,
    };
    let value = node.value(|value| {
        if let Ok(written) = number(value) {
            let short = written.len() <= LONGEST_NUMBER;
            return if short { Ok(FieldValue::Number(written.to_owned())) } else { Err(Why::NotAllowed) };
        }
        boolean(value).map(FieldValue::Bool).or_else(|_| Ok(FieldValue::Text(cut(&string(value)?))))
    });
    Some((label, value?))
}

/// Reads `POST /customers`: the id of the customer that the lead became. The lead has arrived whatever else
/// the answer says.
pub(crate) fn lead(node: &Node<'_, '_>) -> Option<ExternalId> {
    let [customer] = node.fields(["customer"])?;
    let customer = customer.node()?;
    let [own_id] = customer.fields(["id"])?;
    own_id.required(id)
}
