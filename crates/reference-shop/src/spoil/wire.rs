//! Serializing of answers, and the faults of that.

use std::convert::Infallible;
use std::io::{self, Write as _};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_ENCODING;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use futures_util::stream::{self, StreamExt as _};

use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::route::Route;

/// A web page, where JSON is expected.
pub(super) const PAGE: &str =
    "<!DOCTYPE html><html lang=\"ar\"><title>أسواق الرافدين</title><p>الصفحة</p></html>";
/// Largest answer that a client accepts, in bytes.
const LIMIT: usize = 5_000_000;
const MIB: usize = 1024 * 1024;

/// Serializes an answer. Only successful ones are spoilt here.
pub(crate) async fn wire(core: &Core, route: Route, reply: Reply) -> HttpResponse {
    let strikes = |fault| core.strikes(fault, route);
    if !reply.is_success() {
        return reply.into();
    }
    if route == Route::OrderCreate && strikes(Fault::OrderAcceptedThenHangs) {
        std::future::pending::<()>().await;
    }
    if route == Route::OrderCreate && strikes(Fault::OrderAcceptedThen500) {
        return Reply::refusal(500, "the answer was lost").into();
    }
    let text = reply.body.as_ref().map(ToString::to_string).unwrap_or_default();
    let json = || {
        let mut answer = HttpResponse::Ok();
        answer.content_type("application/json");
        answer
    };
    if strikes(Fault::SlowDrip) {
        return json().streaming(stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
        }));
    }
    if strikes(Fault::EndlessBody) {
        let chunk = Bytes::from(vec![b' '; MIB / 16]);
        return json().streaming(stream::repeat_with(move || Ok::<_, Infallible>(chunk.clone())));
    }
    if strikes(Fault::OversizedAnswer) {
        return json().body(format!("{}{text}", " ".repeat((LIMIT + 1).saturating_sub(text.len()))));
    }
    if strikes(Fault::CutAnswer) {
        let half = Bytes::copy_from_slice(text.as_bytes().get(..text.len() / 2).unwrap_or_default());
        let cut = stream::iter([Ok(half)]).chain(stream::iter([Err(io::Error::other("cut"))]));
        return json().streaming(cut);
    }
    if strikes(Fault::HtmlAnswer) {
        return HttpResponse::Ok().content_type("text/html; charset=utf-8").body(PAGE);
    }
    if strikes(Fault::InvalidJson) {
        return json().body(text.as_bytes().get(..text.len() / 2).unwrap_or_default().to_vec());
    }
    if strikes(Fault::TextPlainAnswer) {
        return HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text);
    }
    if strikes(Fault::GzipBomb) {
        return json().insert_header((CONTENT_ENCODING, "gzip")).body(bomb());
    }
    reply.into()
}

/// Returns 200 MiB of spaces: one compressed MiB, again and again, since members of gzip may follow each
/// other.
fn bomb() -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to a vector does not fail.
    let _written = member.write_all(&vec![b' '; MIB]);
    member.finish().unwrap_or_default().repeat(200)
}
