//! Each fault, and what the checker says of it. A fault without a row does not compile.

use reference_shop::Fault;

/// What is expected of a report.
pub(crate) enum Expected {
    /// This check finds it, and no other.
    Found(&'static str),
    /// The fault is legal; a note has these words.
    Note(&'static str),
    /// The fault is legal and not mentioned.
    Nothing,
}

use Expected::{Found, Note, Nothing};

#[expect(clippy::too_many_lines, reason = "a table, one row for each fault")]
pub(crate) fn expected(fault: Fault) -> Expected {
    match fault {
        Fault::SlowAnswer | Fault::Hanging | Fault::SlowDrip | Fault::OrderAcceptedThenHangs => {
            Found("transport.time")
        }
        Fault::EndlessBody | Fault::OversizedAnswer => Found("transport.size"),
        Fault::CutAnswer => Found("transport.whole"),
        Fault::HtmlAnswer => Found("transport.html"),
        Fault::InvalidJson => Found("transport.json"),
        Fault::TextPlainAnswer => Found("transport.content_type"),
        Fault::GzipBomb => Found("transport.encoding"),
        Fault::RedirectLoop | Fault::RedirectToOtherOrigin => Found("transport.redirects"),
        Fault::RedirectWithinOrigin => Note("redirected within its origin"),
        Fault::ServerError => Found("transport.server_error"),
        Fault::ServerErrorOnce | Fault::OrderAcceptedThen500 => Note("answered 500 once"),
        Fault::RateLimitedOnce => Note("answered 429"),
        Fault::RateLimitedWithoutRetryAfter => Found("transport.retry_after"),

        Fault::SecretNotCheckedOnOneRoute => Found("auth.order"),
        Fault::MissingSecretAccepted => Found("auth.missing"),
        Fault::WrongSecretAnswers403 => Found("auth.status"),
        Fault::SecretPrefixAccepted => Found("auth.whole_secret"),
        Fault::RightSecretRefused => Found("auth.accepted"),

        Fault::UnknownRouteRedirects => Found("routes.redirect"),
        Fault::UnknownRouteHtml => Found("routes.html"),
        Fault::UnknownRoute200 => Found("routes.unknown"),
        Fault::WrongMethod405 => Found("routes.method"),

        Fault::NoCapabilities => Note("version 1"),
        Fault::NameMissing => Found("verify.name"),
        Fault::CurrencyNotIso => Found("verify.currency"),
        Fault::CapabilityUnknown => Found("verify.known"),
        Fault::CapabilitiesEmpty | Fault::CapabilitiesAsText => Found("verify.capabilities"),

        Fault::ProductsWithoutWrapper => Found("products.answer"),
        Fault::SearchIgnoresQ => Found("products.narrow"),
        Fault::SearchMissesArabic => Found("products.search"),
        Fault::SearchOver50 => Found("products.limit"),
        Fault::ProductNotFound200 => Found("product.unknown"),
        Fault::ProductWrapped => Found("product.answer"),
        Fault::ProductOfAnotherId => Found("product.same"),
        Fault::ProductIdMissing => Found("product.id"),
        Fault::ProductIdTwice => Found("products.unique"),
        Fault::MissingTitle => Found("product.title"),
        Fault::PriceAsText | Fault::PriceNegative => Found("product.price"),
        Fault::InStockAsText => Found("product.in_stock"),
        Fault::QuantityAsText => Found("product.quantity"),
        Fault::SoldOutInStock => Found("product.stock"),
        Fault::DescriptionAsObject => Found("product.description"),
        Fault::CompareAtPriceAsText => Found("product.compare_at_price"),
        Fault::CompareAtPriceLower => Found("product.discount"),
        Fault::ProductCurrencyNotIso => Found("product.currency"),
        Fault::ImageOverHttp => Found("product.image"),
        Fault::UrlRelative => Found("product.url"),
        Fault::CategoriesAsText => Found("product.categories"),
        Fault::VariantsAsMap => Found("product.variants"),
        Fault::VariantIdMissing => Found("variant.id"),
        Fault::VariantTitleMissing => Found("variant.title"),
        Fault::VariantPriceAsText => Found("variant.price"),
        Fault::VariantInStockMissing => Found("variant.in_stock"),
        Fault::VariantQuantityAsText => Found("variant.quantity"),
        Fault::VariantOptionsAsList => Found("variant.options"),

        Fault::OrderRepeatedCreatesSecond => Found("order.repeated"),
        Fault::OrderRepeatedAtOnceCreatesSecond => Found("order.repeated_at_once"),
        Fault::OrderRepeatedAnswers201 => Found("order.repeated_status"),
        Fault::OrderCreatedAnswers200
        | Fault::OrderIdsAsNumbers
        | Fault::CancelAnswersEmpty
        | Fault::CancelAnswersWrapped => Nothing,
        Fault::OrderWrapped => Found("order.create"),
        Fault::OrderIdMissing => Found("order.id"),
        Fault::OrderNumberMissing => Found("order.number"),
        Fault::OrderStatusMissing => Found("order.status"),
        Fault::OrderStatusUnknown => Found("order.status_known"),
        Fault::OrderTotalAsText => Found("order.total"),
        Fault::OrderCurrencyNotIso => Found("order.currency"),
        Fault::OrderPlacedAtLocal => Found("order.placed_at"),
        Fault::TrackingUrlRelative => Found("order.tracking_url"),
        Fault::OrderLinesAsText => Found("order.lines"),
        Fault::OrderWithoutCustomerPhone => Found("order.customer_phone"),
        Fault::CustomerPhoneInOtherFormat => Found("order.phone_format"),
        Fault::HashNotFound => Found("order.by_number"),
        Fault::OrderByIdNotFound => Found("order.by_id"),
        Fault::UnknownOrder200 => Found("order.unknown"),
        Fault::UnknownVariantAccepted => Found("order.refused"),
        Fault::OrderRefusalWithoutMessage => Found("order.refusal_message"),
        Fault::CancelDoesNothing => Found("order.cancelled"),
        Fault::CancelOfShippedSucceeds => Found("order.cancel_refused"),
        Fault::CancelConflictWithoutMessage => Found("order.cancel_message"),
        Fault::CancelUnknown200 => Found("order.cancel_unknown"),

        Fault::LookupUnknownIs404 => Found("customer.unknown"),
        Fault::LookupReadsPlusAsSpace => Found("customer.known"),
        Fault::CustomerNotWrapped => Found("customer.answer"),
        Fault::CustomerNameAsObject => Found("customer.name"),
        Fault::FieldsAsList => Found("customer.fields"),
        Fault::FieldsTooLong => Found("customer.field_length"),
        Fault::MoreThan30Fields => Found("customer.field_count"),
        Fault::FieldValuesNested => Found("customer.field_values"),
        Fault::LeadWithoutId => Found("customer.lead"),
        Fault::LeadRepeatedCreatesSecond => Found("customer.lead_repeated"),

        Fault::SlotsWithoutWrapper => Found("slots.answer"),
        Fault::MoreThan30Slots => Found("slots.count"),
        Fault::SlotsRefuseDatetimes => Found("slots.datetimes"),
        Fault::SlotsOutsideRange => Found("slots.range"),
        Fault::ServicesAsText => Found("slots.services"),
        Fault::SlotIdMissing => Found("slot.id"),
        Fault::SlotIdTwice => Found("slots.unique"),
        Fault::SlotWithoutOffset => Found("slot.starts_at"),
        Fault::SlotEndWithoutOffset => Found("slot.ends_at"),
        Fault::SlotEndsBeforeStart => Found("slot.order"),
        Fault::SlotServiceMissing => Found("slot.service"),
        Fault::AppointmentNotWrapped => Found("appointment.create"),
        Fault::AppointmentIdMissing => Found("appointment.id"),
        Fault::AppointmentWithoutOffset => Found("appointment.starts_at"),
        Fault::AppointmentAtAnotherTime => Found("appointment.times"),
        Fault::AppointmentStatusMissing => Found("appointment.status"),
        Fault::AppointmentRepeatedCreatesSecond => Found("appointment.repeated"),
        Fault::AppointmentRepeatedAtOnceCreatesSecond => Found("appointment.repeated_at_once"),
        Fault::AppointmentRepeatedAnswers201 => Found("appointment.repeated_status"),
        Fault::TakenSlotAnswers200 => Found("appointment.taken"),
        Fault::SlotConflictWithoutMessage => Found("appointment.taken_message"),
        Fault::TakenSlotStillOffered => Found("slots.taken"),
        Fault::UnknownSlotAccepted => Found("appointment.unknown_slot"),
    }
}
