//! Codes of refusals. Codes are added and never renamed (docs/use/rest-api.md, "Errors").

use actix_web::http::StatusCode;
use serde::{Serialize, Serializer};

/// Code of either API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Sending(RefusalCode),
    Dashboard(DashboardCode),
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Sending(code) => code.as_str(),
            Self::Dashboard(code) => code.as_str(),
        })
    }
}

macro_rules! codes {
    ($(#[$about:meta])+ $codes:ident: $($(#[$doc:meta])+ $name:ident = $word:literal, $status:ident;)*) => {
        $(#[$about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $codes {
            $($(#[$doc])+ $name,)*
        }

        impl $codes {
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the word on the wire.
            pub(crate) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Returns the status that the code always comes with.
            pub(crate) const fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }
        }
    };
}

/// Codes whose meanings the API's document tells.
macro_rules! documented_codes {
    (
        $(#[$about:meta])+ $codes:ident:
        $($(#[doc = $doc:literal])+ $name:ident = $word:literal, $status:ident;)*
    ) => {
        codes! { $(#[$about])+ $codes: $($(#[doc = $doc])+ $name = $word, $status;)* }

        impl $codes {
            pub(crate) fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_start(),)*
                }
            }
        }
    };
}

documented_codes! {
    /// Why a send was refused, for programs to tell apart.
    RefusalCode:
    /// `to` is no phone number that can exist, or one that may be meant otherwise: write it with `+`.
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
    /// The template is pending, rejected or paused, or its one-time codes would arrive after they have ended.
    TemplateNotApproved = "template_not_approved", CONFLICT;
    /// `from` belongs to an account that does not have this template.
    TemplateNotOnNumber = "template_not_on_number", CONFLICT;
    /// No connected WhatsApp number could send this, or the network does not let its account send.
    NoWhatsappChannel = "no_whatsapp_channel", CONFLICT;
    /// The conversation's Messenger or Instagram channel is not connected.
    NoChannel = "no_channel", CONFLICT;
    /// The plan's limit of active customers is reached, or the subscription is paused.
    PlanLimit = "plan_limit", CONFLICT;
    /// The first request with this `Idempotency-Key` has not finished; retry shortly. It says so for a minute
    /// at most.
    RequestInFlight = "request_in_flight", CONFLICT;
    /// The network refused the message; `message` has its words.
    WhatsappRejected = "whatsapp_rejected", UNPROCESSABLE_ENTITY;
    /// The `Idempotency-Key` was used for a different request.
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY;
    /// The service keeps to a pace, and this is too much at once from this sender or to this person: the
    /// network was not asked. Nothing was sent and the `Idempotency-Key` is not used up: make the same
    /// request again after `Retry-After` seconds.
    HeldBack = "held_back", SERVICE_UNAVAILABLE;
    /// The network could not be reached. Certainly nothing was sent and the `Idempotency-Key` is not used up:
    /// the same request may be made again.
    NetworkUnavailable = "network_unavailable", SERVICE_UNAVAILABLE;
    /// The network was asked, and nobody knows whether it took the message. Events or `GET /v1/messages/{id}`
    /// may tell, or nothing ever will. The same `Idempotency-Key` never sends it again; another one may send
    /// it a second time. In place of a one-time code make a new one.
    OutcomeUnknown = "outcome_unknown", GATEWAY_TIMEOUT;
}

codes! {
    /// Why the dashboard's API refused, for its pages to tell apart.
    DashboardCode:
    /// Nobody is signed in, or no longer.
    NotSignedIn = "not_signed_in", UNAUTHORIZED;
    /// The e-mail address and the password do not fit.
    WrongCredentials = "wrong_credentials", UNAUTHORIZED;
    /// The password is right; a code of the second factor is asked for.
    SecondFactorNeeded = "second_factor_needed", UNAUTHORIZED;
    /// The code is wrong, or was used before.
    WrongCode = "wrong_code", UNAUTHORIZED;
    /// The password is right in several workspaces, those in `workspaces`: name one.
    SeveralWorkspaces = "several_workspaces", CONFLICT;
    /// The password that was to confirm it is another.
    WrongPassword = "wrong_password", FORBIDDEN;
    /// A change that does not come from the dashboard's own pages.
    NotFromDashboard = "not_from_dashboard", FORBIDDEN;
    /// Only an owner may.
    OwnerOnly = "owner_only", FORBIDDEN;
    /// The member is not, or no longer, on the team.
    MemberNotFound = "member_not_found", NOT_FOUND;
    /// There is no such group.
    GroupNotFound = "group_not_found", NOT_FOUND;
    /// Another person holds the conversation: `memberId`.
    HeldByAnother = "held_by_another", CONFLICT;
    /// A move is no longer the newest thing in its conversation, or older than a minute: it is not undone.
    MovedOn = "moved_on", CONFLICT;
    /// The member is not in the group.
    NotInGroup = "not_in_group", CONFLICT;
    /// The conversation has as many tags as it may.
    TooManyTags = "too_many_tags", CONFLICT;
    /// The broadcast is not in a state that allows it.
    BroadcastState = "broadcast_state", CONFLICT;
    /// Nobody of a broadcast's audience can be written to.
    BroadcastToNobody = "broadcast_to_nobody", CONFLICT;
    /// The template of a broadcast is for one-time codes.
    BroadcastOfCodes = "broadcast_of_codes", CONFLICT;
    /// The workspace has as many broadcasts that are not over as it may: 100.
    TooManyBroadcasts = "too_many_broadcasts", CONFLICT;
    /// The workspace has as many lists for broadcasts as it may: 50.
    TooManyBroadcastLists = "too_many_broadcast_lists", CONFLICT;
    /// A broadcast that is not over goes to the list.
    BroadcastListNeeded = "broadcast_list_needed", CONFLICT;
    /// A broadcast that was started, and is not over, goes to people of the group.
    BroadcastGroupNeeded = "broadcast_group_needed", CONFLICT;
    /// Another group has this name, however it is spelled.
    GroupNameTaken = "group_name_taken", CONFLICT;
    /// The workspace has as many groups as it may: 200.
    TooManyGroups = "too_many_groups", CONFLICT;
    /// The workspace has as many API keys that are not revoked as it may: 100.
    TooManyApiKeys = "too_many_api_keys", CONFLICT;
    /// Another canned reply has this shortcut.
    ShortcutTaken = "shortcut_taken", CONFLICT;
    /// The workspace has as many canned replies as it may: 300.
    TooManyCannedReplies = "too_many_canned_replies", CONFLICT;
    /// The assistant has as many documents as it may, 50, or as many passages in them, 2,000.
    TooManyDocuments = "too_many_documents", CONFLICT;
    /// Another automation has this name.
    AutomationNameTaken = "automation_name_taken", CONFLICT;
    /// A list of this workspace is being imported already.
    ImportRunning = "import_running", CONFLICT;
    /// The list is not in UTF-8, and it is not certain in which encoding it is: say `windows-1256`, or save
    /// it anew.
    ListEncoding = "list_encoding", BAD_REQUEST;
    /// The list is a file of a kind that is not read, a workbook that is broken, or one that is too large for
    /// its kind.
    ListUnreadable = "list_unreadable", BAD_REQUEST;
    /// The workspace has as many automations as it may.
    TooManyAutomations = "too_many_automations", CONFLICT;
    /// The invitation's link does not work, or no longer.
    InvitationNotValid = "invitation_not_valid", NOT_FOUND;
    /// Somebody with this e-mail address is a member already.
    AlreadyMember = "already_member", CONFLICT;
    /// The link for another password does not work, or no longer.
    ResetNotValid = "reset_not_valid", NOT_FOUND;
    /// This service sends no mail.
    NoMail = "no_mail", CONFLICT;
    /// Another workspace has connected the account.
    ConnectedElsewhere = "connected_elsewhere", CONFLICT;
    /// The number is registered, by what was last read.
    AlreadyRegistered = "already_registered", CONFLICT;
    /// The number has another PIN.
    WrongPin = "wrong_pin", UNPROCESSABLE_ENTITY;
    /// Too many PINs were tried, or too fast.
    TooManyPins = "too_many_pins", UNPROCESSABLE_ENTITY;
    /// The number has to be verified again at the network first.
    NumberUnverified = "number_unverified", UNPROCESSABLE_ENTITY;
    /// The network does not let the number be registered.
    NotRegistrable = "not_registrable", UNPROCESSABLE_ENTITY;
    /// The number was deregistered a moment ago: wait five minutes.
    JustDeregistered = "just_deregistered", UNPROCESSABLE_ENTITY;
    /// The number was registered as often as the network lets it be: ten times in 72 hours.
    RegistrationsSpent = "registrations_spent", UNPROCESSABLE_ENTITY;
    /// The sign-up at the network was not begun in this session, is over, or took more than ten minutes.
    SignUpNotBegun = "sign_up_not_begun", NOT_FOUND;
    /// The network's dialog was left without agreeing.
    SignUpDenied = "sign_up_denied", UNPROCESSABLE_ENTITY;
    /// What a token opens was listed more than ten minutes ago, or in another session: list it again.
    OfferNotValid = "offer_not_valid", NOT_FOUND;
    /// The network refused; the message has its words.
    NetworkRefused = "network_refused", UNPROCESSABLE_ENTITY;
    /// The account has a template of this name in this language.
    TemplateExists = "template_exists", CONFLICT;
    /// The template is being reviewed, or it is approved and its category stays.
    TemplateFixed = "template_fixed", CONFLICT;
    /// The workspace has a webhook address with this URL; only the dashboard's pages refuse a second one.
    WebhookExists = "webhook_exists", CONFLICT;
    /// The workspace has as many webhook addresses as it may: 10.
    TooManyWebhooks = "too_many_webhooks", CONFLICT;
    /// The webhook address is disabled: resume it first.
    WebhookDisabled = "webhook_disabled", CONFLICT;
    /// As many windows of the workspace are being sent again as may be: ten.
    TooManyResends = "too_many_resends", CONFLICT;
    /// The workspace has connected no system of its own.
    NoSystem = "no_system", NOT_FOUND;
    /// The address of a system may not be called, or its secret is none: `field`.
    SystemInvalid = "system_invalid", BAD_REQUEST;
    /// The system does not accept the secret.
    SystemRefusesSecret = "system_refuses_secret", UNPROCESSABLE_ENTITY;
    /// The system leads to another address: register that one.
    SystemMisdirects = "system_misdirects", UNPROCESSABLE_ENTITY;
    /// The system did not introduce itself as the contract says; the message says why.
    SystemUnverified = "system_unverified", UNPROCESSABLE_ENTITY;
    /// The system does not declare what this needs: `capability`.
    SystemUndeclared = "system_undeclared", CONFLICT;
    /// The system is not called now, for its `state`; wait `Retry-After` seconds.
    SystemUnavailable = "system_unavailable", SERVICE_UNAVAILABLE;
    /// The system refused: `status`, and in `message` what it said, for the team.
    SystemRefused = "system_refused", UNPROCESSABLE_ENTITY;
    /// The system did not answer, or not as the contract says; the message says how.
    SystemFailed = "system_failed", BAD_GATEWAY;
    /// The network has told no number of whoever writes in the conversation.
    NoVerifiedNumber = "no_verified_number", CONFLICT;
    /// A product cannot be ordered, or none is left: `line`, from 1.
    NotOrderable = "not_orderable", CONFLICT;
    /// The system does not offer the slot at that time.
    SlotGone = "slot_gone", CONFLICT;
    /// The order is cancelled already.
    AlreadyCancelled = "already_cancelled", CONFLICT;
    /// The workspace's own system has a calendar: propose one of its slots.
    SystemBooks = "system_books", CONFLICT;
    /// The installation has no language model.
    NoModel = "no_model", CONFLICT;
    /// The workspace has as many questions to test the assistant with as it may: 100.
    TooManyTestQuestions = "too_many_test_questions", CONFLICT;
    /// There are no questions to test the assistant with.
    NoTestQuestions = "no_test_questions", CONFLICT;
    /// The questions that the assistant is tested with are being asked already.
    RehearsalRunning = "rehearsal_running", CONFLICT;
    /// Four fifths of the day's tokens are spent: the rest is for customers.
    TokensNearlySpent = "tokens_nearly_spent", CONFLICT;
    /// The installation lets workspaces use no key of their own to the language model.
    OwnKeysRefused = "own_keys_refused", CONFLICT;
    /// The last owner stays one.
    LastOwner = "last_owner", CONFLICT;
    /// A second factor is on already.
    SecondFactorOn = "second_factor_on", CONFLICT;
    /// No second factor was offered that could be confirmed.
    SecondFactorNotOffered = "second_factor_not_offered", CONFLICT;
    /// The invitation stands, but its mail cannot be sent now.
    MailFailed = "mail_failed", BAD_GATEWAY;
    /// There is no such attachment that the member uploaded within a day.
    AttachmentNotFound = "attachment_not_found", NOT_FOUND;
    /// The attachment was sent already.
    AttachmentUsed = "attachment_used", CONFLICT;
    /// The network takes no such file.
    AttachmentType = "attachment_type", UNSUPPORTED_MEDIA_TYPE;
    /// The network takes no file of this size: `mostBytes`.
    AttachmentTooLarge = "attachment_too_large", PAYLOAD_TOO_LARGE;
    /// Too many attachments of the workspace wait to be sent.
    TooManyAttachments = "too_many_attachments", CONFLICT;
    /// The attachments of the workspace that wait to be sent would be too large together.
    TooManyAttachmentBytes = "too_many_attachment_bytes", CONFLICT;
    /// The body is packed by a `Content-Encoding`, which is not taken here: send it as it is.
    ContentEncoding = "content_encoding", UNSUPPORTED_MEDIA_TYPE;
    /// Too many tries at a password or a code, too many invitations or pings; wait `Retry-After` seconds.
    TooManyTries = "too_many_tries", TOO_MANY_REQUESTS;
    /// The session has as many streams of events open as it may: 10.
    TooManyStreams = "too_many_streams", TOO_MANY_REQUESTS;
    /// As many exports of the workspace are being written as may be: three.
    TooManyExports = "too_many_exports", TOO_MANY_REQUESTS;
    /// As many searches of the member, or of the workspace, are under way as may be: four, or eight; wait
    /// `Retry-After` seconds.
    TooManySearches = "too_many_searches", TOO_MANY_REQUESTS;
}
