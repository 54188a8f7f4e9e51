//! Currencies in use, by their code of ISO 4217.

const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN \
    BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS \
    GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK \
    LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB \
    PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS \
    TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XDR XOF XPF XSU XUA \
    YER ZAR ZMW ZWG";

/// Returns whether `code` is one of them, in capital letters.
pub(super) fn is_known(code: &str) -> bool {
    code.len() == 3 && CODES.split_ascii_whitespace().any(|known| known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_currency_is_known_by_its_code_alone() {
        for (code, known) in
            [("IQD", true), ("USD", true), ("iqd", false), ("IQR", false), ("د.ع", false), ("", false)]
        {
            assert_eq!(is_known(code), known, "{code}");
        }
    }
}
