//! `/dashboard/inbox/{id}/order` and `…/booking`: forms of what the customer is asked to confirm.

use actix_web::{HttpRequest, ResponseError, http::StatusCode, web::Payload};
use dashboard_pages::{
    BookingPage, Frame, InboxQuery, OrderPage, ProductRow, Refused, Section, SlotRow, TypedProposal,
};
use domain::{
    catalogue::{LONGEST_QUESTION, search::Found},
    contacts::Contact,
    currency::Currency,
    ids::ConversationId,
    money::amount,
    sending::IdempotencyKey,
    systems::{Listing, Product, Slot, SlotQuery},
    text::{PlainText, latin_digits},
};
use serde_json::{Value, json};
use time::{Duration, format_description::well_known::Rfc3339};
use url::form_urlencoded::byte_serialize;

use super::{
    super::{
        act::{Answer, Call},
        answer::{page, see_other},
        form::Form,
        refusal,
    },
    customer::free,
    drafts::propose_in,
    query::{conversation, path_of, read_query, unknown},
};
use crate::{dashboard::failure::SoughtKind, problem::Problem, query::Parameters};

/// First part of the canonical request, which tells these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/inbox/drafts";
/// Time for which free slots are listed.
const SHOWN_FOR: Duration = Duration::days(7);
/// Separator between a slot's start and its id in the form's value.
const PART: char = ' ';

/// Searches products, or shows the order form of the chosen one.
pub(in crate::pages) async fn order(call: Call) -> Answer {
    let product = Parameters::of(&call.request)?.get("product")?.map(str::to_owned);
    let typed = nothing_typed(&call).await?;
    order_page(&call, product, typed, None).await
}

/// Asks the customer to confirm an order. The form carries the idempotency key.
pub(in crate::pages) async fn propose_order(call: Call, payload: Payload) -> Answer {
    customer(&call).await?;
    let form = Form::of(&call.request, payload).await?;
    let typed = typed(&form)?;
    let (product, quantity) = (form.text("product")?, latin_digits(&typed.quantity).parse::<u32>().ok());
    let line = json!({ "productId": product, "variantId": filled(&typed.variant), "quantity": quantity });
    let wanted = json!({
        "kind": "order", "lines": [line], "name": typed.name, "phone": filled(&typed.phone),
        "address": { "line1": typed.line1, "city": typed.city, "province": typed.province },
        "note": filled(&typed.note), "language": filled(&typed.language),
    });
    match propose(&call, &typed, wanted).await {
        Ok(done) => Ok(done),
        Err(problem) => order_page(&call, Some(product), typed, Some(problem)).await,
    }
}

/// Shows the free slots of the next days.
pub(in crate::pages) async fn booking(call: Call) -> Answer {
    let typed = nothing_typed(&call).await?;
    booking_page(&call, typed, None).await
}

pub(in crate::pages) async fn propose_booking(call: Call, payload: Payload) -> Answer {
    customer(&call).await?;
    let form = Form::of(&call.request, payload).await?;
    let typed = typed(&form)?;
    let (begins, slot) = typed.slot.split_once(PART).unwrap_or_default();
    let wanted = json!({
        "kind": "booking", "slotId": slot, "startsAt": begins, "name": typed.name,
        "phone": filled(&typed.phone), "note": filled(&typed.note), "language": filled(&typed.language),
    });
    match propose(&call, &typed, wanted).await {
        Ok(done) => Ok(done),
        Err(problem) => booking_page(&call, typed, Some(problem)).await,
    }
}

async fn propose(call: &Call, typed: &TypedProposal, mut wanted: Value) -> Answer {
    let id = conversation(call)?;
    let canonical = canonical(id, &mut wanted);
    let body = serde_json::from_value(wanted).map_err(|_| Problem::invalid("the form is not filled in"))?;
    let key = IdempotencyKey { key: typed.key.clone(), request: canonical };
    propose_in(call, id, body, Some(key)).await?;
    Ok(see_other(&path_of(call, id)?))
}

fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}

fn typed(form: &Form) -> Result<TypedProposal, Problem> {
    Ok(TypedProposal {
        name: form.text("name")?,
        phone: form.text("phone")?,
        line1: form.text("line1")?,
        city: form.text("city")?,
        province: form.text("province")?,
        note: form.text("note")?,
        quantity: form.text("quantity")?,
        variant: form.text("variant")?,
        slot: form.text("slot")?,
        language: form.text("language")?,
        key: form.key()?,
    })
}

/// Returns a form filled in with the contact's name.
async fn nothing_typed(call: &Call) -> Result<TypedProposal, Problem> {
    let name = customer(call).await?.name.unwrap_or_default();
    Ok(TypedProposal { name, key: call.app.ids.next().to_string(), ..TypedProposal::default() })
}

async fn customer(call: &Call) -> Result<Contact, Problem> {
    let (workspace, id) = (call.workspace(), conversation(call)?);
    let found = call.run(move |app| async move {
        match app.get_conversation.run(workspace, id).await? {
            Some(conversation) => app.get_contact.run(workspace, conversation.contact).await,
            None => Ok(None),
        }
    });
    Ok(found.await?.ok_or_else(unknown)?.contact)
}

/// Returns whether something in the form itself is wrong.
fn is_about_form(problem: Option<&Problem>) -> bool {
    problem
        .is_some_and(|problem| problem.code().is_none() && problem.status_code() == StatusCode::BAD_REQUEST)
}

/// Returns the answer's status and the refusal for a problem, at the wrong field, by its name in the form and
/// on the page.
fn said(
    request: &HttpRequest,
    problem: Option<Problem>,
    wrong: Option<(&str, &str)>,
    frame: &Frame,
) -> Result<(StatusCode, Option<Refused>), Problem> {
    let refused = problem.map(|problem| refusal::of_form(request, problem, frame.words())).transpose()?;
    let refused = refused.map(|refused| match wrong {
        Some((field, called)) => refused.at(field).with(Some(called.to_owned())),
        None => refused,
    });
    Ok((refusal::status(refused.as_ref()), refused))
}

async fn order_page(
    call: &Call,
    product: Option<String>,
    typed: TypedProposal,
    problem: Option<Problem>,
) -> Answer {
    let parameters = Parameters::of(&call.request)?;
    let (query, looked_for) = (read_query(&parameters)?, parameters.get("q")?.unwrap_or_default().to_owned());
    let id = conversation(call)?.to_string();
    let frame = call.frame(Section::Inbox).await?;
    let is_wrong = is_about_form(problem.as_ref());
    let wrong = || typed.wrong_of_order(call.by.session.region, &frame.words().proposals);
    let wrong = is_wrong.then(wrong).flatten();
    let mut problem = problem;
    let found = match found(call, &looked_for).await {
        Ok(found) => found.map(|found| found.into_iter().map(|row| choice(row, &query, &id)).collect()),
        Err(failed) => {
            problem = problem.or(Some(failed));
            None
        }
    };
    let chosen = match chosen(call, product).await {
        Ok(chosen) => chosen,
        Err(failed) => {
            problem = problem.or(Some(failed));
            None
        }
    };
    let (status, refused) = said(&call.request, problem, wrong, &frame)?;
    page(status, &OrderPage { frame: &frame, query: &query, id, looked_for, found, chosen, typed, refused })
}

async fn found(call: &Call, words: &str) -> Result<Option<Vec<ProductRow>>, Problem> {
    let Some(words) = PlainText::read(words, LONGEST_QUESTION) else { return Ok(None) };
    let workspace = call.workspace();
    let found =
        call.app.run(move |app| async move { app.dashboard.systems.browse.search(workspace, &words).await });
    let found = found.await?.map_err(|error| SoughtKind("product").failed(error))?;
    let row = |Found { product, .. }: Found| {
        let currency = product.currency.unwrap_or(found.currency);
        row(&product.listing, currency)
    };
    Ok(Some(found.products.into_iter().map(row).collect()))
}

async fn chosen(
    call: &Call,
    product: Option<String>,
) -> Result<Option<(ProductRow, Vec<ProductRow>)>, Problem> {
    let Some(product) = product else { return Ok(None) };
    let workspace = call.workspace();
    let found = call
        .app
        .run(move |app| async move { app.dashboard.systems.browse.product(workspace, &product).await });
    let (product, currency) = found.await?.map_err(|error| SoughtKind("product").failed(error))?;
    let Product { listing, variants, currency: own, .. } = product;
    let currency = own.unwrap_or(currency);
    let variants = variants.into_iter().map(|variant| row(&variant.listing, currency));
    Ok(Some((row(&listing, currency), variants.collect())))
}

fn row(listing: &Listing, currency: Currency) -> ProductRow {
    ProductRow {
        id: listing.id.as_str().to_owned(),
        title: listing.title.as_str().to_owned(),
        price: amount(&listing.price, currency),
        availability: listing.availability,
        href: String::new(),
    }
}

/// Adds the link that chooses the product.
fn choice(row: ProductRow, query: &InboxQuery, conversation: &str) -> ProductRow {
    let path = query.act(conversation, "order");
    let mark = if path.contains('?') { '&' } else { '?' };
    let product: String = byte_serialize(row.id.as_bytes()).collect();
    ProductRow { href: format!("{path}{mark}product={product}"), ..row }
}

async fn booking_page(call: &Call, typed: TypedProposal, problem: Option<Problem>) -> Answer {
    let id = conversation(call)?;
    let query = read_query(&Parameters::of(&call.request)?)?;
    let frame = call.frame(Section::Inbox).await?;
    let is_wrong = is_about_form(problem.as_ref());
    let wrong = || typed.wrong_of_booking(call.by.session.region, &frame.words().proposals);
    let wrong = is_wrong.then(wrong).flatten();
    let (slots, problem) = match slots(call, id).await {
        Ok(slots) => (slots, problem),
        Err(failed) => (Vec::new(), problem.or(Some(failed))),
    };
    let (status, refused) = said(&call.request, problem, wrong, &frame)?;
    let id = id.to_string();
    page(status, &BookingPage { frame: &frame, query: &query, id, slots, typed, refused })
}

async fn slots(call: &Call, conversation: ConversationId) -> Result<Vec<SlotRow>, Problem> {
    let from = call.app.clock.now();
    let query = SlotQuery { from, to: from + SHOWN_FOR, service: None };
    let found = free(call, conversation, query).await?;
    let row = |Slot { id, span, service }: Slot| {
        let begins = span.starts_at().format(&Rfc3339).unwrap_or_default();
        SlotRow {
            value: format!("{begins}{PART}{}", id.as_str()),
            at: span.starts_at().into(),
            service: service.as_str().to_owned(),
        }
    };
    Ok(found.slots.into_iter().map(row).collect())
}

/// Returns the request as canonical text. Its hash is stored with idempotency keys, as for the API's bodies,
/// so the format may not change between versions of the program.
fn canonical(conversation: ConversationId, wanted: &mut Value) -> Vec<u8> {
    wanted.sort_all_objects();
    format!("{ROUTE}/{conversation}\n{wanted}").into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::canonical;

    #[test]
    fn what_is_asked_for_is_one_text_whatever_order_it_is_made_in() {
        let mut wanted = json!({ "kind": "order", "items": [{ "variantId": null, "productId": "a" }] });
        let text = String::from_utf8(canonical(Uuid::from_u128(1).into(), &mut wanted)).unwrap();
        assert_eq!(
            text,
            "POST /dashboard/inbox/drafts/00000000-0000-0000-0000-000000000001\n\
             {\"items\":[{\"productId\":\"a\",\"variantId\":null}],\"kind\":\"order\"}"
        );
    }
}
