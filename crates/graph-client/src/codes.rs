//! Meaning of error codes for the request that got them (docs/run/networks.md, "Error codes").

/// Product of the Graph API that answered; some codes differ between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    WhatsApp,
    Messenger,
}

/// Consequence of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Nothing was sent; trying again soon may work.
    Retry,
    /// A passing fault of the network; the request may have taken effect.
    Ambiguous,
    /// A limit that lasts for hours; trying again soon makes it worse.
    Later,
    Final,
    /// A fault of the account, number or token: nothing will work until somebody acts.
    Channel,
}

/// Classifies a refusal by its code, or by the HTTP status if the code is unknown: throttling (429) is
/// [`Class::Retry`], any other 4xx [`Class::Final`], everything else [`Class::Ambiguous`].
pub fn classify(code: i64, subcode: Option<i64>, http_status: u16, surface: Surface) -> Class {
    let known = match surface {
        Surface::WhatsApp => whatsapp(code, subcode),
        Surface::Messenger => messenger(code, subcode),
    };
    known.or_else(|| common(code, subcode)).unwrap_or(match http_status {
        429 => Class::Retry,
        400..=499 => Class::Final,
        _ => Class::Ambiguous,
    })
}

fn common(code: i64, subcode: Option<i64>) -> Option<Class> {
    Some(match (code, subcode) {
        (4 | 17 | 32 | 613, _) => Class::Retry,
        (1 | 2, _) => Class::Ambiguous,
        (0 | 3 | 10 | 33 | 190 | 200..=299 | 368, _) => Class::Channel,
        (100, _) => Class::Final,
        _ => return None,
    })
}

fn whatsapp(code: i64, subcode: Option<i64>) -> Option<Class> {
    if (code, subcode) == (100, Some(33)) {
        // The object is missing or invisible to the token, and sends name no object but the number.
        return Some(Class::Channel);
    }
    Some(match code {
        80_007 | 130_429 | 131_056 | 131_057 | 134_101 | 2_494_100 => Class::Retry,
        131_000 | 131_016 | 133_004 => Class::Ambiguous,
        131_048 | 131_064 | 133_015 | 133_016 => Class::Later,
        131_005
        | 131_031
        | 131_037
        | 131_042
        | 131_045
        | 133_000
        | 133_005
        | 133_006
        | 133_008..=133_010
        | 134_102 => Class::Channel,
        130_403
        | 130_472
        | 130_497
        | 131_008
        | 131_009
        | 131_014
        | 131_021
        | 131_026
        | 131_030
        | 131_047
        | 131_049..=131_053
        | 131_062
        | 131_063
        | 132_000..=132_999
        | 134_100
        | 135_000 => Class::Final,
        _ => return None,
    })
}

fn messenger(code: i64, subcode: Option<i64>) -> Option<Class> {
    Some(match (code, subcode) {
        (9, Some(2_018_352)) => Class::Retry,
        // Outside the allowed window, the person does not receive or is not available (551), another app holds
        // the conversation (2018300, 2018321), no consent to read the profile (230).
        (10, Some(2_018_278 | 2_534_022 | 2_018_065 | 2_018_108))
        | (551 | 2_018_300 | 2_018_321 | 230, _)
        | (200, Some(1_545_041)) => Class::Final,
        // The page is restricted or blocked, or its link to Instagram is broken.
        (2022, _) | (100, Some(2_534_013 | 2_534_029)) => Class::Channel,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Class::{Ambiguous, Channel, Final, Later, Retry};
    use super::*;

    type Codes = &'static [(i64, Option<i64>)];

    #[test]
    fn whatsapp_codes_have_their_class_whatever_the_status() {
        let table: [(Class, &[i64]); 5] = [
            (Retry, &[4, 613, 80_007, 130_429, 131_056, 131_057, 134_101, 2_494_100]),
            (Ambiguous, &[1, 2, 131_000, 131_016, 133_004]),
            (Later, &[131_048, 131_064, 133_015, 133_016]),
            (
                Final,
                &[
                    100, 130_403, 130_472, 130_497, 131_008, 131_009, 131_014, 131_021, 131_026, 131_030,
                    131_047, 131_049, 131_050, 131_051, 131_053, 131_062, 131_063, 132_000, 132_001, 132_005,
                    132_007, 132_008, 132_012, 132_015, 132_016, 132_018, 132_068, 132_069, 134_100, 135_000,
                ],
            ),
            (
                Channel,
                &[
                    0, 3, 10, 33, 190, 200, 250, 299, 368, 131_005, 131_031, 131_037, 131_042, 131_045,
                    133_000, 133_005, 133_006, 133_008, 133_009, 133_010, 134_102,
                ],
            ),
        ];
        for (class, codes) in table {
            for code in codes {
                for status in [400, 401, 403, 404, 429, 500, 503] {
                    assert_eq!(
                        classify(*code, None, status, Surface::WhatsApp),
                        class,
                        "{code} with {status}"
                    );
                }
            }
        }
        assert_eq!(classify(100, Some(33), 400, Surface::WhatsApp), Channel);
        assert_eq!(classify(190, Some(463), 401, Surface::WhatsApp), Channel);
        assert_eq!(classify(130_429, Some(2_494_055), 400, Surface::WhatsApp), Retry);
    }

    #[test]
    fn messenger_codes_have_their_class() {
        let table: [(Class, Codes); 4] = [
            (
                Retry,
                &[
                    (4, None),
                    (17, None),
                    (32, None),
                    (613, Some(2_534_040)),
                    (613, None),
                    (9, Some(2_018_352)),
                ],
            ),
            (Ambiguous, &[(1, Some(99)), (1, Some(1_357_046)), (1, None), (2, None)]),
            (
                Final,
                &[
                    (10, Some(2_018_278)),
                    (10, Some(2_534_022)),
                    (10, Some(2_018_065)),
                    (10, Some(2_018_108)),
                    (551, None),
                    (551, Some(1_545_041)),
                    (200, Some(1_545_041)),
                    (100, Some(2_018_001)),
                    (100, Some(2_534_014)),
                    (100, Some(2_018_008)),
                    (100, Some(2_534_015)),
                    (100, None),
                    (100, Some(2_534_037)),
                    (2_018_300, None),
                    (2_018_321, None),
                    (230, None),
                ],
            ),
            (
                Channel,
                &[
                    (10, Some(1_893_063)),
                    (2022, None),
                    (368, None),
                    (10, Some(2_534_077)),
                    (100, Some(2_534_013)),
                    (10, None),
                    (200, Some(2_018_028)),
                    (200, None),
                    (100, Some(2_534_029)),
                    (190, Some(460)),
                    (190, None),
                    (200, Some(2_534_041)),
                ],
            ),
        ];
        for (class, codes) in table {
            for (code, subcode) in codes {
                assert_eq!(classify(*code, *subcode, 400, Surface::Messenger), class, "{code}/{subcode:?}");
            }
        }
    }

    #[test]
    fn an_unknown_code_is_judged_by_the_status() {
        for surface in [Surface::WhatsApp, Surface::Messenger] {
            for (status, class) in
                [(400, Final), (404, Final), (429, Retry), (500, Ambiguous), (503, Ambiguous)]
            {
                assert_eq!(classify(999_999, None, status, surface), class, "{status}");
            }
        }
    }
}
