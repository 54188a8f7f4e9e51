//! `contract check`: checks that a customer's own system keeps the contract.

use std::{fs::File, io::Write as _};

use anyhow::Context;
use contract_check::{Options, Report, Writes, output};
use secrecy::SecretString;
use time::OffsetDateTime;

use super::given;
use crate::{cli::CheckArgs, print::printable};

/// Most bytes read of a file with a secret.
const MOST: u64 = 64 * 1024;

pub struct CheckOutcome {
    pub code: u8,
    pub said: String,
}

/// Checks the system at `now`.
///
/// # Errors
/// When there is no report: the secret cannot be read, the system cannot be reached, the file cannot be
/// written.
pub async fn check(arguments: &CheckArgs, now: OffsetDateTime) -> anyhow::Result<CheckOutcome> {
    let secret =
        given::secret(&arguments.secret_file, MOST).context("the file with the secret cannot be read")?;
    let secret = SecretString::from(secret);
    let mut options = Options::new(now);
    options.phone.clone_from(&arguments.phone);
    options.writes = arguments
        .variant
        .clone()
        .filter(|_| arguments.allow_writes)
        .map(|variant| Writes { variant, final_order: arguments.final_order.clone() });
    // Opened before anything is asked: a report that cannot be written is useless.
    let unwritten = || arguments.junit.as_ref().map(|file| format!("{} cannot be written", file.display()));
    let junit = arguments.junit.as_ref().map(File::create).transpose();
    let junit = junit.with_context(|| unwritten().unwrap_or_default())?;
    let report = contract_check::check(&arguments.base, &secret, &options).await?;
    if let Some(mut file) = junit {
        let written = file.write_all(output::junit(&report).as_bytes());
        written.with_context(|| unwritten().unwrap_or_default())?;
    }
    Ok(CheckOutcome { code: report.exit_code(), said: words(&report, arguments.json) })
}

fn words(report: &Report, as_json: bool) -> String {
    if as_json { format!("{:#}", output::json(report)) } else { printable(&output::pretty(report)) }
}
