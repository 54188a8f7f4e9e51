//! What can be wrong, in words for whoever writes the receiver.

/// One thing that stands between a delivery and its signature, or is worth knowing though it does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// Nothing was given.
    #[error("the header is empty: take the value of X-Service-Signature from the request")]
    HeaderEmpty,
    /// The name stands before the value.
    #[error("the header's name stands before its value: verify what comes after `X-Service-Signature:`")]
    HeaderName,
    /// In quotes.
    #[error("the header stands in quotes that were not sent: take them off")]
    HeaderQuotes,
    /// Something other than a comma between its elements.
    #[error("the header's elements are not separated by commas, as they were sent")]
    HeaderSeparator,
    /// Spaces around an equals sign.
    #[error("there are spaces around an `=` of the header that were not sent")]
    HeaderSpaces,
    /// Names of elements in capitals.
    #[error("the names in the header are in capitals; they are sent as `t` and `v1`")]
    HeaderCapitals,
    /// No time.
    #[error(
        "the header has no `t`: its form is `t=<unix seconds>,v1=<64 hex digits>`, and both are needed whole"
    )]
    NoTime,
    /// A time that is none.
    #[error("the header's `t` is no whole number of seconds")]
    TimeForm,
    /// A header that says two things.
    #[error("the header has {count} `t`; it is sent with one, and a receiver refuses more")]
    SeveralTimes {
        /// How many.
        count: usize,
    },
    /// Written in milliseconds.
    #[error("the header's `t` is in milliseconds; it is sent, and signed, in seconds")]
    TimeInMilliseconds,
    /// No HMAC.
    #[error(
        "the header has no `v1`: its form is `t=<unix seconds>,v1=<64 hex digits>`, and both are needed whole"
    )]
    NoTag,
    /// An HMAC of another length or alphabet.
    #[error(
        "a `v1` of the header is not 64 hex digits but {length} characters: it was cut or changed on its way"
    )]
    TagForm {
        /// Characters it has.
        length: usize,
    },
    /// An HMAC in base64.
    #[error("`v1` is written in base64; it is sent in hex")]
    TagInBase64,
    /// Worth knowing only.
    #[error(
        "`v1` is in capitals; it is sent in small letters, so a receiver that compares texts will refuse it"
    )]
    TagInCapitals,
    /// Worth knowing only.
    #[error(
        "the header has {count} `v1`, as while a secret is rotated: it is enough that one of them matches"
    )]
    SeveralTags {
        /// How many.
        count: usize,
    },
    /// Of the Standard Webhooks headers.
    #[error("webhook-id is empty: it is signed with the body")]
    StandardId,
    /// Of the Standard Webhooks headers.
    #[error("webhook-timestamp is no whole number of seconds")]
    StandardTime,
    /// Of the Standard Webhooks headers.
    #[error(
        "webhook-signature is not of the form `v1,<base64 of 32 bytes>`, again after a space for each further one"
    )]
    StandardTag,
    /// Pasted with white space.
    #[error("there is white space around the secret, such as a line break from a file: take it off")]
    SecretSpaces,
    /// In quotes.
    #[error("the secret stands in quotes that are no part of it: take them off")]
    SecretQuotes,
    /// `NAME=whsec_…`.
    #[error("something stands before the secret's `whsec_`: the secret begins there")]
    SecretAssignment,
    /// Without its prefix.
    #[error("the secret's `whsec_` is missing: it is part of the key")]
    SecretPrefix,
    /// In capitals.
    #[error("the secret is in capitals; its digits are small letters")]
    SecretCapitals,
    /// Not a secret of ours.
    #[error(
        "the secret is not `whsec_` and {DIGITS} hex digits, as ours are: is it whole, and this address's?"
    )]
    SecretForm,
    /// Nothing was given.
    #[error("the body is empty: it was probably read before it was verified; keep the raw bytes")]
    BodyEmpty,
    /// White space at an end.
    #[error("white space was added at an end of the body, such as the line break of an editor or of `echo`")]
    BodyEnds,
    /// A byte-order mark.
    #[error("a byte-order mark was put before the body")]
    BodyMark,
    /// Parsed and printed again.
    #[error(
        "the body was parsed and printed again, with {what}: verify the raw bytes, before anything parses them"
    )]
    BodyReprinted {
        /// What is different.
        what: Reprinted,
    },
    /// A JSON string that holds the body.
    #[error("the body was encoded as a JSON string once more: verify what is inside it")]
    BodyInString,
    /// As some gateways hand it on.
    #[error("the body is in base64, as some gateways hand it on: decode it first")]
    BodyInBase64,
    /// UTF-8 read as Latin-1.
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
    /// Nothing fits, and the body looks as it was sent.
    #[error(
        "`v1` does not match, and the body looks as it was sent: this is not the address's current secret (each \
         address has its own, and rotating replaces it), or this header came with another delivery"
    )]
    OtherSecret,
    /// Nothing fits.
    #[error(
        "`v1` does not match: the body is not what was sent, the secret is not this address's current one, or the \
         header came with another delivery"
    )]
    NoMatch,
    /// Signed too long ago.
    #[error(
        "it was signed {seconds} s before the time it is judged at, and 300 s are allowed: a delivery that is played again, or a clock that is fast"
    )]
    TooOld {
        /// How long.
        seconds: u64,
    },
    /// Signed in the future.
    #[error(
        "it was signed {seconds} s after the time it is judged at, and 300 s are allowed: a clock that is slow"
    )]
    TooNew {
        /// How long.
        seconds: u64,
    },
    /// A time zone between the clocks.
    #[error("the clocks differ by {hours} h to the minute: local time is taken for UTC somewhere")]
    TimeZone {
        /// Such as `3` or `5.5`.
        hours: String,
    },
    /// The judge's clock counts otherwise.
    #[error("the time it is judged at is in milliseconds; signatures are dated in seconds")]
    ClockInMilliseconds,
}

/// What printing again changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reprinted {
    /// White space between tokens.
    Spaced,
    /// `\u0633` or `\/` for what is sent as it is.
    Escaped,
    /// Both.
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

/// Hex digits of a secret after its prefix.
pub(super) const DIGITS: usize = 64;
