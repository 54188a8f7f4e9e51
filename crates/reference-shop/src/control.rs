//! Control routes: what a test or a person does to the shop, and what it has seen. They require no secret.

use actix_web::HttpResponse;
use actix_web::web::{self, Data, Json, Path, ServiceConfig};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answers;
use crate::core::Core;
use crate::faults::{self, ALL};
use crate::goods;
use crate::state::appointments::Appointment;
use crate::state::orders::Order;

pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(
        web::scope("/control")
            .route("/faults", web::get().to(list_faults))
            .route("/faults", web::put().to(put_faults))
            .route("/faults", web::delete().to(clear_faults))
            .route("/answers", web::put().to(put_answers))
            .route("/requests", web::get().to(requests))
            .route("/orders", web::get().to(orders))
            .route("/orders/{number}", web::put().to(put_order))
            .route("/appointments", web::get().to(appointments))
            .route("/leads", web::get().to(leads))
            .route("/products/{id}", web::put().to(put_product))
            .route("/customers/{phone}", web::put().to(put_customer))
            .route("/state", web::delete().to(reset)),
    );
}

fn refused(status: actix_web::http::StatusCode, reason: &str) -> HttpResponse {
    HttpResponse::build(status).json(json!({ "error": reason }))
}

fn bad(reason: &str) -> HttpResponse {
    refused(actix_web::http::StatusCode::BAD_REQUEST, reason)
}

fn missing(what: &str) -> HttpResponse {
    refused(actix_web::http::StatusCode::NOT_FOUND, &format!("there is no such {what}"))
}

async fn list_faults(core: Data<Core>) -> HttpResponse {
    let known: Vec<Value> = ALL
        .iter()
        .map(|fault| json!({ "name": fault.name(), "about": fault.about(), "legal": fault.legal() }))
        .collect();
    let active = core.faults().to_json();
    HttpResponse::Ok().json(json!({ "faults": active, "known": known }))
}

async fn put_faults(core: Data<Core>, body: Json<Value>) -> HttpResponse {
    match faults::parse(&body) {
        Ok(faults) => {
            core.faults().replace(faults);
            HttpResponse::Ok().json(json!({ "faults": core.faults().to_json() }))
        }
        Err(reason) => bad(&reason),
    }
}

async fn clear_faults(core: Data<Core>) -> HttpResponse {
    core.faults().replace(Vec::new());
    HttpResponse::NoContent().finish()
}

async fn put_answers(core: Data<Core>, body: Json<Value>) -> HttpResponse {
    match answers::parse(&body) {
        Ok(answers) => {
            core.tell_answers(answers);
            HttpResponse::NoContent().finish()
        }
        Err(reason) => bad(&reason),
    }
}

async fn requests(core: Data<Core>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "requests": core.requests().list() }))
}

async fn orders(core: Data<Core>) -> HttpResponse {
    let orders: Vec<Value> = core.state().orders.iter().map(Order::kept).collect();
    HttpResponse::Ok().json(json!({ "orders": orders }))
}

async fn appointments(core: Data<Core>) -> HttpResponse {
    let kept: Vec<Value> = core.state().appointments.iter().map(Appointment::kept).collect();
    HttpResponse::Ok().json(json!({ "appointments": kept }))
}

async fn leads(core: Data<Core>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "leads": core.state().leads }))
}

/// New status of an order; any text, since a client must cope with any.
#[derive(Deserialize)]
struct OrderChange {
    status: String,
}

async fn put_order(core: Data<Core>, number: Path<u64>, change: Json<OrderChange>) -> HttpResponse {
    let mut state = core.state();
    let Some(order) = state.orders.iter_mut().find(|order| order.number == *number) else {
        return missing("order");
    };
    order.status.clone_from(&change.status);
    HttpResponse::Ok().json(order.kept())
}

/// Changes to a product; absent fields stay. A quantity of 0 empties the shelf, a larger one fills it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProductChange {
    price: Option<i64>,
    in_stock: Option<bool>,
    quantity: Option<i64>,
    /// Of the whole product.
    title: Option<String>,
    /// Of the whole product.
    description: Option<String>,
}

/// Changes a product by the id of a variant, or of a product without variants; title and description by
/// either id, or by that of a product with variants.
async fn put_product(core: Data<Core>, id: Path<String>, change: Json<ProductChange>) -> HttpResponse {
    let mut state = core.state();
    let mut is_known = false;
    if (change.title.is_some() || change.description.is_some())
        && let Some(product) = goods::product_of(&mut state.products, &id)
    {
        product.description = change.description.clone().or(product.description.take());
        product.title = change.title.clone().unwrap_or_else(|| std::mem::take(&mut product.title));
        is_known = true;
    }
    if let Some(mut item) = goods::find(&mut state.products, &id) {
        item.change(change.price, change.in_stock, change.quantity);
        is_known = true;
    }
    if is_known { HttpResponse::NoContent().finish() } else { missing("product") }
}

/// New name and fields of a customer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CustomerChange {
    name: String,
    fields: Map<String, Value>,
}

async fn put_customer(core: Data<Core>, phone: Path<String>, change: Json<CustomerChange>) -> HttpResponse {
    let mut state = core.state();
    let Some(customer) = state.customers.iter_mut().find(|customer| customer.phone == *phone) else {
        return missing("customer");
    };
    let CustomerChange { name, fields } = change.into_inner();
    (customer.name, customer.fields) = (name, fields);
    HttpResponse::NoContent().finish()
}

async fn reset(core: Data<Core>) -> HttpResponse {
    core.reset();
    HttpResponse::NoContent().finish()
}
