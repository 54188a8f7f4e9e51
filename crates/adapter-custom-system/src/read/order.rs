//! Orders.

use domain::{
    catalogue::{LONGEST_TITLE, Money},
    orders::{LookedUpOrder, MAX_ORDER_LINES, Order, OrderLine, OrderStatus},
    systems::Why,
};
use serde_json::value::RawValue;

use crate::json::{
    Node, Object,
    values::{currency, id, integer, link, money, string, text, time},
};

const ORDER: [&str; 9] =
    ["id", "number", "status", "total", "customerPhone", "currency", "placedAt", "trackingUrl", "lines"];

/// `POST /orders`: the order that was placed.
pub(crate) fn order(node: &Node<'_, '_>) -> Option<Order> {
    of(&node.object(&ORDER)?)
}

/// `GET /orders/{reference}`, with the number that it was placed under. Null says that there is none; a system that does
/// not say is noted, for nobody will be shown its orders.
pub(crate) fn looked_up(node: &Node<'_, '_>) -> Option<LookedUpOrder> {
    let members = node.object(&ORDER)?;
    let order = of(&members);
    if members.any_node("customerPhone").is_none() {
        members.missing("customerPhone");
    }
    let phone = members.optional("customerPhone", string);
    Some(LookedUpOrder::new(order?, phone))
}

/// `POST /orders/{reference}/cancel`: the order as it stands then, where the answer holds it, alone or as `order`.
/// Whatever else is said, the order has been cancelled.
pub(crate) fn cancelled(node: &Node<'_, '_>) -> Option<Order> {
    let members = node.object(&["order", "id"])?;
    match (members.optional_node("order"), members.optional_node("id")) {
        (Some(inner), _) => order(&inner),
        (None, Some(_)) => order(node),
        (None, None) => None,
    }
}

fn of(members: &Object<'_, '_>) -> Option<Order> {
    let (id, number) = (members.required("id", id), members.required("number", id));
    let status = members.required("status", string);
    let total = members.required("total", money);
    let lines =
        members.optional_node("lines").and_then(|lines| lines.items(MAX_ORDER_LINES, |item| line(&item)));
    Some(Order {
        currency: members.optional("currency", currency),
        placed_at: members.optional("placedAt", time),
        tracking: members.optional("trackingUrl", link),
        lines: lines.unwrap_or_default(),
        id: id?,
        number: number?,
        status: OrderStatus::read(&status?),
        total: total?,
    })
}

fn line(node: &Node<'_, '_>) -> Option<OrderLine> {
    let members = node.object(&["title", "quantity", "price"])?;
    let title = members.required("title", text(LONGEST_TITLE));
    let quantity = members.required("quantity", quantity);
    let price: Option<Money> = members.required("price", money);
    Some(OrderLine { title: title?, quantity: quantity?, price: price? })
}

fn quantity(raw: &RawValue) -> Result<u32, Why> {
    u32::try_from(integer(raw)?).map_err(|_| Why::NotAllowed)
}
