//! Countries that touch: from a neighbour a number comes without a plus sign most easily.

use super::plan;

/// Every border on land, and the bridges of Bahrain, once each, the earlier code first.
const BORDERS: &str = "\
    AD-ES AD-FR AE-OM AE-SA AF-CN AF-IR AF-PK AF-TJ AF-TM AF-UZ AL-GR AL-ME AL-MK AL-XK AM-AZ AM-GE AM-IR \
    AM-TR AO-CD AO-CG AO-NA AO-ZM AR-BO AR-BR AR-CL AR-PY AR-UY AT-CH AT-CZ AT-DE AT-HU AT-IT AT-LI AT-SI \
    AT-SK AZ-GE AZ-IR AZ-RU AZ-TR BA-HR BA-ME BA-RS BD-IN BD-MM BE-DE BE-FR BE-LU BE-NL BF-BJ BF-CI BF-GH \
    BF-ML BF-NE BF-TG BG-GR BG-MK BG-RO BG-RS BG-TR BH-QA BH-SA BI-CD BI-RW BI-TZ BJ-NE BJ-NG BJ-TG BN-MY \
    BO-BR BO-CL BO-PE BO-PY BR-CO BR-GF BR-GY BR-PE BR-PY BR-SR BR-UY BR-VE BT-CN BT-IN BW-NA BW-ZA BW-ZM \
    BW-ZW BY-LT BY-LV BY-PL BY-RU BY-UA BZ-GT BZ-MX CA-US CD-CF CD-CG CD-RW CD-SS CD-TZ CD-UG CD-ZM CF-CG \
    CF-CM CF-SD CF-SS CF-TD CG-CM CG-GA CH-DE CH-FR CH-IT CH-LI CI-GH CI-GN CI-LR CI-ML CL-PE CM-GA CM-GQ \
    CM-NG CM-TD CN-HK CN-IN CN-KG CN-KP CN-KZ CN-LA CN-MM CN-MN CN-MO CN-NP CN-PK CN-RU CN-TJ CN-VN CO-EC \
    CO-PA CO-PE CO-VE CR-NI CR-PA CZ-DE CZ-PL CZ-SK DE-DK DE-FR DE-LU DE-NL DE-PL DJ-ER DJ-ET DJ-SO DO-HT \
    DZ-EH DZ-LY DZ-MA DZ-ML DZ-MR DZ-NE DZ-TN EC-PE EE-LV EE-RU EG-IL EG-LY EG-PS EG-SD EH-MA EH-MR ER-ET \
    ER-SD ES-FR ES-GI ES-MA ES-PT ET-KE ET-SD ET-SO ET-SS FI-NO FI-RU FI-SE FR-IT FR-LU FR-MC GA-GQ GB-IE \
    GE-RU GE-TR GF-SR GH-TG GM-SN GN-GW GN-LR GN-ML GN-SL GN-SN GR-MK GR-TR GT-HN GT-MX GT-SV GW-SN GY-SR \
    GY-VE HN-NI HN-SV HR-HU HR-ME HR-RS HR-SI HU-RO HU-RS HU-SI HU-SK HU-UA ID-MY ID-PG ID-TL IL-JO IL-LB \
    IL-PS IL-SY IN-MM IN-NP IN-PK IQ-IR IQ-JO IQ-KW IQ-SA IQ-SY IQ-TR IR-PK IR-TM IR-TR IT-SI IT-SM IT-VA \
    JO-PS JO-SA JO-SY KE-SO KE-SS KE-TZ KE-UG KG-KZ KG-TJ KG-UZ KH-LA KH-TH KH-VN KP-KR KP-RU KW-SA KZ-RU \
    KZ-TM KZ-UZ LA-MM LA-TH LA-VN LB-SY LR-SL LS-ZA LT-LV LT-PL LT-RU LV-RU LY-NE LY-SD LY-TD LY-TN MD-RO \
    MD-UA ME-RS ME-XK MK-RS MK-XK ML-MR ML-NE ML-SN MM-TH MN-RU MR-SN MW-MZ MW-TZ MW-ZM MX-US MY-SG MY-TH \
    MZ-SZ MZ-TZ MZ-ZA MZ-ZM MZ-ZW NA-ZA NA-ZM NE-NG NE-TD NG-TD NO-RU NO-SE OM-SA OM-YE PL-RU PL-SK PL-UA \
    QA-SA RO-RS RO-UA RS-XK RU-UA RW-TZ RW-UG SA-YE SD-SS SD-TD SK-UA SS-UG SY-TR SZ-ZA TJ-UZ TM-UZ TZ-UG \
    TZ-ZM ZA-ZW ZM-ZW";

/// Returns `true` if `region` touches a country of this country code.
pub(super) fn touch(region: &str, code: u16) -> bool {
    let plans = plan::database().by_code(&code);
    plans.is_some_and(|plans| plans.iter().any(|plan| is_border(region, plan.id())))
}

fn is_border(one: &str, other: &str) -> bool {
    let (first, second) = if one < other { (one, other) } else { (other, one) };
    BORDERS.split(' ').any(|border| border.split_once('-') == Some((first, second)))
}

#[cfg(test)]
mod tests {
    use super::{BORDERS, touch};
    use crate::phone::Region;

    #[test]
    fn every_border_is_between_two_regions_and_named_once() {
        let borders: Vec<(&str, &str)> =
            BORDERS.split(' ').map(|border| border.split_once('-').unwrap()).collect();
        assert!(borders.is_sorted() && borders.iter().all(|(first, second)| first < second));
        assert!(borders.windows(2).all(|pair| pair[0] != pair[1]));
        for (first, second) in borders {
            assert!(first.parse::<Region>().is_ok() && second.parse::<Region>().is_ok(), "{first} {second}");
        }
    }

    #[test]
    fn neighbours_touch_from_either_side_by_their_country_codes() {
        for (region, code, touches) in
            [("IQ", 90, true), ("TR", 964, true), ("IQ", 7, false), ("CN", 7, true), ("IQ", 964, false)]
        {
            assert_eq!(touch(region, code), touches, "{region} {code}");
        }
    }
}
