//! Checks of the installation itself: settings, database, files, mail.

use std::sync::Arc;

use adapter_mail::TryOutError;
use secrecy::ExposeSecret;
use url::Url;

use super::{Check, Finding};
use crate::{
    config::{ConfigError, MailConfig, Source},
    system::SystemClock,
    tls::ServedCertificate,
    wiring::{Files, Foundation},
};

/// Advice for a sender address that is not set.
const SET_SENDER: &str = "set MESSAGING_MAIL_FROM to the address that mail is to come from";

/// Returns one finding if all is well, else one for each missing setting and for each group with something
/// else wrong.
pub(super) fn settings(source: &Source) -> Vec<Finding> {
    let missing = source.missing();
    let groups: [Result<(), ConfigError>; 9] = [
        source.store().map(drop),
        source.network().map(drop),
        source.serve().map(drop),
        source.dashboard().map(drop),
        source.files().map(drop),
        source.model().map(drop),
        source.policy().map(drop),
        source.telemetry().map(drop),
        source.log().map(drop),
    ];
    // A group reports its first fault only.
    let others = groups.into_iter().filter_map(Result::err).filter(|error| !missing.contains(error));
    let others: Vec<ConfigError> = others.collect();
    let said = missing.iter().chain(&others).map(|error| format!("{}: {}", error.setting, error.problem));
    let wrong: Vec<Finding> = said
        .chain(certificate(source))
        .map(|problem| Finding::new(Check::Settings, None, Err(problem)))
        .collect();
    if wrong.is_empty() { vec![Finding::new(Check::Settings, None, Ok(()))] } else { wrong }
}

/// Returns what is wrong with the certificate that is served, if there is one.
fn certificate(source: &Source) -> Option<String> {
    let files = source.dashboard().ok()?.tls?;
    ServedCertificate::read(&files).err().map(|error| format!("{error:#}"))
}

/// Opens the database, or returns why it cannot be used; `None` where its settings are wrong, which
/// [`settings`] reports.
pub(super) async fn database(source: &Source) -> Result<Foundation, Option<Finding>> {
    let config = source.store().map_err(|_| None)?;
    let opened = async {
        let foundation = Foundation::open(&config, Arc::new(SystemClock))?;
        foundation.ready().await?;
        foundation.stores.database.takes_changes().await?;
        anyhow::Ok(foundation)
    };
    opened.await.map_err(|error| Some(Finding::new(Check::Database, None, Err(format!("{error:#}")))))
}

/// Tries the file store; `None` where its settings are wrong.
pub(super) async fn files(source: &Source, on: &Foundation) -> Option<Finding> {
    let config = source.files().ok()?;
    let found = Files::try_out(on, &config).await.map_err(|error| format!("{error:#}"));
    Some(Finding::new(Check::Files, None, found))
}

/// Signs in at the mail server; `None` without one.
pub(super) async fn mail(source: &Source, on: &Foundation) -> Option<Finding> {
    let MailConfig { server, sender } = source.dashboard().ok()?.mail?;
    let found = match adapter_mail::try_out(&server, &sender, on.trust.clone()).await {
        Ok(()) => Ok(()),
        Err(error @ TryOutError::Sender) => {
            let finding = Finding::new(Check::Mail, None, Err(error.to_string()));
            return Some(finding.mended_by(SET_SENDER));
        }
        Err(error) => Err(error.to_string()),
    };
    let url: Option<Url> = server.expose_secret().parse().ok();
    let found = match url.as_ref().and_then(address) {
        None => found,
        Some((host, port)) => found.map_err(|problem| format!("{host}:{port}: {problem}")),
    };
    Some(Finding::new(Check::Mail, None, found))
}

fn address(server: &Url) -> Option<(String, u16)> {
    let usual = if server.scheme() == "smtps" { 465 } else { 587 };
    Some((server.host_str()?.to_owned(), server.port().unwrap_or(usual)))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_mail_server_has_the_port_that_its_scheme_stands_for() {
        for (url, wanted) in [
            ("smtps://user:secret@mail.example", Some(("mail.example", 465))),
            ("smtp://mail.example", Some(("mail.example", 587))),
            ("smtp://127.0.0.1:2525", Some(("127.0.0.1", 2525))),
            ("smtp:mail", None),
        ] {
            let read = address(&url.parse().expect("a URL"));
            assert_eq!(read.as_ref().map(|(host, port)| (host.as_str(), *port)), wanted, "{url}");
        }
    }
}
