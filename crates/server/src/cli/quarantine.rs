//! Commands about what could not be read or handled.

use clap::Subcommand;

/// What can be done with the quarantine.
#[derive(Debug, Subcommand)]
pub enum QuarantineCommand {
    /// List what is in it, oldest first: number, time, size, network and workspace (`-` where they are not
    /// known) and why it is here, but never what it says.
    List {
        /// How many, 1 to 100.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100))]
        limit: u32,
        /// Only those after this one.
        #[arg(long, value_name = "ID", default_value_t = 0)]
        after: i64,
    },
    /// Read it again, as after an upgrade: what can be read now is handled, what cannot stays. Ends with 1
    /// where the one that is named stays.
    Replay {
        /// Which.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<i64>,
        /// Everything in the quarantine.
        #[arg(long)]
        all: bool,
    },
    /// Throw it away for good.
    Drop {
        /// Which.
        id: i64,
    },
}
