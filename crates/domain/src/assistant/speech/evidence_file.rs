//! Evidence as a file has it, in JSON.

use std::str::FromStr;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

use super::{
    evidence::{DraftSummary, Evidence, OwnersFact, OwnersPassage, Range},
    written::{Amount, Id},
};
use crate::{
    consent::DraftKind,
    currency::Currency,
    external_id::ExternalId,
    link::{PhotoUrl, WebLink},
    money::Money,
    orders::{Order, OrderLine, OrderStage, OrderStatus},
    systems::{
        Availability, CustomerRecord, DESCRIPTION_READ, FieldValue, LONGEST_FIELD, LONGEST_LABEL, Listing,
        Product, Slot, Span, Variant,
    },
    text::PlainText,
    zone::Zone,
};

/// Characters that are read of a title.
const LONGEST_TITLE: usize = 200;

/// A part of a file of evidence that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct EvidenceError {
    /// Name of the part, such as `products[1]`.
    pub place: String,
    pub why: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct WrittenEvidence {
    zone: Option<Zone>,
    today: Option<String>,
    currency: Option<String>,
    products: Vec<Value>,
    orders: Vec<Value>,
    slots: Vec<Value>,
    ranges: Vec<Value>,
    record: Option<Value>,
    facts: Vec<Value>,
    passages: Vec<Value>,
    drafts: Vec<Value>,
    searches: Vec<String>,
    customer: Vec<String>,
    business: Option<String>,
    assistant: Option<String>,
    under_way: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenProduct {
    id: Id,
    title: String,
    price: Amount,
    #[serde(alias = "compareAtPrice")]
    price_before: Option<Amount>,
    currency: Option<String>,
    availability: Option<String>,
    description: Option<String>,
    url: Option<String>,
    #[serde(alias = "photo")]
    image_url: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    variants: Vec<WrittenVariant>,
    /// How well a search matched, as a model is told it.
    #[serde(default, rename = "match")]
    _match: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenVariant {
    id: Id,
    title: String,
    price: Amount,
    availability: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    /// The product's, which some systems repeat with each variant.
    #[serde(default, rename = "currency")]
    _currency: Option<String>,
    #[serde(default, rename = "compareAtPrice")]
    _compare_at: Option<Amount>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenOrder {
    number: Id,
    status: String,
    total: Option<Amount>,
    currency: Option<String>,
    tracking_url: Option<String>,
    #[serde(default)]
    lines: Vec<WrittenLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLine {
    title: String,
    quantity: u32,
    price: Amount,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenSlot {
    id: Id,
    starts_at: String,
    ends_at: String,
    service: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRange {
    id: Id,
    from: Option<String>,
    to: Option<String>,
}

/// A text of the owner's, with their wordings of it in other languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFact {
    id: Id,
    text: String,
    ar: Option<String>,
    en: Option<String>,
    ckb: Option<String>,
}

/// A passage of a document; a line of the text is a sentence, or several.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPassage {
    id: Id,
    text: String,
    /// Title, as a model is told it.
    #[serde(default, rename = "title")]
    _title: Option<String>,
    /// Document and place in it.
    #[serde(default)]
    of: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDraft {
    id: Id,
    kind: String,
    summary: String,
}

impl FromStr for Evidence {
    type Err = EvidenceError;

    /// Parses the JSON of a file.
    fn from_str(json: &str) -> Result<Self, EvidenceError> {
        // A list would otherwise be read as the parts in their order.
        let object: Map<String, Value> =
            serde_json::from_str(json).map_err(|error| at("evidence", &error))?;
        let written: WrittenEvidence =
            serde_json::from_value(Value::Object(object)).map_err(|error| at("evidence", &error))?;
        let name = |text: Option<String>| text.and_then(|text| PlainText::read(&text, LONGEST_LABEL));
        Ok(Self {
            zone: written.zone.unwrap_or_default(),
            today: written.today.map(|day| date(&day)).transpose().map_err(|why| at("today", &why))?,
            currency: written
                .currency
                .map(|code| currency(&code))
                .transpose()
                .map_err(|why| at("currency", &why))?,
            products: each("products", written.products, product)?,
            orders: each("orders", written.orders, order)?,
            slots: each("slots", written.slots, slot)?,
            ranges: each("ranges", written.ranges, range)?,
            record: each("record", written.record.into_iter().collect(), record)?.pop(),
            facts: each("facts", written.facts, fact)?,
            passages: each("passages", written.passages, passage)?,
            drafts: each("drafts", written.drafts, draft)?,
            searches: written.searches,
            customer: written.customer,
            business: name(written.business),
            assistant: name(written.assistant),
            is_under_way: written.under_way,
        })
    }
}

fn at(place: &str, why: &impl ToString) -> EvidenceError {
    EvidenceError { place: place.to_owned(), why: why.to_string() }
}

/// Reads every part of a list, and names the one that cannot be read.
fn each<W: DeserializeOwned, T>(
    name: &str,
    written: Vec<Value>,
    read: impl Fn(W) -> Result<T, String>,
) -> Result<Vec<T>, EvidenceError> {
    let parts = written.into_iter().enumerate();
    parts
        .map(|(place, part)| {
            let part = serde_json::from_value(part).map_err(|error| error.to_string());
            part.and_then(&read).map_err(|why| at(&format!("{name}[{place}]"), &why))
        })
        .collect()
}

fn product(written: WrittenProduct) -> Result<Product, String> {
    let own = Variant {
        listing: listing(written.id, &written.title, written.price, written.availability.as_deref())?,
        options: options(written.options),
    };
    let variants = written.variants.into_iter().map(variant).collect::<Result<Vec<_>, _>>()?;
    let listing = own.listing.clone();
    // Options of the product itself are those of its only form.
    let variants = if variants.is_empty() && !own.options.is_empty() { vec![own] } else { variants };
    let old = written.price_before.map(|Amount(old)| old);
    let mut product = Product::of(listing).compared_with(old);
    product.description = written.description.and_then(|text| PlainText::read(&text, DESCRIPTION_READ));
    product.currency = written.currency.map(|code| currency(&code)).transpose()?;
    product.photo = written.image_url.map(|url| photo(&url)).transpose()?;
    product.link = written.url.map(|url| link(&url, "url")).transpose()?;
    product.variants = variants;
    Ok(product)
}

fn variant(written: WrittenVariant) -> Result<Variant, String> {
    Ok(Variant {
        listing: listing(written.id, &written.title, written.price, written.availability.as_deref())?,
        options: options(written.options),
    })
}

fn listing(
    id: Id,
    title: &str,
    Amount(price): Amount,
    availability: Option<&str>,
) -> Result<Listing, String> {
    let known = [Availability::In, Availability::Few, Availability::Out];
    let availability = match availability {
        None => Availability::In,
        Some(name) => {
            known.into_iter().find(|availability| availability.as_str() == name).ok_or_else(|| {
                format!("`availability` is one of {}", known.map(Availability::as_str).join(", "))
            })?
        }
    };
    Ok(Listing { id: external(id)?, title: text(title, LONGEST_TITLE, "title")?, price, availability })
}

fn options(written: Map<String, Value>) -> Vec<(PlainText, PlainText)> {
    let plain = |value: &str| PlainText::read(value, LONGEST_TITLE);
    let pair = |(name, value): (String, Value)| Some((plain(&name)?, plain(&shown(&value)?)?));
    written.into_iter().filter_map(pair).collect()
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn order(written: WrittenOrder) -> Result<Order, String> {
    let number = external(written.number)?;
    Ok(Order {
        id: number.clone(),
        number,
        status: OrderStatus::read(&written.status),
        stage: OrderStage::read(&written.status),
        total: written.total.map(|Amount(total)| total).or_else(|| Money::of_number("0")).ok_or("`total`")?,
        currency: written.currency.map(|code| currency(&code)).transpose()?,
        placed_at: None,
        tracking: written.tracking_url.map(|url| link(&url, "trackingUrl")).transpose()?,
        lines: written.lines.into_iter().map(order_line).collect::<Result<_, _>>()?,
    })
}

fn order_line(
    WrittenLine { title, quantity, price: Amount(price) }: WrittenLine,
) -> Result<OrderLine, String> {
    Ok(OrderLine { title: text(&title, LONGEST_TITLE, "title")?, quantity, price })
}

fn slot(written: WrittenSlot) -> Result<Slot, String> {
    let (from, to) = (moment(&written.starts_at, "startsAt")?, moment(&written.ends_at, "endsAt")?);
    let span = Span::new(from, to).ok_or("`endsAt` is after `startsAt`")?;
    Ok(Slot { id: external(written.id)?, span, service: text(&written.service, LONGEST_LABEL, "service")? })
}

fn range(written: WrittenRange) -> Result<Range, String> {
    let from = written.from.map(|from| moment(&from, "from")).transpose()?;
    let to = written.to.map(|to| moment(&to, "to")).transpose()?;
    Ok(Range { id: external(written.id)?, from, to })
}

fn record(written: Map<String, Value>) -> Result<CustomerRecord, String> {
    let field = |(label, value): (String, Value)| {
        let value = match value {
            Value::String(text) => FieldValue::Text(PlainText::read(&text, LONGEST_FIELD)),
            Value::Number(number) => FieldValue::Number(number.to_string()),
            Value::Bool(is) => FieldValue::Bool(is),
            Value::Null | Value::Array(_) | Value::Object(_) => FieldValue::Null,
        };
        Ok((text(&label, LONGEST_LABEL, "record")?, value))
    };
    let fields = written.into_iter().map(field).collect::<Result<Vec<_>, String>>()?;
    Ok(CustomerRecord { id: None, name: None, fields })
}

fn fact(WrittenFact { id, text, ar, en, ckb }: WrittenFact) -> Result<OwnersFact, String> {
    let approved = [("ar", ar), ("en", en), ("ckb", ckb)];
    let approved = approved.into_iter().filter_map(|(code, text)| Some((code, text?))).collect();
    Ok(OwnersFact { id: external(id)?, text, approved })
}

fn passage(WrittenPassage { id, text, _title, of }: WrittenPassage) -> Result<OwnersPassage, String> {
    let id = external(id)?;
    Ok(OwnersPassage { of: of.unwrap_or_else(|| id.as_str().to_owned()), id, text })
}

fn draft(written: WrittenDraft) -> Result<DraftSummary, String> {
    let known = DraftKind::ALL.map(DraftKind::as_str);
    let kind = DraftKind::ALL.into_iter().find(|kind| kind.as_str() == written.kind);
    let kind = kind.ok_or_else(|| format!("`kind` is one of {}", known.join(", ")))?;
    Ok(DraftSummary { id: external(written.id)?, kind, text: written.summary })
}

fn external(Id(id): Id) -> Result<ExternalId, String> {
    ExternalId::of_text(&id).ok_or_else(|| "`id` is blank or too long".to_owned())
}

fn text(written: &str, longest: usize, name: &str) -> Result<PlainText, String> {
    PlainText::read(written, longest).ok_or_else(|| format!("`{name}` is blank"))
}

fn currency(code: &str) -> Result<Currency, String> {
    code.parse().map_err(|_| "`currency` is a code of three letters, such as IQD".to_owned())
}

fn photo(url: &str) -> Result<PhotoUrl, String> {
    PhotoUrl::parse(url).ok_or_else(|| "`imageUrl` is no https link to a public host".to_owned())
}

fn link(url: &str, name: &str) -> Result<WebLink, String> {
    WebLink::parse(url).ok_or_else(|| format!("`{name}` is no link to a public page"))
}

fn date(written: &str) -> Result<Date, String> {
    let form = format_description!("[year]-[month]-[day]");
    Date::parse(written, form).map_err(|_| "a day is written as 2026-11-28".to_owned())
}

fn moment(written: &str, name: &str) -> Result<OffsetDateTime, String> {
    let no_moment = |_| format!("`{name}` is a moment with an offset, such as 2026-11-28T16:30:00+03:00");
    OffsetDateTime::parse(written, &Rfc3339).map_err(no_moment)
}
