//! All faults by name.

use crate::route::Route;

/// Declares the faults: variant, name, the only route that it affects by default, and a description.
macro_rules! faults {
    ($($variant:ident $name:literal $route:expr, $about:literal;)*) => {
        /// Something that the shop does wrong, or legally but seldom, while it is switched on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Fault {
            $(#[doc = $about] $variant,)*
        }

        /// All faults.
        pub const ALL: &[Fault] = &[$(Fault::$variant,)*];

        impl Fault {
            /// Returns its name on the control routes.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Describes it in a few words.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }

            /// Returns the only route that it affects by default; `None` for every route where it can.
            pub(crate) fn route(self) -> Option<Route> {
                match self { $(Self::$variant => $route,)* }
            }
        }
    };
}

faults! {
    SlowAnswer "slow_answer" Some(Route::Products), "Answers after eleven seconds.";
    Hanging "hanging" Some(Route::Products), "Never answers.";
    SlowDrip "slow_drip" Some(Route::Products), "Sends a byte every tenth of a second, without end.";
    EndlessBody "endless_body" Some(Route::Products), "Sends a body without end.";
    OversizedAnswer "oversized_answer" Some(Route::Products), "Answers with one byte more than 5 MB.";
    CutAnswer "cut_answer" Some(Route::Products), "Breaks the connection within the body.";
    HtmlAnswer "html_answer" Some(Route::Products), "Answers a web page with 200.";
    InvalidJson "invalid_json" Some(Route::Products), "Answers half of the JSON.";
    TextPlainAnswer "text_plain_answer" Some(Route::Products), "Answers JSON and calls it plain text.";
    GzipBomb "gzip_bomb" Some(Route::Products), "Answers 200 MB of spaces, compressed, unasked.";
    RedirectLoop "redirect_loop" Some(Route::Products), "Redirects to itself.";
    RedirectToOtherOrigin "redirect_to_other_origin" Some(Route::Products), "Redirects to another host.";
    RedirectWithinOrigin "redirect_within_origin" Some(Route::Products), "Redirects once, to itself under another path (legal).";
    ServerError "server_error" Some(Route::Products), "Answers 500, always.";
    ServerErrorOnce "server_error_once" Some(Route::Products), "Answers 500 once (legal).";
    RateLimitedOnce "rate_limited_once" Some(Route::Products), "Answers 429 with Retry-After once (legal).";
    RateLimitedWithoutRetryAfter "rate_limited_without_retry_after" Some(Route::Products), "Answers 429 without Retry-After once.";

    SecretNotCheckedOnOneRoute "secret_not_checked_on_one_route" Some(Route::Order), "Answers one route whatever the secret.";
    MissingSecretAccepted "missing_secret_accepted" None, "Answers requests without a secret.";
    WrongSecretAnswers403 "wrong_secret_answers_403" None, "Answers 403 to a wrong secret.";
    SecretPrefixAccepted "secret_prefix_accepted" None, "Takes a secret that only begins with its own.";
    RightSecretRefused "right_secret_refused" None, "Refuses its own secret.";

    UnknownRouteRedirects "unknown_route_redirects" None, "Redirects unknown routes to its home page.";
    UnknownRouteHtml "unknown_route_html" None, "Answers unknown routes with a web page and 404.";
    UnknownRoute200 "unknown_route_200" None, "Answers unknown routes with 200.";
    WrongMethod405 "wrong_method_405" None, "Answers wrong methods with 405.";

    NoCapabilities "no_capabilities" None, "Declares no capabilities, as version 1 did (legal).";
    NameMissing "name_missing" None, "Says no name.";
    CurrencyNotIso "currency_not_iso" None, "Gives the currency as people write it.";
    CapabilityUnknown "capability_unknown" None, "Declares a capability that does not exist, beside the others.";
    CapabilitiesEmpty "capabilities_empty" None, "Declares an empty list of capabilities.";
    CapabilitiesAsText "capabilities_as_text" None, "Declares its capabilities as one text.";

    ProductsWithoutWrapper "products_without_wrapper" None, "Answers a search with a bare list.";
    SearchIgnoresQ "search_ignores_q" None, "Answers every search with everything.";
    SearchMissesArabic "search_misses_arabic" None, "Finds nothing for words that are not ASCII.";
    SearchOver50 "search_over_50" None, "Answers more than 50 products.";
    ProductNotFound200 "product_not_found_200" None, "Answers null and 200 for a product that does not exist.";
    ProductWrapped "product_wrapped" None, "Wraps the one product.";
    ProductOfAnotherId "product_of_another_id" None, "Answers another product than was asked for.";
    ProductIdMissing "product_id_missing" None, "Lists a product without id.";
    ProductIdTwice "product_id_twice" None, "Lists two products with one id.";
    MissingTitle "missing_title" None, "Lists a product without title.";
    PriceAsText "price_as_text" None, "Gives a price as text with a unit.";
    PriceNegative "price_negative" None, "Gives a price below nothing.";
    InStockAsText "in_stock_as_text" None, "Gives inStock as \"yes\".";
    QuantityAsText "quantity_as_text" None, "Gives a quantity as text.";
    SoldOutInStock "sold_out_in_stock" None, "Says in stock with a quantity of 0.";
    DescriptionAsObject "description_as_object" None, "Gives a description by language.";
    CompareAtPriceAsText "compare_at_price_as_text" None, "Gives the old price as text.";
    CompareAtPriceLower "compare_at_price_lower" None, "Gives an old price below the price.";
    ProductCurrencyNotIso "product_currency_not_iso" None, "Gives a product's currency as people write it.";
    ImageOverHttp "image_over_http" None, "Gives a photo by plain http.";
    UrlRelative "url_relative" None, "Gives a product's link without host.";
    CategoriesAsText "categories_as_text" None, "Gives the categories as one text.";
    VariantsAsMap "variants_as_map" None, "Gives the variants as a map.";
    VariantIdMissing "variant_id_missing" None, "Lists a variant without id.";
    VariantTitleMissing "variant_title_missing" None, "Lists a variant without title.";
    VariantPriceAsText "variant_price_as_text" None, "Gives a variant's price as text.";
    VariantInStockMissing "variant_in_stock_missing" None, "Does not say whether a variant is there.";
    VariantQuantityAsText "variant_quantity_as_text" None, "Gives a variant's quantity as text.";
    VariantOptionsAsList "variant_options_as_list" None, "Gives a variant's options as a list.";

    OrderRepeatedCreatesSecond "order_repeated_creates_second" None, "Makes a second order for a key that was seen.";
    OrderRepeatedAtOnceCreatesSecond "order_repeated_at_once_creates_second" None, "Makes two orders when a key comes twice at once.";
    OrderRepeatedAnswers201 "order_repeated_answers_201" None, "Answers 201 to a key that was seen.";
    OrderAcceptedThenHangs "order_accepted_then_hangs" None, "Takes an order and does not answer, once.";
    OrderAcceptedThen500 "order_accepted_then_500" None, "Takes an order and answers 500, once (legal).";
    OrderCreatedAnswers200 "order_created_answers_200" None, "Answers 200 to a new order (legal).";
    OrderIdsAsNumbers "order_ids_as_numbers" None, "Gives id and number of an order as numbers (legal).";
    OrderWrapped "order_wrapped" None, "Wraps the order that it answers.";
    OrderIdMissing "order_id_missing" None, "Answers orders without id.";
    OrderNumberMissing "order_number_missing" None, "Answers orders without number.";
    OrderStatusMissing "order_status_missing" None, "Answers orders without status.";
    OrderStatusUnknown "order_status_unknown" None, "Gives a status of its own.";
    OrderTotalAsText "order_total_as_text" None, "Gives the total as text.";
    OrderCurrencyNotIso "order_currency_not_iso" None, "Gives an order's currency as people write it.";
    OrderPlacedAtLocal "order_placed_at_local" None, "Gives the time of an order as people write it.";
    TrackingUrlRelative "tracking_url_relative" None, "Gives a tracking link without host.";
    OrderLinesAsText "order_lines_as_text" None, "Gives the lines as one text.";
    OrderWithoutCustomerPhone "order_without_customer_phone" None, "Looks orders up without their phone.";
    CustomerPhoneInOtherFormat "customer_phone_in_other_format" None, "Gives the phone in the national spelling.";
    HashNotFound "hash_not_found" None, "Numbers orders with # and finds them only with it.";
    OrderByIdNotFound "order_by_id_not_found" None, "Finds orders by number alone.";
    UnknownOrder200 "unknown_order_200" None, "Answers null and 200 for an order that does not exist.";
    UnknownVariantAccepted "unknown_variant_accepted" None, "Takes an order of what it does not sell.";
    OrderRefusalWithoutMessage "order_refusal_without_message" None, "Refuses an order without a message.";
    CancelDoesNothing "cancel_does_nothing" None, "Says that it cancelled, and did not.";
    CancelOfShippedSucceeds "cancel_of_shipped_succeeds" None, "Cancels what was shipped.";
    CancelConflictWithoutMessage "cancel_conflict_without_message" None, "Refuses a cancellation without a message.";
    CancelUnknown200 "cancel_unknown_200" None, "Cancels an order that does not exist.";
    CancelAnswersEmpty "cancel_answers_empty" None, "Answers a cancellation with 204 (legal).";
    CancelAnswersWrapped "cancel_answers_wrapped" None, "Answers a cancellation with the order wrapped (legal).";

    LookupUnknownIs404 "lookup_unknown_is_404" None, "Answers 404 for a number without a record.";
    LookupReadsPlusAsSpace "lookup_reads_plus_as_space" None, "Decodes the number's + as a space and finds nobody.";
    CustomerNotWrapped "customer_not_wrapped" None, "Answers a record bare.";
    CustomerNameAsObject "customer_name_as_object" None, "Gives a customer's name in parts.";
    FieldsAsList "fields_as_list" None, "Gives a record's fields as a list.";
    FieldsTooLong "fields_too_long" None, "Gives a field of more than 300 characters.";
    MoreThan30Fields "more_than_30_fields" None, "Gives more than 30 fields.";
    FieldValuesNested "field_values_nested" None, "Gives an object as a field's value.";
    LeadWithoutId "lead_without_id" None, "Answers a lead without the record's id.";
    LeadRepeatedCreatesSecond "lead_repeated_creates_second" None, "Makes a new record for every lead.";

    SlotsWithoutWrapper "slots_without_wrapper" None, "Answers slots as a bare list.";
    MoreThan30Slots "more_than_30_slots" None, "Answers more than 30 slots.";
    SlotsRefuseDatetimes "slots_refuse_datetimes" None, "Understands dates but no datetimes.";
    SlotsOutsideRange "slots_outside_range" None, "Answers slots beyond what was asked for.";
    ServicesAsText "services_as_text" None, "Gives its services as one text.";
    SlotIdMissing "slot_id_missing" None, "Lists a slot without id.";
    SlotIdTwice "slot_id_twice" None, "Lists two slots with one id.";
    SlotWithoutOffset "slot_without_offset" None, "Gives a slot's beginning without offset.";
    SlotEndWithoutOffset "slot_end_without_offset" None, "Gives a slot's end without offset.";
    SlotEndsBeforeStart "slot_ends_before_start" None, "Ends a slot before it begins.";
    SlotServiceMissing "slot_service_missing" None, "Lists a slot without service.";
    AppointmentNotWrapped "appointment_not_wrapped" None, "Answers an appointment bare.";
    AppointmentIdMissing "appointment_id_missing" None, "Answers an appointment without id.";
    AppointmentWithoutOffset "appointment_without_offset" None, "Gives an appointment's beginning without offset.";
    AppointmentAtAnotherTime "appointment_at_another_time" None, "Books an hour later than the slot.";
    AppointmentStatusMissing "appointment_status_missing" None, "Answers an appointment without status.";
    AppointmentRepeatedCreatesSecond "appointment_repeated_creates_second" None, "Makes a second appointment for a key that was seen.";
    AppointmentRepeatedAtOnceCreatesSecond "appointment_repeated_at_once_creates_second" None, "Makes two appointments when a key comes twice at once.";
    AppointmentRepeatedAnswers201 "appointment_repeated_answers_201" None, "Answers 201 to a booking's key that was seen.";
    TakenSlotAnswers200 "taken_slot_answers_200" None, "Books a slot that is taken.";
    SlotConflictWithoutMessage "slot_conflict_without_message" None, "Refuses a taken slot without a message.";
    TakenSlotStillOffered "taken_slot_still_offered" None, "Goes on to offer a slot that is taken.";
    UnknownSlotAccepted "unknown_slot_accepted" None, "Books a slot that does not exist.";
}

impl Fault {
    /// Finds a fault by name.
    pub fn read(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|fault| fault.name() == name)
    }

    /// Returns the number of calls that it affects by default; `None` for all.
    pub(crate) fn times(self) -> Option<u32> {
        let once = [
            Self::ServerErrorOnce,
            Self::RateLimitedOnce,
            Self::RateLimitedWithoutRetryAfter,
            Self::OrderAcceptedThenHangs,
            Self::OrderAcceptedThen500,
        ];
        once.contains(&self).then_some(1)
    }

    /// Returns whether the contract allows it: a client copes, and a checker finds nothing.
    pub fn legal(self) -> bool {
        self.about().ends_with("(legal).")
    }
}
