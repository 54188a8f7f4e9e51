//! `doctor`: checks everything between here and a delivered message, and says what to do where something is
//! wrong.

mod answered;
mod app;
mod fields;
mod installation;
mod network;

use domain::{channels::UnreadField, errors::StoreError, ids::WorkspaceId};
use serde_json::{Value, json};

use crate::{
    background::clock_fault,
    config::Source,
    operate::{Said, known_workspaces},
    print::one_line,
    system::SystemClock,
    wiring::{Foundation, manage_accounts},
};

/// Checks, in the order in which an installation is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Every setting can be read.
    Settings,
    /// The database answers and has the schema.
    Database,
    /// The keys are the database's.
    Keys,
    /// Files can be stored.
    Files,
    /// The mail server takes the user and the password, where there is one.
    Mail,
    /// This machine's clock agrees with the database's and with the network's.
    Clock,
    /// The network's webhook answers the handshake at the public address, and the network posts there.
    Callback,
    /// Something is connected.
    Accounts,
    /// The app's secret is the one that the network knows.
    AppSecret,
    /// The token opens the account.
    Token,
    /// The token may do what is needed.
    Permissions,
    /// The network sends the account's updates.
    Subscription,
    /// The app hears of everything that accounts, pages and Instagram accounts tell.
    Fields,
    /// Each connected number can send, and each that can is connected.
    Numbers,
    /// A template is approved.
    Templates,
    /// The networks send nothing that this version does not read.
    Unread,
}

impl Check {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Database => "database",
            Self::Keys => "keys",
            Self::Files => "files",
            Self::Mail => "mail",
            Self::Clock => "clock",
            Self::Callback => "callback",
            Self::Accounts => "accounts",
            Self::AppSecret => "app-secret",
            Self::Token => "token",
            Self::Permissions => "permissions",
            Self::Subscription => "subscription",
            Self::Fields => "fields",
            Self::Numbers => "numbers",
            Self::Templates => "templates",
            Self::Unread => "unread",
        }
    }

    /// Returns what to do when it fails, unless the finding knows better.
    pub const fn mend(self) -> &'static str {
        match self {
            Self::Settings => "set what it names; `messaging-service settings` says what each setting is",
            Self::Database => {
                "start PostgreSQL, check MESSAGING_DATABASE_URL, and run `messaging-service migrate`"
            }
            Self::Keys => {
                "set the keys that this database was made with (docs/run/operations.md, Keys that do not fit)"
            }
            Self::Files => {
                "give the service the right to write to the folder, or correct the bucket's settings"
            }
            Self::Mail => "correct MESSAGING_SMTP_URL, or leave it out and hand invitations over yourself",
            Self::Clock => "let this machine set its clock by NTP",
            Self::Callback => {
                "enter MESSAGING_PUBLIC_URL with /networks/meta/webhook behind it as the callback URL of each product at Meta (docs/use/getting-started.md, 4)"
            }
            Self::Accounts => {
                "connect one with `messaging-service account connect <workspace> --id <id>` or `page connect`"
            }
            Self::AppSecret => {
                "copy the app secret from Settings, Basic of the app at Meta to MESSAGING_APP_SECRET"
            }
            Self::Token => {
                "make a new token for the system user at Meta, and run `account connect` or `page connect` again"
            }
            Self::Permissions => {
                "make a new token with these permissions, and connect the account again with it"
            }
            Self::Subscription => "connect the account again: that subscribes the app to it",
            Self::Fields => {
                "subscribe to these fields in the app at Meta, in the webhook of WhatsApp, Messenger or Instagram (docs/use/getting-started.md, 4)"
            }
            Self::Numbers => {
                "register a number in WhatsApp Manager, then run `messaging-service account sync`"
            }
            Self::Templates => {
                "create a template in WhatsApp Manager, wait for its approval, then run `messaging-service account sync`"
            }
            Self::Unread => {
                "look for a newer version that reads it, or unsubscribe the app from it where nobody needs it"
            }
        }
    }
}

/// Advice for an unknown workspace.
const NAME_A_WORKSPACE: &str =
    "name a workspace by its id, as `messaging-service workspace list` has it, or none for all";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub check: Check,
    /// Id at the network of the account that it is about, where there may be several.
    pub about: Option<String>,
    /// What is wrong; `None` where the check holds.
    pub problem: Option<String>,
    pub mend: &'static str,
}

impl Finding {
    fn new(check: Check, about: Option<&str>, found: Result<(), String>) -> Self {
        Self { check, about: about.map(str::to_owned), problem: found.err(), mend: check.mend() }
    }

    /// Replaces the check's usual advice.
    fn mended_by(self, mend: &'static str) -> Self {
        Self { mend, ..self }
    }

    fn line(&self) -> String {
        let about = self.about.as_ref().map(|about| format!(" of {about}")).unwrap_or_default();
        let name = self.check.as_str();
        match &self.problem {
            None => format!("ok     {name}{about}"),
            Some(problem) => {
                let problem = one_line(problem);
                format!("WRONG  {name}{about}: {problem}\n       mend: {}", self.mend)
            }
        }
    }

    fn json(&self) -> Value {
        let Self { check, about, problem, mend } = self;
        let mend = problem.as_ref().map(|_| mend);
        json!({
            "check": check.as_str(), "about": about, "ok": problem.is_none(), "problem": problem, "mend": mend,
        })
    }
}

pub struct Report(Vec<Finding>);

impl Report {
    pub fn is_well(&self) -> bool {
        self.0.iter().all(|finding| finding.problem.is_none())
    }

    /// Renders a line for each check, with advice for each that fails.
    pub fn said(&self) -> Said {
        let wrong = self.0.iter().filter(|finding| finding.problem.is_some()).count();
        let sum = match wrong {
            0 => "everything is in place".to_owned(),
            1 => "1 thing to mend".to_owned(),
            more => format!("{more} things to mend"),
        };
        let lines = self.0.iter().map(Finding::line).chain([sum]);
        let checks: Vec<Value> = self.0.iter().map(Finding::json).collect();
        let json = json!({ "ok": wrong == 0, "checks": checks });
        Said::new(lines.collect::<Vec<_>>().join("\n"), &json)
    }
}

/// Runs all checks, or as many as the faults found allow; for one workspace or for all.
pub async fn examine(source: &Source, workspace: Option<WorkspaceId>) -> Report {
    let mut findings = installation::settings(source);
    let foundation = match installation::database(source).await {
        Ok(foundation) => foundation,
        Err(found) => {
            findings.extend(found);
            return Report(findings);
        }
    };
    findings.push(Finding::new(Check::Database, None, Ok(())));
    let keys = foundation.check(source).await.map(drop).map_err(|error| format!("{error:#}"));
    let has_keys = keys.is_ok();
    findings.push(Finding::new(Check::Keys, None, keys));
    findings.extend(installation::files(source, &foundation).await);
    findings.extend(installation::mail(source, &foundation).await);
    if let Ok(config) = source.network() {
        let (clock, is_reached) = network::clock(&config, &SystemClock).await;
        let off = foundation.database_clock.as_ref().and_then(|clock| clock_fault(clock.offset()));
        findings.push(off.map_or(clock, |off| Finding::new(Check::Clock, None, Err(off))));
        findings.extend(network::callback(source, &config, &foundation).await);
        if has_keys {
            let public_url = source.dashboard().ok().and_then(|dashboard| dashboard.public_url);
            let webhook = public_url.as_ref().and_then(network::webhook);
            let network = network::Network { config: &config, is_reached, webhook: webhook.as_ref() };
            findings.extend(accounts(network, &foundation, workspace).await);
        }
    }
    Report(findings)
}

async fn accounts(
    network: network::Network<'_>,
    on: &Foundation,
    workspace: Option<WorkspaceId>,
) -> Vec<Finding> {
    let fails = |error: String| vec![Finding::new(Check::Accounts, None, Err(error))];
    let unread = |error: &anyhow::Error, otherwise| {
        let mend = if error.is::<StoreError>() { Check::Database.mend() } else { otherwise };
        Finding::new(Check::Accounts, None, Err(format!("{error:#}"))).mended_by(mend)
    };
    let workspaces = match known_workspaces(&on.stores, workspace).await {
        Ok(workspaces) => workspaces,
        Err(error) => return vec![unread(&error, NAME_A_WORKSPACE)],
    };
    let mut findings = Vec::new();
    for workspace in workspaces {
        match network::accounts(network, on, workspace).await {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push(unread(&error, Check::Accounts.mend())),
        }
        findings.extend(sent_in_vain(on, workspace).await);
    }
    if findings.is_empty() {
        return fails("no account and no page is connected".to_owned());
    }
    findings
}

/// Reports updates that the networks lately sent to a workspace and this version does not read; `None`
/// without any.
async fn sent_in_vain(on: &Foundation, workspace: WorkspaceId) -> Option<Finding> {
    let found = manage_accounts(on).unread(workspace).await;
    let problem = match found {
        Ok(fields) if fields.is_empty() => return None,
        Ok(fields) => {
            let said = |one: &UnreadField| format!("{}, {} since {}", one.field, one.updates, one.since);
            format!("this version does not read {}", fields.iter().map(said).collect::<Vec<_>>().join("; "))
        }
        Err(error) => error.to_string(),
    };
    Some(Finding::new(Check::Unread, Some(&workspace.to_string()), Err(problem)))
}
