//! A system on loopback that answers at once, and never below `/hang`.

use std::{
    io::Result,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Order of the bare loop, as the service's client sends it.
pub(super) const ORDER_REQUEST: &str = r#"{"idempotencyKey":"bench-order-1","lines":[{"variantId":"1001-2","quantity":1},{"variantId":"1002","quantity":1}],"customer":{"name":"سارة","phone":"+9647701234567","email":null},"address":{"line1":"شارع السعدون","city":"بغداد","province":"بغداد","country":"IQ","notes":null},"note":"","source":"messaging-service"}"#;

/// A running system, at two origins.
pub(super) struct System {
    healthy: SocketAddr,
    hanging: SocketAddr,
    hung: Arc<AtomicUsize>,
}

impl System {
    pub(super) async fn start() -> Result<Self> {
        let hung = Arc::new(AtomicUsize::new(0));
        let answers = [answer(&products()), answer(&order())];
        let healthy = listen("127.0.0.1:0", answers.clone(), &hung).await?;
        let hanging = listen("127.0.0.2:0", answers, &hung).await?;
        Ok(Self { healthy, hanging, hung })
    }

    /// Returns the base URL that is called.
    pub(super) fn base(&self) -> String {
        format!("http://{}/contract", self.healthy)
    }

    /// Returns the base URL that never answers: another origin, so that only the client is shared.
    pub(super) fn hanging(&self) -> String {
        format!("http://{}/hang", self.hanging)
    }

    /// Returns the number of calls that hang now.
    pub(super) fn hung(&self) -> usize {
        self.hung.load(Ordering::Relaxed)
    }
}

/// Serves `[products, order]` at an address until the process ends.
async fn listen(address: &str, answers: [Bytes; 2], hung: &Arc<AtomicUsize>) -> Result<SocketAddr> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let hung = Arc::clone(hung);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let ([products, order], hung) = (answers.clone(), Arc::clone(&hung));
            // The caller reports a broken connection.
            tokio::spawn(async move { serve(stream, &products, &order, &hung).await });
        }
    });
    Ok(address)
}

fn products() -> Value {
    let product = |at: u32| {
        json!({
            "id": format!("10{at:02}"), "title": format!("حفاضات بامبرز Pampers بريميوم كير {at}"),
            "price": 14_500 + at, "inStock": true, "quantity": at, "compareAtPrice": 16_000, "currency": "IQD",
            "description": "حفاضات ناعمة للأطفال، تمتص حتى 12 ساعة.", "categories": ["أطفال"],
            "imageUrl": format!("https://cdn.shop.example/photos/10{at:02}.jpg"), "url": "https://shop.example/p",
            "variants": [
                { "id": format!("10{at:02}-2"), "title": "قياس 2", "price": 14_500, "inStock": true,
                  "quantity": 22, "options": { "القياس": "2" } },
            ],
        })
    };
    json!({ "products": (0..50).map(product).collect::<Vec<_>>() })
}

fn order() -> Value {
    json!({
        "id": "ord_4", "number": "5004", "status": "pending", "total": 29_000, "customerPhone": "+9647701234567",
        "currency": "IQD", "placedAt": "2026-11-22T12:00:00+03:00", "trackingUrl": null,
        "lines": [
            { "title": "حفاضات بامبرز Pampers بريميوم كير – قياس 2", "quantity": 1, "price": 14_500 },
            { "title": "حفاضات مولفيكس Molfix جامبو", "quantity": 1, "price": 14_500 },
        ],
    })
}

fn answer(body: &Value) -> Bytes {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    Bytes::from(head + &body)
}

/// Answers one connection until it ends.
async fn serve(mut stream: TcpStream, products: &[u8], order: &[u8], hung: &AtomicUsize) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut read = Vec::with_capacity(4_096);
    loop {
        let Some(end) = whole(&read) else {
            if stream.read_buf(&mut read).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let request: Vec<u8> = read.drain(..end).collect();
        if request.starts_with(b"GET /hang") {
            hung.fetch_add(1, Ordering::Relaxed);
            // Ends when the caller gives up.
            let ended = stream.read_buf(&mut read).await;
            hung.fetch_sub(1, Ordering::Relaxed);
            return ended.map(drop);
        }
        let said = if request.starts_with(b"POST") { order } else { products };
        stream.write_all(said).await?;
    }
}

/// Returns the end of the first request once it is complete.
fn whole(read: &[u8]) -> Option<usize> {
    let head = read.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(read.get(..head)?).ok()?.to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(Some(0), |length| length.trim().parse().ok())?;
    let end = head + length;
    (read.len() >= end).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn a_request_is_whole_with_its_body() {
        for (read, end) in [
            ("GET / HTTP/1.1\r\n\r\nGET", Some(18)),
            ("GET / HTTP/1.1\r\n", None),
            ("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{", None),
            ("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", Some(40)),
        ] {
            assert_eq!(whole(read.as_bytes()), end, "{read}");
        }
    }
}
