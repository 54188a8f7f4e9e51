//! Headers of every answer of the public server.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        ConnectionType,
        header::{
            CONTENT_SECURITY_POLICY, CROSS_ORIGIN_OPENER_POLICY, CROSS_ORIGIN_RESOURCE_POLICY, HeaderMap,
            HeaderValue, PERMISSIONS_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
            X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
    middleware::Next,
    web::Data,
};

use crate::{app::App, edge::Edge};

/// Policy of answers that are no page: they load nothing, and nobody may frame them.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Permissions of devices: members record voice notes; nothing else is asked for.
const DEVICES: HeaderValue = HeaderValue::from_static(
    "camera=(), display-capture=(), geolocation=(), hid=(), midi=(), payment=(), serial=(), usb=(), \
     microphone=(self)",
);

/// Two years, the least that browsers' lists ask for.
const ALWAYS_TLS: HeaderValue = HeaderValue::from_static("max-age=63072000");

/// Adds the headers that tell browsers what they may do with the answer, and closes the connection when this
/// process is about to stop. A page keeps its own policy.
pub(crate) async fn protect<B: MessageBody>(
    app: Data<App>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    put(&app.edge, response.headers_mut());
    if app.leaving.is_cancelled() {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(response)
}

/// Inserts the headers.
pub(crate) fn put(edge: &Edge, headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(PERMISSIONS_POLICY, DEVICES);
    if !headers.contains_key(CROSS_ORIGIN_RESOURCE_POLICY) {
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    }
    if !headers.contains_key(REFERRER_POLICY) {
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    }
    if edge.always_tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, ALWAYS_TLS);
    }
}
