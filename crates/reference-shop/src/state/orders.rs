//! Orders: placed once per key, cancelled while nothing has left the shop.

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::State;
use super::refused::Refused;
use crate::goods;

#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) id: u64,
    pub(crate) number: u64,
    pub(crate) key: String,
    pub(crate) status: String,
    pub(crate) total: i64,
    pub(crate) phone: String,
    pub(crate) placed_at: OffsetDateTime,
    pub(crate) lines: Vec<Line>,
    /// Body of the request as it came.
    pub(crate) request: Value,
}

/// A line of an order, with the product sold.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    variant: String,
    title: String,
    quantity: i64,
    price: i64,
}

impl Order {
    /// Renders the order as the contract shows it.
    pub(crate) fn shown(&self) -> Value {
        let number = self.number;
        let tracking =
            (self.status == "shipped").then(|| format!("https://rafidain-shop.example/track/{number}"));
        let lines: Vec<_> = self
            .lines
            .iter()
            .map(|line| json!({ "title": line.title, "quantity": line.quantity, "price": line.price }))
            .collect();
        json!({
            "id": format!("ord_{}", self.id),
            "number": number.to_string(),
            "status": self.status,
            "total": self.total,
            "customerPhone": self.phone,
            "currency": "IQD",
            "placedAt": self.placed_at.format(&Rfc3339).ok(),
            "trackingUrl": tracking,
            "lines": lines,
        })
    }

    /// Renders the order as the control routes show it: with its key and the request that created it.
    pub(crate) fn kept(&self) -> Value {
        json!({ "idempotencyKey": self.key, "order": self.shown(), "request": self.request })
    }

    fn is(&self, reference: &str) -> bool {
        self.number.to_string() == reference || format!("ord_{}", self.id) == reference
            // As the fault shows it that makes numbers of ids.
            || self.id.to_string() == reference
    }
}

/// Returns three orders of earlier days: one on its way, one delivered, one that can still be cancelled.
pub(crate) fn opening(now: OffsetDateTime) -> Vec<Order> {
    let order =
        |id: u64, status: &str, phone: &str, days: i64, variant: &str, title: &str, price: i64| Order {
            id,
            number: 5000 + id,
            key: format!("opening-{id}"),
            status: status.to_owned(),
            total: price,
            phone: phone.to_owned(),
            placed_at: now.replace_nanosecond(0).unwrap_or(now) - Duration::days(days),
            lines: vec![Line { variant: variant.to_owned(), title: title.to_owned(), quantity: 1, price }],
            request: Value::Null,
        };
    vec![
        order(1, "shipped", "+9647701234567", 2, "1038", "غلاية ماء كهربائية كينوود Kenwood", 27_500),
        order(2, "delivered", "+9647801112233", 9, "1061", "رز عنبر محمود Mahmood 5 كغم", 13_500),
        order(3, "pending", "+9647701234567", 0, "1009", "شاي الوزة Alwazah 450 غم", 5_250),
    ]
}

impl State {
    pub(crate) fn order(&self, reference: &str) -> Option<&Order> {
        self.orders.iter().find(|order| order.is(reference))
    }

    pub(crate) fn order_of_key(&self, key: &str) -> Option<&Order> {
        self.orders.iter().find(|order| order.key == key)
    }

    /// Creates an order, whether or not its key was seen. `anything` is the fault that sells what is not
    /// there.
    pub(crate) fn place(
        &mut self,
        request: &Value,
        now: OffsetDateTime,
        anything: bool,
    ) -> Result<&Order, Refused> {
        let text =
            |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (key, phone) = (text("/idempotencyKey"), text("/customer/phone"));
        let needed = [("idempotencyKey", &key), ("customer.phone", &phone)];
        if let Some((name, _)) = needed.iter().find(|(_, value)| value.is_empty()) {
            return Err(Refused::Invalid(format!("{name} is missing")));
        }
        let lines = self.read_lines(request, anything)?;
        for line in &lines {
            if let Some(mut item) = goods::find(&mut self.products, &line.variant) {
                item.take(line.quantity);
            }
        }
        let id = u64::try_from(self.orders.len()).unwrap_or_default() + 1;
        self.orders.push(Order {
            id,
            number: 5000 + id,
            key,
            status: "pending".to_owned(),
            total: lines.iter().map(|line| line.price * line.quantity).sum(),
            phone,
            placed_at: now.replace_nanosecond(0).unwrap_or(now),
            lines,
            request: request.clone(),
        });
        self.orders.last().ok_or_else(|| Refused::Invalid("no order was made".to_owned()))
    }

    fn read_lines(&mut self, request: &Value, anything: bool) -> Result<Vec<Line>, Refused> {
        let lines = request.get("lines").and_then(Value::as_array).filter(|lines| !lines.is_empty());
        let lines = lines.ok_or_else(|| Refused::Invalid("lines are missing".to_owned()))?;
        lines.iter().map(|line| self.read_line(line, anything)).collect()
    }

    fn read_line(&mut self, line: &Value, anything: bool) -> Result<Line, Refused> {
        let variant = match line.get("variantId") {
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => return Err(Refused::Invalid("a line has a variantId".to_owned())),
        };
        let quantity =
            line.get("quantity").and_then(Value::as_i64).filter(|quantity| (1..=1000).contains(quantity));
        let quantity =
            quantity.ok_or_else(|| Refused::Invalid("a line's quantity is 1 to 1000".to_owned()))?;
        match goods::find(&mut self.products, &variant) {
            Some(item) if item.has(quantity) => {
                Ok(Line { title: item.title(), price: item.price(), quantity, variant })
            }
            Some(item) => Err(Refused::Conflict(format!("{} is not there in that quantity", item.title()))),
            None if anything => Ok(Line { title: "؟".to_owned(), price: 1000, quantity, variant }),
            None => Err(Refused::Invalid(format!("nothing is sold under {variant}"))),
        }
    }

    /// Cancels an order and puts its goods back. `anything` is the fault that cancels what has left.
    pub(crate) fn cancel(&mut self, reference: &str, anything: bool) -> Result<&Order, Refused> {
        let found = self.orders.iter_mut().find(|order| order.is(reference));
        let order = found.ok_or_else(|| Refused::NotFound("there is no such order".to_owned()))?;
        if !anything && !matches!(order.status.as_str(), "pending" | "confirmed" | "processing") {
            return Err(Refused::Conflict(format!(
                "the order is {} and can no longer be cancelled",
                order.status
            )));
        }
        "cancelled".clone_into(&mut order.status);
        for line in &order.lines {
            if let Some(mut item) = goods::find(&mut self.products, &line.variant) {
                item.take(-line.quantity);
            }
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn request(variant: &str, quantity: i64) -> Value {
        json!({
            "idempotencyKey": "k1",
            "lines": [{ "variantId": variant, "quantity": quantity }],
            "customer": { "name": "سارة", "phone": "+9647701234567" },
        })
    }

    #[test]
    fn an_order_takes_from_the_shelf_and_a_cancellation_puts_back() {
        let now = datetime!(2026-11-22 12:00 +3);
        let mut state = State::new(now);
        let stock =
            |state: &State| state.products.iter().find(|product| product.id == "1022").unwrap().quantity;
        let placed = state.place(&request("1022", 2), now, false).unwrap().clone();
        assert_eq!((placed.total, stock(&state)), (19_500, Some(0)));
        assert!(matches!(state.place(&request("1022", 1), now, false), Err(Refused::Conflict(_))));
        state.cancel("5004", false).unwrap();
        assert_eq!(stock(&state), Some(2));
        assert!(matches!(state.cancel("5004", false), Err(Refused::Conflict(_))));
    }

    #[test]
    fn what_cannot_be_sold_is_refused_in_words() {
        let now = datetime!(2026-11-22 12:00 +3);
        let mut state = State::new(now);
        for (request, refused) in [
            (request("1001", 1), "nothing is sold under 1001"),
            (request("none", 1), "nothing is sold under none"),
            (request("1009", 0), "a line's quantity is 1 to 1000"),
            (json!({}), "idempotencyKey is missing"),
        ] {
            assert_eq!(state.place(&request, now, false).unwrap_err(), Refused::Invalid(refused.to_owned()));
        }
    }
}
