//! Introduction of a system.

use domain::systems::{Capabilities, Introduction, Why};

use crate::json::{
    Node,
    values::{currency, string, text},
};

const LONGEST_NAME: usize = 200;
const MOST_CAPABILITIES: usize = 50;

/// Reads `GET /verify`. Without requiring a name and a currency, anything that answers JSON would pass for a
/// system. A system that declares no capabilities is of the contract's first version; unknown ones are
/// ignored.
pub(crate) fn introduction(node: &Node<'_, '_>) -> Option<Introduction> {
    let [name, code, capabilities] = node.fields(["name", "currency", "capabilities"])?;
    let name = name.required(text(LONGEST_NAME));
    let currency = code.required(currency);
    let capabilities = match capabilities.optional_node() {
        Some(declared) => declared.items(MOST_CAPABILITIES, |item| {
            item.value(|value| string(value)?.trim().parse().map_err(|_| Why::NotAllowed))
        }),
        None => Some(Capabilities::of_version_1().iter().collect()),
    };
    Some(Introduction { name: name?, currency: currency?, capabilities: capabilities?.into_iter().collect() })
}
