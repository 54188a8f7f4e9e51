//! Currencies of prices.

use std::{fmt, str::FromStr};

/// A currency by its ISO 4217 code in capitals. Only the form is checked, because codes come and go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

/// Error for a text that is not three Latin letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a three-letter currency code")]
pub struct NotACurrency;

impl Currency {
    pub const IQD: Self = Self(*b"IQD");

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the fewest and the most decimal places of an amount that is not whole (ISO 4217). Iraqi fils
    /// are not in circulation, so an amount shows only as many of their digits as it needs.
    pub fn digits(&self) -> (usize, usize) {
        match self.as_str() {
            "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "UYI"
            | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => (0, 0),
            "IQD" => (0, 3),
            "BHD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => (3, 3),
            "CLF" | "UYW" => (4, 4),
            _ => (2, 2),
        }
    }

    /// Returns the one Arabic sign used for the currency; its code if it has none.
    pub fn arabic(&self) -> &str {
        match self.as_str() {
            "IQD" => "د.ع",
            "AED" => "د.إ",
            "BHD" => "د.ب",
            "DZD" => "د.ج",
            "EGP" => "ج.م",
            "JOD" => "د.أ",
            "KWD" => "د.ك",
            "LBP" => "ل.ل",
            "LYD" => "د.ل",
            "MAD" => "د.م.",
            "OMR" => "ر.ع.",
            "QAR" => "ر.ق",
            "SAR" => "ر.س",
            "SDG" => "ج.س.",
            "SYP" => "ل.س",
            "TND" => "د.ت",
            "YER" => "ر.ي",
            code => code,
        }
    }

    /// Returns the Sorani name of a currency that its speakers pay in; the code of any other.
    pub fn sorani(&self) -> &str {
        match self.as_str() {
            "IQD" => "دینار",
            "USD" => "دۆلار",
            "IRR" => "ڕیاڵ",
            "TRY" => "لیرە",
            code => code,
        }
    }
}

impl FromStr for Currency {
    type Err = NotACurrency;

    fn from_str(text: &str) -> Result<Self, NotACurrency> {
        let letters: [u8; 3] = text.trim().as_bytes().try_into().map_err(|_| NotACurrency)?;
        let code = letters.map(|letter| letter.to_ascii_uppercase());
        if code.iter().all(u8::is_ascii_uppercase) { Ok(Self(code)) } else { Err(NotACurrency) }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Currency({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Currency;

    #[test]
    fn a_code_has_three_latin_letters() {
        for (text, code) in [("IQD", Some("IQD")), ("iqd", Some("IQD")), (" USD ", Some("USD"))] {
            assert_eq!(text.parse::<Currency>().ok().map(|code| code.to_string()).as_deref(), code);
        }
        for text in ["", "IQ", "IQDD", "I D", "12A", "د.ع", "€"] {
            assert!(text.parse::<Currency>().is_err(), "{text}");
        }
    }
}
