//! Commands that destroy something beyond recovery.

use clap::CommandFactory;

use super::{
    AccountCommand, AssistantCommand, BroadcastCommand, Cli, Command, KeyCommand, MasterKeyCommand,
    MemberCommand, ModelKeyCommand, PageCommand, QuarantineCommand, SystemCommand, Webhook, WebhookCommand,
};

/// Commands that ask first.
const ASK: [&str; 13] = [
    "account disconnect",
    "assistant key remove",
    "broadcast cancel",
    "broadcast start",
    "key revoke",
    "master-key adopt",
    "member reset",
    "page disconnect",
    "quarantine drop",
    "system connect",
    "system disconnect",
    "webhook remove",
    "webhook rotate",
];

impl Cli {
    /// Returns the command line as it is parsed.
    pub fn shown() -> clap::Command {
        Self::without_needless(Self::command())
    }

    /// Has help show `--yes` only where a question is asked. Every command still takes it.
    pub fn without_needless(mut command: clap::Command) -> clap::Command {
        fn hide(command: clap::Command, path: &str) -> clap::Command {
            let asks = ASK.iter().any(|asks| *asks == path || asks.starts_with(&format!("{path} ")));
            let names: Vec<String> =
                command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
            let command = if asks || path.is_empty() {
                command
            } else {
                command.mut_args(|argument| {
                    let hidden = argument.is_hide_set() || argument.get_id() == "yes";
                    argument.hide(hidden)
                })
            };
            names.into_iter().fold(command, |command, name| {
                let path = format!("{path} {name}").trim_start().to_owned();
                command.mut_subcommand(name, |inner| hide(inner, &path))
            })
        }
        // From here on each command has the options of all.
        command.build();
        hide(command, "")
    }
}

impl Command {
    /// Returns the question asked before the command destroys something. That of `system connect` depends on
    /// the system connected before, and is asked elsewhere.
    pub fn question(&self) -> Option<String> {
        match self {
            Self::Account(AccountCommand::Disconnect { id, .. }) => {
                Some(format!("Disconnect the account {id} and destroy its token?"))
            }
            Self::Page(PageCommand::Disconnect { id, .. }) => {
                Some(format!("Disconnect the page {id} and destroy its token?"))
            }
            Self::Key(KeyCommand::Revoke { key, .. }) => {
                Some(format!("Revoke the key {key}? Whoever uses it is refused at once."))
            }
            Self::Webhook(Webhook::Address(WebhookCommand::Remove(of))) => {
                Some(format!("Remove the address {}? What is owed to it is not delivered.", of.address))
            }
            Self::Webhook(Webhook::Address(WebhookCommand::Rotate { of, overlap_minutes: 0 })) => Some(
                format!("Make the address {} another secret? The one that it has stops at once.", of.address),
            ),
            Self::Member(MemberCommand::Reset { member, drop_second_factor: true, .. }) => {
                Some(format!("Rid {member} of their second factor?"))
            }
            Self::Assistant(AssistantCommand::Key(ModelKeyCommand::Remove { .. })) => {
                Some("Destroy the workspace's own key of the model?".to_owned())
            }
            Self::Broadcast(BroadcastCommand::Cancel(of)) => {
                Some(format!("End the broadcast {}? Whoever was not written to never is.", of.broadcast))
            }
            Self::Quarantine(QuarantineCommand::Drop { id }) => {
                Some(format!("Throw number {id} of the quarantine away for good?"))
            }
            Self::System(SystemCommand::Disconnect { .. }) => {
                Some("Disconnect the system and destroy its secret?".to_owned())
            }
            Self::MasterKey(MasterKeyCommand::Adopt) => {
                Some("Take these keys? What other keys have hashed is unknown from then on.".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{FromArgMatches, Parser};

    use super::{ASK, Cli};

    #[test]
    fn help_shows_how_not_to_be_asked_where_something_is_asked() {
        let help = |words: &[&str]| {
            let mut command = Cli::shown();
            let command = words.iter().fold(&mut command, |it, name| it.find_subcommand_mut(name).unwrap());
            command.render_long_help().to_string()
        };
        for words in ASK {
            assert!(help(&words.split(' ').collect::<Vec<_>>()).contains("--yes"), "{words}");
        }
        for words in [&["serve"][..], &["migrate"], &["key", "create"], &["webhook", "list"], &["doctor"]] {
            let help = help(words);
            assert!(!help.contains("--yes") && help.contains("--json"), "{words:?}: {help}");
        }
        let taken = Cli::shown().try_get_matches_from(["messaging-service", "migrate", "--yes"]);
        assert!(Cli::from_arg_matches(&taken.unwrap()).unwrap().yes);
    }

    #[test]
    fn what_destroys_is_asked_about_and_what_does_not_is_not() {
        let id = "0197f3c2-7c1a-7e55-9d0e-000000000000";
        for (line, asked) in [
            (&["account", "disconnect", id, "--id", "42"][..], true),
            (&["page", "disconnect", id, "--id", "42"], true),
            (&["key", "revoke", id, id], true),
            (&["webhook", "remove", id, id], true),
            (&["quarantine", "drop", "7"], true),
            (&["system", "disconnect", id], true),
            (&["master-key", "adopt"], true),
            (&["webhook", "rotate", id, id], true),
            (&["webhook", "rotate", id, id, "--overlap-minutes", "60"], false),
            (&["assistant", "key", "remove", id], true),
            (&["assistant", "key", "set", id, "--key-file", "-"], false),
            (&["member", "reset", id, "--email", "o@palm.example", "--drop-second-factor"], true),
            (&["member", "reset", id, "--email", "o@palm.example"], false),
            (&["member", "reset", id, "o@palm.example", "--drop-second-factor"], true),
            (&["account", "list", id], false),
            (&["webhook", "pause", id, id], false),
            (&["quarantine", "replay", "7"], false),
            (&["migrate"], false),
        ] {
            let cli = Cli::try_parse_from([&["messaging-service"], line].concat()).expect("a command");
            assert_eq!(cli.command.question().is_some(), asked, "{line:?}");
            let words = line.join(" ");
            assert!(!asked || ASK.iter().any(|asks| words.starts_with(asks)), "{line:?}");
        }
    }
}
