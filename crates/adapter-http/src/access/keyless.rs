//! Refusal of keys outside `/v1`, where they open nothing.

use actix_web::{
    Error,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};

use super::bearer;
use crate::problem::Problem;

/// Lets a request without a bearer token through.
pub(crate) async fn keyless<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if bearer(request.headers()).is_some() {
        return Ok(request.error_response(Problem::key_opens_nothing_here()));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}
