//! A one-time code is delivered only while it is valid.

use super::Template;

/// Bounds of the network for a one-time code's validity in seconds (Graph API reference, B.3).
const ALLOWED_SECONDS: std::ops::RangeInclusive<i64> = 30..=900;

/// The validity in seconds that the network must be told, where the one in force would let a code arrive
/// after it has expired. An unset one counts as too long: on older templates it means 30 days.
pub fn wanted_validity(template: &Template) -> Option<i64> {
    let authentication = template.content.authentication?;
    let code_lives = i64::from(authentication.expires_after_minutes()) * 60;
    let outlives = template.send_ttl_seconds.is_none_or(|ttl| ttl < 0 || ttl > code_lives);
    outlives
        .then(|| code_lives.clamp(*ALLOWED_SECONDS.start(), *ALLOWED_SECONDS.end()))
        .filter(|wanted| template.send_ttl_seconds != Some(*wanted))
}

#[cfg(test)]
mod tests {
    use super::wanted_validity;
    use crate::{templates::Authentication, testing::a_template};

    #[test]
    fn a_code_never_outlives_its_message() {
        for (minutes, ttl, wanted) in [
            (Some(5), Some(600), Some(300)),
            (Some(5), Some(300), None),
            (Some(5), Some(60), None),
            (Some(5), None, Some(300)),
            (Some(5), Some(-1), Some(300)),
            (None, None, Some(600)),
            (None, Some(600), None),
            (Some(90), Some(900), None),
            (Some(90), None, Some(900)),
        ] {
            let mut template = a_template("login_code");
            template.send_ttl_seconds = ttl;
            template.content.authentication =
                Some(Authentication { add_security_recommendation: true, code_expiration_minutes: minutes });
            assert_eq!(wanted_validity(&template), wanted, "{minutes:?} {ttl:?}");
        }
    }

    #[test]
    fn other_templates_keep_the_network_s_validity() {
        assert_eq!(wanted_validity(&a_template("order_ready")), None);
    }
}
