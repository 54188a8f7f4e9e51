//! What a customer does next.

use crate::chat::Act;

/// Next step of a customer.
#[derive(Debug, Default)]
pub(crate) struct Next {
    /// Id and new price of an item that the shop changes before.
    pub(crate) meanwhile: Option<(String, u64)>,
    /// Acts in this order; none once the customer has what they came for.
    pub(crate) acts: Vec<Act>,
}
