//! The fixed words of refusals (REST API v1, Errors). They are added to and never renamed.

use actix_web::http::StatusCode;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal, $status:ident;)*) => {
        /// Why a send was refused, for programs to tell apart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum RefusalCode {
            $($(#[doc = $doc])+ $name,)*
        }

        impl RefusalCode {
            /// Every code.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its word on the wire.
            pub(crate) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// The status it always comes with.
            pub(crate) const fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }

            /// What it means, for the API's document.
            pub(crate) fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_start(),)*
                }
            }
        }
    };
}

codes! {
    /// `to` is no phone number that can exist.
    InvalidPhone = "invalid_phone", BAD_REQUEST;
    /// Too few values in `variables`, too many, or one under a name that the template does not have.
    VariablesMismatch = "variables_mismatch", BAD_REQUEST;
    /// A value in `variables` is blank.
    VariableEmpty = "variable_empty", BAD_REQUEST;
    /// A one-time-code template was sent without `code`.
    CodeRequired = "code_required", BAD_REQUEST;
    /// `code` is not 1 to 15 letters, digits and dashes.
    InvalidCode = "invalid_code", BAD_REQUEST;
    /// The template's header needs a value that did not come.
    HeaderRequired = "header_required", BAD_REQUEST;
    /// A header value came that the template has no place for.
    HeaderNotAllowed = "header_not_allowed", BAD_REQUEST;
    /// `buttonVariables` does not hold one value for each URL button that needs one.
    ButtonVariablesMismatch = "button_variables_mismatch", BAD_REQUEST;
    /// `from` is no connected number of the workspace.
    UnknownSender = "unknown_sender", BAD_REQUEST;
    /// The person who made the key has left the workspace.
    AuthorLeft = "author_left", CONFLICT;
    /// There is no template of that name and language.
    TemplateNotFound = "template_not_found", NOT_FOUND;
    /// The template is pending, rejected or paused.
    TemplateNotApproved = "template_not_approved", CONFLICT;
    /// `from` belongs to an account that does not have this template.
    TemplateNotOnNumber = "template_not_on_number", CONFLICT;
    /// No connected WhatsApp number could send this.
    NoWhatsappChannel = "no_whatsapp_channel", CONFLICT;
    /// The conversation's Messenger or Instagram channel is not connected.
    NoChannel = "no_channel", CONFLICT;
    /// The plan's limit of active customers is reached, or the subscription is paused.
    PlanLimit = "plan_limit", CONFLICT;
    /// The first request with this `Idempotency-Key` has not finished; retry shortly.
    RequestInFlight = "request_in_flight", CONFLICT;
    /// The network refused the message; `message` has its words.
    WhatsappRejected = "whatsapp_rejected", UNPROCESSABLE_ENTITY;
    /// The `Idempotency-Key` was used for a different request.
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY;
    /// The network could not be reached. Certainly nothing was sent and the `Idempotency-Key` is not used up:
    /// the same request may be made again.
    NetworkUnavailable = "network_unavailable", SERVICE_UNAVAILABLE;
    /// The network was asked and did not say whether it took the message. A delivery event will tell; until
    /// then the same `Idempotency-Key` never sends it again.
    OutcomeUnknown = "outcome_unknown", GATEWAY_TIMEOUT;
}
