//! Which commands destroy something that cannot be had back.

use super::{
    AccountCommand, AssistantCommand, BroadcastCommand, Command, KeyCommand, MasterKeyCommand, MemberCommand,
    ModelKeyCommand, PageCommand, QuarantineCommand, SystemCommand, Webhook, WebhookCommand,
};

impl Command {
    /// What is asked before the command destroys something. Where a system is connected already is not known here.
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
    use clap::Parser;

    use crate::cli::Cli;

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
        }
    }
}
