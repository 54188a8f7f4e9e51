//! Commands about approved templates to many people.

use clap::{Args, Subcommand};
use domain::{
    automations::Span,
    broadcasts::PeopleState,
    ids::{BroadcastId, BroadcastListId, GroupId, MemberId, WorkspaceId},
    zone::Zone,
};

use super::id::id;

/// What can be done with broadcasts.
#[derive(Debug, Subcommand)]
pub enum BroadcastCommand {
    /// List a workspace's broadcasts, newest first.
    List {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// How many, 1 to 100.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100))]
        limit: u64,
        /// Where the page before ended, as its last line said.
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Show one, and how far it is.
    Show(BroadcastArgs),
    /// Write a draft. Nobody is written to before it is started.
    Create(Box<CreateArgs>),
    /// Begin one, now or at a time. A terminal is asked first, with how many people it goes to.
    Start {
        /// Which.
        #[command(flatten)]
        of: BroadcastArgs,
        /// When it begins, such as `2026-11-27T10:00`, or a day, for its midnight: by the workspace's clock
        /// where there is no offset.
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// Begin nothing: only say whom it would go to, and what speaks against it.
        #[arg(long)]
        dry_run: bool,
    },
    /// Have one write to nobody until it is resumed.
    Pause(BroadcastArgs),
    /// Go on with one that was paused.
    Resume(BroadcastArgs),
    /// End one: whoever was not written to never is.
    Cancel(BroadcastArgs),
    /// List whom one goes to, the last first, with what became of their messages.
    People {
        /// Which.
        #[command(flatten)]
        of: BroadcastArgs,
        /// Only those in this state, such as `failed` or `answered`.
        #[arg(long, value_parser = people_state)]
        state: Option<PeopleState>,
        /// Only those with this reason, such as `no_name` or the network's code.
        #[arg(long)]
        reason: Option<String>,
        /// How many, 1 to 10,000.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
        /// Where the page before ended, as its last line said.
        #[arg(long)]
        cursor: Option<String>,
    },
}

/// A broadcast.
#[derive(Debug, Clone, Copy, Args)]
pub struct BroadcastArgs {
    /// The workspace.
    #[arg(value_parser = id::<WorkspaceId>)]
    pub workspace: WorkspaceId,
    /// The broadcast.
    #[arg(value_parser = id::<BroadcastId>)]
    pub broadcast: BroadcastId,
}

/// A draft.
#[derive(Debug, Clone, Args)]
pub struct CreateArgs {
    /// The workspace.
    #[arg(value_parser = id::<WorkspaceId>)]
    pub workspace: WorkspaceId,
    /// In whose name it goes: a member.
    #[arg(long, value_parser = id::<MemberId>)]
    pub author: MemberId,
    /// What the team calls it.
    #[arg(long)]
    pub name: String,
    /// The approved template.
    #[arg(long)]
    pub template: String,
    /// Its language.
    #[arg(long)]
    pub language: Option<String>,
    /// The column of the list that says each person's language.
    #[arg(long, value_name = "TITLE", requires = "list")]
    pub language_column: Option<String>,
    /// A language for whoever's own is not known, or has no approved template. Can be given again: they are
    /// tried in this order, and `--language` after them.
    #[arg(long, value_name = "LANGUAGE")]
    pub fallback_language: Vec<String>,
    /// A value that is the same for everybody, such as `--text 1=10%`. Can be given again.
    #[arg(long, value_name = "LABEL=TEXT", value_parser = pair)]
    pub text: Vec<(String, String)>,
    /// A value that is each person's name, such as `--contact-name 1`, or `--contact-name 1=friend` with what
    /// stands for a name that is not known. Can be given again.
    #[arg(long, value_name = "LABEL[=OTHERWISE]")]
    pub contact_name: Vec<String>,
    /// A value that a column of the list says, such as `--column 2=order`. Can be given again.
    #[arg(long, value_name = "LABEL=TITLE", value_parser = pair, requires = "list")]
    pub column: Vec<(String, String)>,
    /// The text of the header.
    #[arg(long, value_name = "TEXT", conflicts_with = "header_link")]
    pub header_text: Option<String>,
    /// The address of what the header shows.
    #[arg(long, value_name = "URL")]
    pub header_link: Option<String>,
    /// The value of a button that needs one, in their order. Can be given again.
    #[arg(long, value_name = "VALUE")]
    pub button: Vec<String>,
    /// The number that sends, or its id at the network.
    #[arg(long, value_name = "NUMBER", conflicts_with = "spread")]
    pub from: Option<String>,
    /// Only people with any of these tags. Can be given again.
    #[arg(long, conflicts_with = "list")]
    pub tag: Vec<String>,
    /// Only people whose name or number has this part.
    #[arg(long, conflicts_with = "list")]
    pub search: Option<String>,
    /// Only people who have written over this network.
    #[arg(long, conflicts_with = "list")]
    pub channel: Option<String>,
    /// Only people who came to be known so: `messaged` or `import`.
    #[arg(long, conflicts_with = "list")]
    pub source: Option<String>,
    /// Only people whose newest message came on this day or later, by the workspace's clock; or a moment.
    #[arg(long, value_name = "DAY", conflicts_with = "list")]
    pub active_since: Option<String>,
    /// Only people whose newest message came before this day, by the workspace's clock; or before a moment.
    #[arg(long, value_name = "DAY", conflicts_with = "list")]
    pub active_until: Option<String>,
    /// Only people with a conversation that is in this group's hands.
    #[arg(long, conflicts_with = "list", value_parser = id::<GroupId>)]
    pub group: Option<GroupId>,
    /// The numbers of this list, instead of people of the contacts.
    #[arg(long, value_parser = id::<BroadcastListId>)]
    pub list: Option<BroadcastListId>,
    /// Have all connected numbers that can send it do so, each to some.
    #[arg(long)]
    pub spread: bool,
    /// Write to nobody in these hours of every day, such as `21:00-09:00`.
    #[arg(long, value_name = "FROM-TO", value_parser = span)]
    pub quiet: Option<Span>,
    /// The time zone of these hours; the workspace's unless it is given.
    #[arg(long, value_name = "ZONE", requires = "quiet", value_parser = Zone::read)]
    pub quiet_zone: Option<Zone>,
}

fn span(text: &str) -> Result<Span, String> {
    let (from, to) = text.split_once('-').ok_or("must be FROM-TO, such as 21:00-09:00")?;
    serde_json::from_value(serde_json::json!([from.trim(), to.trim()])).map_err(|error| error.to_string())
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (label, value) = text.split_once('=').ok_or("must be LABEL=VALUE")?;
    Ok((label.to_owned(), value.to_owned()))
}

fn people_state(text: &str) -> Result<PeopleState, String> {
    let known = PeopleState::ALL.map(PeopleState::as_str).join(", ");
    PeopleState::read(text).ok_or_else(|| format!("must be one of: {known}"))
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn hours_are_read_with_a_begin_and_an_end() {
        for (text, wanted) in [
            ("21:00-09:00", Some(("21:00", "09:00"))),
            ("00:30 - 24:00", Some(("00:30", "24:00"))),
            ("21:00", None),
            ("21-9", None),
            ("21:00-21:00", None),
            ("25:00-09:00", None),
            ("-", None),
            ("", None),
        ] {
            let wanted = wanted.map(|(from, to)| (from.to_owned(), to.to_owned()));
            assert_eq!(span(text).map(domain::automations::Span::told).ok(), wanted, "{text}");
        }
    }
}
