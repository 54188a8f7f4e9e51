//! Admission to `/v1`: key, then rate window, before anything else.

use actix_web::{
    Error, HttpMessage,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::header::{CACHE_CONTROL, HeaderName, HeaderValue},
    middleware::Next,
    web::Data,
};
use domain::access::{Admission, RATE_LIMIT};

use super::{bearer, throttle::FailedKeys};
use crate::{app::App, problem::Problem};

const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_RATELIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");

/// Lets a request with a valid key through, and puts the state of its window on the answer, a refusal as
/// well.
pub(crate) async fn admit<B: MessageBody + 'static>(
    app: Data<App>,
    failed_keys: Data<FailedKeys>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let mut response = match authenticate(&app, &failed_keys, &request).await {
        Err(problem) => request.error_response(problem),
        Ok(admission) => admitted(admission, request, next).await?,
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Lets every request through, and counts those with a valid key as [`admit`] does.
pub(crate) async fn admit_everybody<B: MessageBody + 'static>(
    app: Data<App>,
    failed_keys: Data<FailedKeys>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match authenticate(&app, &failed_keys, &request).await {
        Err(_) => Ok(next.call(request).await?.map_into_boxed_body()),
        Ok(admission) => admitted(admission, request, next).await,
    }
}

async fn admitted<B: MessageBody + 'static>(
    Admission { caller, window }: Admission,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    request.extensions_mut().insert(caller);
    let mut response = if window.exceeded {
        request.error_response(Problem::too_many_requests(window.resets_in))
    } else {
        next.call(request).await?.map_into_boxed_body()
    };
    response.headers_mut().insert(X_RATELIMIT_LIMIT, RATE_LIMIT.into());
    response.headers_mut().insert(X_RATELIMIT_REMAINING, window.remaining.into());
    Ok(response)
}

async fn authenticate(
    app: &Data<App>,
    failed_keys: &FailedKeys,
    request: &ServiceRequest,
) -> Result<Admission, Problem> {
    let Some(presented) = bearer(request.headers()) else { return Err(Problem::unauthorized()) };
    let presented = presented.to_owned();
    let admission = app.run(|app| async move { app.authenticate.run(&presented).await }).await??;
    admission.ok_or_else(|| {
        let address = app.edge.client(request.request());
        let window = failed_keys.count(address, app.clock.now());
        if window.exceeded { Problem::too_many_requests(window.resets_in) } else { Problem::unauthorized() }
    })
}
