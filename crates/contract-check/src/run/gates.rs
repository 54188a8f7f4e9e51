//! The secret's check, and unknown routes. Nothing here can write: bodies name nothing that exists.

use guarded_http::Method;
use serde_json::json;

use super::{NOBODY, NOTHING, Run};
use crate::caller::{Ask, Secret};

impl Run<'_> {
    pub(super) async fn gates(self, capabilities: &[&'static str]) {
        for (check, capability, ask) in routes() {
            if capabilities.contains(&capability) || capability.is_empty() {
                self.closed(check, ask.probe(Secret::Wrong)).await;
            } else {
                self.caller.log().skip(check, &format!("the system does not declare {capability}"));
            }
        }
        // If a wrong secret opens the route, these would report the same fault again.
        if !self.caller.log().has_found("auth.verify") {
            self.closed("auth.missing", Ask::get(&["verify"]).probe(Secret::Missing)).await;
            self.closed("auth.whole_secret", Ask::get(&["verify"]).probe(Secret::Longer)).await;
        }
        self.unknown_route().await;
        self.wrong_method().await;
    }

    async fn closed(self, check: &'static str, ask: Ask) {
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let mut log = self.caller.log();
        match answer.status {
            401 => log.pass(check, &answer.call),
            403 => {
                log.pass(check, &answer.call);
                log.found("auth.status", &answer.call, "answered 403");
            }
            status => log.found(check, &answer.call, format!("answered {status}")),
        }
        if answer.status == 401 {
            log.pass("auth.status", &answer.call);
        }
    }

    async fn unknown_route(self) {
        let Some(answer) = self.caller.ask(&Ask::get(&[NOTHING]).probe(Secret::Right)).await else { return };
        let mut log = self.caller.log();
        let call = answer.call.as_str();
        match answer.status {
            404 if answer.is_html => log.found("routes.html", call, "the 404 is a web page"),
            404 => {
                for id in ["routes.unknown", "routes.redirect", "routes.html"] {
                    log.pass(id, call);
                }
            }
            status @ 300..400 => log.found("routes.redirect", call, format!("answered {status}, a redirect")),
            status => log.found("routes.unknown", call, format!("answered {status}")),
        }
    }

    async fn wrong_method(self) {
        let ask = Ask::new(Method::POST, &["verify"]).probe(Secret::Right);
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let seen = if answer.status == 404 { Ok(()) } else { Err(format!("answered {}", answer.status)) };
        self.caller.log().settle("routes.method", &answer.call, seen);
    }
}

/// Lists a harmless call of each route, with its check and its capability.
fn routes() -> [(&'static str, &'static str, Ask); 10] {
    let empty = || json!({});
    let phone = Ask::get(&["customers", "lookup"]).query("phone", NOBODY);
    [
        ("auth.verify", "", Ask::get(&["verify"])),
        ("auth.products", "catalog", Ask::get(&["products"]).query("q", "").query("limit", "1")),
        ("auth.product", "catalog", Ask::get(&["products", NOTHING])),
        ("auth.order_create", "orders", Ask::post(&["orders"], empty())),
        ("auth.order", "orders", Ask::get(&["orders", NOTHING])),
        ("auth.order_cancel", "orders", Ask::post(&["orders", NOTHING, "cancel"], empty())),
        ("auth.customer_lookup", "customers", phone),
        ("auth.customer_create", "customers", Ask::post(&["customers"], empty())),
        ("auth.slots", "appointments", Ask::get(&["appointments", "slots"])),
        ("auth.appointment_create", "appointments", Ask::post(&["appointments"], empty())),
    ]
}
