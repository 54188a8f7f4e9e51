//! The Graph API's error codes: HTTP status and title (docs/run/networks.md, "Error codes").

/// HTTP status and title of a code, unless an answer overrides them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code {
    pub(crate) http_status: u16,
    pub(crate) title: &'static str,
}

/// Looks up a code; an unknown one is a plain 400.
pub(crate) fn of(code: i64) -> Code {
    // 200 to 299 are one code: a permission that the token lacks.
    let listed = if (200..300).contains(&code) { 200 } else { code };
    let known = CODES.iter().find(|(known, _, _)| *known == listed);
    known.map_or(Code { http_status: 400, title: "Unknown error" }, |(_, http_status, title)| Code {
        http_status: *http_status,
        title,
    })
}

const CODES: &[(i64, u16, &str)] = &[
    (0, 401, "AuthException"),
    (1, 400, "API Unknown"),
    (2, 503, "API Service"),
    (3, 500, "API Method"),
    (4, 400, "API Too Many Calls"),
    (10, 403, "Permission Denied"),
    (33, 400, "Parameter value is not valid"),
    (100, 400, "Invalid parameter"),
    (190, 401, "Access token has expired"),
    (200, 403, "API Permission"),
    (368, 403, "Temporarily blocked for policies violations"),
    (80_007, 400, "Rate limit issues"),
    (130_403, 400, "Recipient is blocked by the business"),
    (130_429, 400, "Rate limit hit"),
    (130_472, 400, "User's number is part of an experiment"),
    (130_497, 403, "Business account is restricted from messaging users in this country."),
    (131_000, 500, "Something went wrong"),
    (131_005, 403, "Access denied"),
    (131_008, 400, "Required parameter is missing"),
    (131_009, 400, "Parameter value is not valid"),
    (131_016, 500, "Service unavailable"),
    (131_021, 400, "Recipient cannot be sender"),
    (131_026, 400, "Message undeliverable"),
    (131_030, 400, "Recipient phone number not in allowed list"),
    (131_031, 403, "Account has been locked"),
    (131_037, 400, "Display name not approved"),
    (131_042, 400, "Business eligibility payment issue"),
    (131_045, 500, "Incorrect certificate"),
    (131_047, 400, "Re-engagement message"),
    (131_048, 400, "Spam rate limit hit"),
    (131_049, 400, "Meta chose not to deliver"),
    (131_050, 400, "User has stopped marketing messages"),
    (131_051, 400, "Unsupported message type"),
    (131_052, 400, "Media download error"),
    (131_053, 400, "Media upload error"),
    (131_056, 400, "(Business Account, Consumer Account) pair rate limit hit"),
    (131_057, 500, "Account in maintenance mode"),
    (131_062, 400, "Business-scoped user id recipients are not supported for this message"),
    (132_000, 400, "Number of parameters does not match the expected number of params"),
    (132_001, 404, "Template name does not exist in the translation"),
    (132_005, 400, "Translated text too long"),
    (132_007, 400, "Template format character policy violated"),
    (132_008, 400, "Template parameter value is not valid"),
    (132_012, 400, "Parameter format does not match format in the created template"),
    (132_015, 400, "Template is paused"),
    (132_016, 400, "Template is disabled"),
    (132_018, 400, "There's an issue with the parameters in your template"),
    (132_068, 400, "Flow is blocked"),
    (132_069, 400, "Flow is throttled"),
    (133_000, 500, "Incomplete deregistration"),
    (133_004, 503, "Server temporarily unavailable"),
    (133_005, 400, "Two-step verification PIN mismatch"),
    (133_006, 400, "Phone number re-verification needed"),
    (133_008, 400, "Too many two-step verification PIN guesses"),
    (133_009, 400, "Two-step verification PIN guessed too fast"),
    (133_010, 400, "Account not registered"),
    (133_015, 400, "Please wait a few minutes before attempting to register this phone number"),
    (133_016, 400, "Account register deregister rate limit exceeded"),
    (134_102, 500, "Service unavailable"),
    (135_000, 400, "Generic user error"),
];
