//! Orders.

use std::borrow::Cow;

use domain::{
    orders::{LookedUpOrder, MAX_ORDER_LINES, Order, OrderLine, OrderStage, OrderStatus},
    systems::{LONGEST_TITLE, Why},
};

use crate::json::{
    Node, Value,
    values::{currency, id, integer, link, money, number, string, text, time},
};

/// Reads `POST /orders`: the order that was placed.
pub(crate) fn order(node: &Node<'_, '_>) -> Option<Order> {
    let names = ["id", "number", "status", "total", "currency", "placedAt", "trackingUrl", "lines"];
    let [own_id, own_number, status, total, code, placed_at, tracking, lines] = node.fields(names)?;
    let (id, number) = (own_id.required(id), own_number.required(id));
    let status = status.required(string);
    let total = total.required(money);
    let lines = lines.optional_node().and_then(|lines| lines.items(MAX_ORDER_LINES, |item| line(&item)));
    let status = status?;
    Some(Order {
        currency: code.optional(currency),
        placed_at: placed_at.optional(time),
        tracking: tracking.optional(link),
        lines: lines.unwrap_or_default(),
        id: id?,
        number: number?,
        status: OrderStatus::read(&status),
        stage: OrderStage::read(&status),
        total: total?,
    })
}

/// Reads `GET /orders/{reference}`: the order with the number that it was placed under. A null number means
/// that there is none; an absent one is noted, for nobody will be shown the system's orders.
pub(crate) fn looked_up(node: &Node<'_, '_>) -> Option<LookedUpOrder> {
    let [phone] = node.fields(["customerPhone"])?;
    let order = order(node);
    if phone.any_node().is_none() {
        phone.missing();
    }
    // Databases often hold telephone numbers as numbers.
    let phone = phone
        .optional(|value| string(value).map(Cow::into_owned).or_else(|_| number(value).map(str::to_owned)));
    Some(LookedUpOrder::new(order?, phone))
}

/// Reads `POST /orders/{reference}/cancel`: the order after it, if the answer holds it, alone or as `order`.
/// Whatever else the answer says, the order has been cancelled.
pub(crate) fn cancelled(node: &Node<'_, '_>) -> Option<Order> {
    let [inner, own_id] = node.fields(["order", "id"])?;
    match (inner.optional_node(), own_id.optional_node()) {
        (Some(inner), _) => order(&inner),
        (None, Some(_)) => order(node),
        (None, None) => None,
    }
}

fn line(node: &Node<'_, '_>) -> Option<OrderLine> {
    let [title, count, price] = node.fields(["title", "quantity", "price"])?;
    let title = title.required(text(LONGEST_TITLE));
    let (quantity, price) = (count.required(quantity), price.required(money));
    Some(OrderLine { title: title?, quantity: quantity?, price: price? })
}

fn quantity(value: Value<'_>) -> Result<u32, Why> {
    u32::try_from(integer(value)?).map_err(|_| Why::NotAllowed)
}
