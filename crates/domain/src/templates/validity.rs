//! Validity of one-time codes: a code is delivered only while it is valid.

use super::{Template, content::Authentication, status::TemplateStatus};

/// The network's bounds on the validity of a one-time-code template, in seconds
/// (docs/run/networks.md, "Validity of templates").
const ALLOWED_SECONDS: std::ops::RangeInclusive<i64> = 30..=900;

fn code_lives(authentication: Authentication) -> i64 {
    i64::from(authentication.expires_after_minutes()) * 60
}

/// Returns the validity, in seconds, with which a template for such codes is created: their lifetime, within
/// the network's bounds.
pub fn code_validity(authentication: Authentication) -> i64 {
    code_lives(authentication).clamp(*ALLOWED_SECONDS.start(), *ALLOWED_SECONDS.end())
}

/// Returns the validity, in seconds, to set at the network if the one in force would let a code arrive after
/// it has expired. An unset one counts as too long: on older templates it means 30 days. Pending templates
/// are left alone: they send nothing, and the network takes no change to them.
pub fn wanted_validity(template: &Template) -> Option<i64> {
    let authentication =
        template.content.authentication.filter(|_| template.status != TemplateStatus::Pending)?;
    let code_lives = code_lives(authentication);
    let outlives = template.send_ttl_seconds.is_none_or(|ttl| ttl < 0 || ttl > code_lives);
    outlives
        .then(|| code_validity(authentication))
        .filter(|wanted| template.send_ttl_seconds != Some(*wanted))
}

/// Returns why codes of this template are not sent, and what to do at the network: it has refused a shorter
/// validity, and an expired code would be worth nothing. `None` if nothing stands in the way.
pub fn validity_problem(template: &Template) -> Option<String> {
    let words = template.validity_problem.as_deref()?;
    let authentication = template.content.authentication?;
    let (minutes, most) = (authentication.expires_after_minutes(), code_validity(authentication));
    Some(format!(
        "its codes end after {minutes} min, the network would deliver them later and did not take a shorter validity \
         ({words}); set the template's validity period in WhatsApp Manager to at most {most} s and have the account \
         read again"
    ))
}

#[cfg(test)]
mod tests {
    use super::{validity_problem, wanted_validity};
    use crate::{
        templates::{Authentication, Template},
        testing::{a_code_template, a_template},
    };

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
    fn a_validity_that_the_network_keeps_says_what_to_do_there() {
        assert_eq!(validity_problem(&a_code_template("login_code")), None);
        let kept =
            Template { validity_problem: Some("too late".to_owned()), ..a_code_template("login_code") };
        let words = validity_problem(&kept).unwrap();
        for part in ["after 5 min", "(too late)", "at most 300 s", "WhatsApp Manager"] {
            assert!(words.contains(part), "{words}");
        }
    }

    #[test]
    fn other_templates_keep_the_network_s_validity() {
        assert_eq!(wanted_validity(&a_template("order_ready")), None);
    }
}
