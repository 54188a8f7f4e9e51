//! Routes of the Graph API, under any `/v\d+\.\d+`: sends, and everything else.

use actix_web::http::Method;
use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};

use crate::core::Core;
use crate::graph::{self, Call};
use crate::send;

pub(crate) fn routes(config: &mut web::ServiceConfig) {
    graph::media::routes(config);
    config.route(r"/{version:v\d+\.\d+}/{path:.*}", web::route().to(serve));
}

async fn serve(request: HttpRequest, core: Data<Core>, body: Bytes) -> HttpResponse {
    let core = core.into_inner();
    let call = Call::read(&request, body);
    if let Some(answer) = graph::answer_sign_up(&core, &request, &call) {
        return answer;
    }
    if let Err(error) = call.authenticate(&core) {
        return error.response(&core.ids);
    }
    let channel = core.world().channel_seen(call.id(), &call.token);
    if call.method == Method::POST && call.edge() == "messages" {
        return match &channel {
            Some(channel) => send::serve_page(&core, &request, &call, channel).await,
            None => send::serve(&core, &request, &call).await,
        };
    }
    graph::serve(&core, &request, &call, channel.as_ref()).await
}
