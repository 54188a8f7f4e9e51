//! A run: the introduction of the system, then everything that it declares.

mod appointments;
mod catalog;
mod customers;
mod gates;
mod orders;

use guarded_http::{Policy, Url, check_url};
use secrecy::{ExposeSecret, SecretString};
use time::format_description::well_known::Rfc3339;

use crate::caller::{Ask, Caller};
use crate::checks;
use crate::judge::verify::{self, Verified};
use crate::log::Log;
use crate::options::{CheckError, Options};
use crate::report::{Checked, Report};

/// A number that nobody is given, for look-ups that are to find nothing.
const NOBODY: &str = "+9647700000000";
/// An id that exists in no system.
const NOTHING: &str = "no-such-thing-0000";

/// Tries the system at `base`, as it is registered, with the secret that it issued.
///
/// # Errors
/// If there is nothing to try: `base` is no address, or nothing answers there.
pub async fn check(base: &str, secret: &SecretString, options: &Options) -> Result<Report, CheckError> {
    let url = read_base(base)?;
    let secret = read_secret(secret)?;
    if options.phone.as_deref().is_some_and(|phone| !is_e164(phone)) {
        return Err(CheckError::Phone);
    }
    let caller = Caller::new(url.clone(), secret, options)?;
    judge_base(&caller, &url);
    let verify = Ask::get(&["verify"]);
    caller.reach(&verify).await.map_err(CheckError::Unreachable)?;
    let run = Run { caller: &caller, options };
    let verified = run.introduction(&verify).await;
    if let Some(verified) = &verified {
        run.everything(&verified.capabilities).await;
    }
    let verified = verified.unwrap_or_default();
    Ok(report(url.as_str(), verified, caller.into_log()))
}

/// Common parts of a run.
#[derive(Clone, Copy)]
struct Run<'a> {
    caller: &'a Caller,
    options: &'a Options,
}

impl Run<'_> {
    /// Judges `/verify`; `None` if the system refuses the secret or the answer is unusable: then nothing else
    /// can be tried.
    async fn introduction(self, verify: &Ask) -> Option<Verified> {
        let answer = self.caller.ask(verify).await?;
        let mut log = self.caller.log();
        if matches!(answer.status, 401 | 403) {
            log.found("auth.accepted", &answer.call, format!("answered {} to its own secret", answer.status));
            return None;
        }
        log.pass("auth.accepted", &answer.call);
        let Some(object) = answer.body().as_object().filter(|_| answer.status == 200) else {
            let detail = match answer.status {
                404 => "answered 404: paths are appended to the base, whose own path is kept".to_owned(),
                status => format!("answered {status} without an object"),
            };
            log.found("verify.answer", &answer.call, detail);
            return None;
        };
        log.pass("verify.answer", &answer.call);
        let mut verified = verify::answer(object);
        log.take(&answer.call, std::mem::take(&mut verified.judged));
        if verified.is_first_version {
            log.note("/verify declares no capabilities: version 1, which means catalog and orders");
        }
        Some(verified)
    }

    async fn everything(self, capabilities: &[&'static str]) {
        self.gates(capabilities).await;
        for capability in verify::KNOWN {
            if !capabilities.contains(&capability) {
                self.not_declared(capability);
                continue;
            }
            match capability {
                "catalog" => self.catalog().await,
                "orders" => self.orders().await,
                "customers" => self.customers().await,
                _ => self.appointments().await,
            }
        }
    }

    fn not_declared(self, capability: &str) {
        let areas: &[&str] = match capability {
            "catalog" => &["products", "product", "variant"],
            "orders" => &["order"],
            "customers" => &["customer"],
            _ => &["slots", "slot", "appointment"],
        };
        let reason = format!("the system does not declare {capability}");
        let mut log = self.caller.log();
        for check in checks::all().filter(|check| areas.contains(&check.area())) {
            log.skip(check.id, &reason);
        }
    }

    /// Returns an idempotency key that no earlier run has used.
    fn key(self, of: &str) -> String {
        format!("contract-check-{of}-{}", self.options.now.unix_timestamp_nanos())
    }

    /// Returns the number that orders and books.
    fn phone(&self) -> &str {
        self.options.phone.as_deref().unwrap_or(NOBODY)
    }
}

fn read_base(base: &str) -> Result<Url, CheckError> {
    let url = Url::parse(base.trim()).map_err(|_| CheckError::Base("is no address"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(CheckError::Base("is neither https nor http"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(CheckError::Base("must have neither query nor fragment"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(CheckError::Base("must hold no user name and no password"));
    }
    Ok(url)
}

fn read_secret(secret: &SecretString) -> Result<SecretString, CheckError> {
    let text = secret.expose_secret().trim();
    let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(SecretString::from(text)) } else { Err(CheckError::Secret) }
}

fn is_e164(phone: &str) -> bool {
    let digits = phone.strip_prefix('+').unwrap_or_default();
    (8..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn judge_base(caller: &Caller, url: &Url) {
    let mut log = caller.log();
    let host = url.host_str().unwrap_or_default();
    if host == "localhost" || host == "[::1]" || host.starts_with("127.") {
        log.skip("base.public", "the system is on this machine; the service calls public hosts alone");
        return;
    }
    log.settle(
        "base.public",
        "the base",
        check_url(url, &Policy::default()).map_err(|wrong| wrong.to_string()),
    );
}

fn report(base: &str, verified: Verified, mut log: Log) -> Report {
    let has_wire_finding = checks::all().any(|check| check.area() == "transport" && log.has_found(check.id));
    for check in checks::all().filter(|check| check.area() == "transport") {
        log.pass(check.id, "every call");
    }
    let stopped = if has_wire_finding || log.has_found("auth.accepted") || log.has_found("verify.answer") {
        "an answer that it needs could not be used"
    } else {
        "nothing that was answered shows it"
    };
    for check in checks::all() {
        log.skip(check.id, stopped);
    }
    let (mut outcomes, notes) = log.end();
    let checked = checks::all().filter_map(|check| {
        let outcome = outcomes.remove(check.id)?;
        Some(Checked { check, outcome })
    });
    Report {
        base: base.to_owned(),
        name: verified.name,
        capabilities: verified.capabilities,
        checked: checked.collect(),
        notes,
    }
}

/// Formats a time as the service writes it.
fn rfc3339(at: time::OffsetDateTime) -> String {
    at.replace_nanosecond(0).unwrap_or(at).format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_that_cannot_be_registered_is_refused_before_any_call() {
        for (base, reason) in [
            ("shop.example", "is no address"),
            ("ftp://shop.example", "is neither https nor http"),
            ("https://shop.example/?a=1", "must have neither query nor fragment"),
            ("https://shop.example/#a", "must have neither query nor fragment"),
            ("https://user@shop.example/", "must hold no user name and no password"),
        ] {
            let Err(CheckError::Base(found)) = read_base(base) else { panic!("{base}") };
            assert_eq!(found, reason, "{base}");
        }
        assert!(read_base("https://shop.example/api/").is_ok());
    }

    #[test]
    fn a_secret_is_one_visible_line() {
        for (secret, fits) in
            [("abc-123", true), ("abc\n", true), ("a b", false), ("a\nb", false), (" ", false)]
        {
            assert_eq!(read_secret(&SecretString::from(secret)).is_ok(), fits, "{secret:?}");
        }
    }

    #[test]
    fn a_phone_is_a_plus_and_digits() {
        for (phone, fits) in
            [("+9647701234567", true), ("07701234567", false), ("+964 770", false), ("+1", false)]
        {
            assert_eq!(is_e164(phone), fits, "{phone}");
        }
    }
}
