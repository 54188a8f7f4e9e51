//! Control routes: what a test or a person does to the network, and what the network has seen.

mod app;
mod network;
mod outcome;
mod people;
mod refused;
mod seen;
mod setup;
mod standing;
mod traffic;

use actix_web::web::{self, ServiceConfig};

pub(crate) use people::{keep, write};
pub(crate) use traffic::drive;

pub(crate) use seen::shown as shown_message;

pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(
        web::scope("/control")
            .route("/accounts", web::get().to(seen::accounts))
            .route("/messages", web::get().to(seen::messages))
            .route("/webhooks", web::get().to(seen::webhooks))
            .route("/webhooks", web::post().to(network::raw))
            .route("/inbound", web::post().to(people::inbound))
            .route("/samples", web::get().to(people::samples))
            .route("/traffic", web::post().to(traffic::traffic))
            .route("/echoes", web::post().to(people::team))
            .route("/files", web::post().to(people::put_file))
            .route("/files/{id}", web::get().to(seen::file))
            .route("/wrote", web::put().to(people::put_wrote))
            .route("/statuses", web::post().to(network::status))
            .route("/settle", web::post().to(seen::settle))
            .route("/faults", web::get().to(setup::faults))
            .route("/faults", web::put().to(setup::put_faults))
            .route("/templates", web::put().to(setup::put_templates))
            .route("/numbers", web::put().to(setup::put_number))
            .route("/standing", web::put().to(standing::put))
            .route("/app", web::put().to(app::put))
            .route("/webhook", web::put().to(setup::put_callback))
            .route("/handshake", web::post().to(setup::handshake))
            .route("/state", web::delete().to(setup::reset)),
    );
}
