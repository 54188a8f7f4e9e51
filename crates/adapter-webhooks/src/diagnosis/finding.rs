//! Possible faults, in words for the author of a receiver.

/// One reason why a delivery fails verification, or a note worth knowing though it does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    #[error("the header is empty: take the value of X-Service-Signature from the request")]
    HeaderEmpty,
    #[error("the header's name stands before its value: verify what comes after `X-Service-Signature:`")]
    HeaderName,
    #[error("the header stands in quotes that were not sent: take them off")]
    HeaderQuotes,
    #[error("the header's elements are not separated by commas, as they were sent")]
    HeaderSeparator,
    #[error("there are spaces around an `=` of the header that were not sent")]
    HeaderSpaces,
    #[error("the names in the header are in capitals; they are sent as `t` and `v1`")]
    HeaderCapitals,
    #[error(
        "the header has no `t`: its form is `t=<unix seconds>,v1=<64 hex digits>`, and both are needed whole"
    )]
    NoTime,
    #[error("the header's `t` is no whole number of seconds")]
    TimeForm,
    #[error("the header has {count} `t`; it is sent with one, and a receiver refuses more")]
    SeveralTimes {
        /// Number of `t`.
        count: usize,
    },
    #[error("the header's `t` is in milliseconds; it is sent, and signed, in seconds")]
    TimeInMilliseconds,
    #[error(
        "the header has no `v1`: its form is `t=<unix seconds>,v1=<64 hex digits>`, and both are needed whole"
    )]
    NoTag,
    #[error(
        "a `v1` of the header is not 64 hex digits but {length} characters: it was cut or changed on its way"
    )]
    TagForm {
        /// Number of its characters.
        length: usize,
    },
    #[error("`v1` is written in base64; it is sent in hex")]
    TagInBase64,
    /// A note, not a reason.
    #[error(
        "`v1` is in capitals; it is sent in small letters, so a receiver that compares texts will refuse it"
    )]
    TagInCapitals,
    /// A note, not a reason.
    #[error(
        "the header has {count} `v1`, as while a secret is rotated: it is enough that one of them matches"
    )]
    SeveralTags {
        /// Number of `v1`.
        count: usize,
    },
    #[error("webhook-id is empty: it is signed with the body")]
    StandardId,
    #[error("webhook-timestamp is no whole number of seconds")]
    StandardTime,
    #[error(
        "webhook-signature is not of the form `v1,<base64 of 32 bytes>`, again after a space for each further one"
    )]
    StandardTag,
    #[error("there is white space around the secret, such as a line break from a file: take it off")]
    SecretSpaces,
    #[error("the secret stands in quotes that are no part of it: take them off")]
    SecretQuotes,
    /// `NAME=whsec_…`.
    #[error("something stands before the secret's `whsec_`: the secret begins there")]
    SecretAssignment,
    #[error("the secret's `whsec_` is missing: it is part of the key")]
    SecretPrefix,
    #[error("the secret is in capitals; its digits are small letters")]
    SecretCapitals,
    #[error(
        "the secret is not `whsec_` and {DIGITS} hex digits, as ours are: is it whole, and this address's?"
    )]
    SecretForm,
    #[error("the body is empty: it was probably read before it was verified; keep the raw bytes")]
    BodyEmpty,
    #[error("white space was added at an end of the body, such as the line break of an editor or of `echo`")]
    BodyEnds,
    #[error("a byte-order mark was put before the body")]
    BodyMark,
    #[error(
        "the body was parsed and printed again, with {what}: verify the raw bytes, before anything parses them"
    )]
    BodyReprinted {
        /// Changes made by the printing.
        what: Reprinted,
    },
    #[error("the body was encoded as a JSON string once more: verify what is inside it")]
    BodyInString,
    #[error("the body is in base64, as some gateways hand it on: decode it first")]
    BodyInBase64,
    #[error("the body's UTF-8 was read as Latin-1 and encoded again: keep bytes, not text")]
    BodyCharset,
    /// A guess: characters that could not be read are gone.
    #[error(
        "the body holds replacement characters (U+FFFD): it was read in another character set; keep bytes, not text"
    )]
    BodyReplaced,
    /// A guess: the first field is another.
    #[error(
        "the body does not begin with its `id`, as it was sent: it was parsed and printed in another order"
    )]
    BodyReordered,
    /// Nothing matches, and the body looks as it was sent.
    #[error(
        "`v1` does not match, and the body looks as it was sent: this is not the address's current secret (each \
         address has its own, and rotating replaces it), or this header came with another delivery"
    )]
    OtherSecret,
    #[error(
        "`v1` does not match: the body is not what was sent, the secret is not this address's current one, or the \
         header came with another delivery"
    )]
    NoMatch,
    #[error(
        "it was signed {seconds} s before the time it is judged at, and 300 s are allowed: a delivery that is played again, or a clock that is fast"
    )]
    TooOld {
        /// Seconds between the signature and the time it is judged at.
        seconds: u64,
    },
    #[error(
        "it was signed {seconds} s after the time it is judged at, and 300 s are allowed: a clock that is slow"
    )]
    TooNew {
        /// Seconds between the time it is judged at and the signature.
        seconds: u64,
    },
    #[error("the clocks differ by {hours} h to the minute: local time is taken for UTC somewhere")]
    TimeZone {
        /// Such as `3` or `5.5`.
        hours: String,
    },
    #[error("the time it is judged at is in milliseconds; signatures are dated in seconds")]
    ClockInMilliseconds,
}

/// Changes made by printing JSON again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reprinted {
    /// White space between tokens.
    Spaced,
    /// `\u0633` or `\/` for what is sent as it is.
    Escaped,
    SpacedAndEscaped,
}

impl std::fmt::Display for Reprinted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Spaced => "other spacing",
            Self::Escaped => "other escapes (such as \\u0633 or \\/)",
            Self::SpacedAndEscaped => "other spacing and other escapes (such as \\u0633 or \\/)",
        })
    }
}

/// Number of hex digits of a secret after its prefix.
pub(super) const DIGITS: usize = 64;
