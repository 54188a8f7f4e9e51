//! Commands about webhook addresses and what was delivered to them.

use clap::{Args, Subcommand};
use domain::{
    events::EventType,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
    since::read_since,
    webhooks::DeliveryState,
};
use time::OffsetDateTime;
use url::Url;

use super::id::id;

/// One webhook address.
#[derive(Debug, Clone, Copy, Args)]
pub struct AddressArgs {
    /// The workspace.
    #[arg(value_parser = id::<WorkspaceId>)]
    pub workspace: WorkspaceId,
    /// The address's id.
    #[arg(value_parser = id::<WebhookAddressId>)]
    pub address: WebhookAddressId,
}

/// A part of an address's log.
#[derive(Debug, Clone, Args)]
pub struct LogArgs {
    /// Whose log.
    #[command(flatten)]
    pub of: AddressArgs,
    /// Only those that are pending, delivered, failed or held.
    #[arg(long)]
    pub state: Option<DeliveryState>,
    /// Only those that tell of this event; `ping` is one, too.
    #[arg(long, value_parser = event)]
    pub event: Option<EventType>,
    /// Only those from this time on, such as 2026-11-21, or 2026-11-21T10:00 in UTC.
    #[arg(long, value_parser = time)]
    pub since: Option<OffsetDateTime>,
    /// Only those before this time.
    #[arg(long, value_parser = time)]
    pub until: Option<OffsetDateTime>,
    /// How many, 1 to 100.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub limit: u64,
    /// Where the page before ended, as its last line said.
    #[arg(long)]
    pub cursor: Option<String>,
}

/// What can be done with webhook addresses.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Register an https address; prints its secret, once.
    Add {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// Where events go.
        #[arg(value_parser = address)]
        url: Url,
        /// An event it is told of, such as message.delivered; without any, of all. Can be given again.
        #[arg(long = "event")]
        events: Vec<EventType>,
    },
    /// List the addresses, with how they have been answering.
    List {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Show an address, with how it has been answering.
    Show(AddressArgs),
    /// Send a `ping` to an address.
    Ping(AddressArgs),
    /// Tell an address of these events, and of nothing else.
    Subscribe {
        /// Which one.
        #[command(flatten)]
        of: AddressArgs,
        /// An event, such as message.delivered. Can be given again.
        #[arg(long = "event", required = true)]
        events: Vec<EventType>,
    },
    /// Deliver nothing more to an address; what happens meanwhile is held in its log.
    Pause(AddressArgs),
    /// Deliver to an address again. What was held is sent with `resend-window`.
    Resume(AddressArgs),
    /// Make a new secret for an address; prints it, once. The old one stops at once.
    Rotate {
        /// Which one.
        #[command(flatten)]
        of: AddressArgs,
        /// Let both sign for this many minutes, a week at most.
        #[arg(long, default_value_t = 0)]
        overlap_minutes: u32,
    },
    /// Send the Standard Webhooks headers to an address as well.
    StandardHeaders {
        /// Which one.
        #[command(flatten)]
        of: AddressArgs,
        /// No longer.
        #[arg(long)]
        off: bool,
    },
    /// Remove an address. What is owed to it is not delivered.
    Remove(AddressArgs),
    /// List what was delivered to an address, or was to be: newest first.
    Deliveries(LogArgs),
    /// Show a delivery with its attempts.
    Delivery {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The delivery's id.
        #[arg(value_parser = id::<DeliveryId>)]
        delivery: DeliveryId,
    },
    /// Send a delivery again, byte for byte.
    Resend {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The delivery's id.
        #[arg(value_parser = id::<DeliveryId>)]
        delivery: DeliveryId,
    },
    /// Send again all that failed or was held in a window, and try at once what waits in it; prints the id to
    /// follow it by.
    ResendWindow {
        /// Of which one.
        #[command(flatten)]
        of: AddressArgs,
        /// From this time on, such as 2026-11-21, or 2026-11-21T10:00 in UTC.
        #[arg(long, value_parser = time)]
        since: OffsetDateTime,
        /// Before this time; without it, now.
        #[arg(long, value_parser = time)]
        until: Option<OffsetDateTime>,
        /// Send nothing: only count what would be sent.
        #[arg(long)]
        dry_run: bool,
        /// Stay until everything has an outcome, and show how fast it goes and what remains. Whoever leaves
        /// earlier stops nothing.
        #[arg(long, conflicts_with = "dry_run")]
        follow: bool,
    },
    /// Say how far a window has come: what was queued, delivered and refused of it, and what still waits.
    ResendProgress {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The id that `resend-window` printed.
        #[arg(value_parser = id::<ResendId>)]
        id: ResendId,
    },
}

fn address(text: &str) -> Result<Url, String> {
    Url::parse(text.trim()).map_err(|_| "must be an address, such as https://palm.example/events".to_owned())
}

fn event(text: &str) -> Result<EventType, String> {
    EventType::read(text).ok_or_else(|| "must be an event such as message.delivered".to_owned())
}

/// Parses a time as commands print them: in UTC, unless it names an offset.
fn time(text: &str) -> Result<OffsetDateTime, String> {
    let wrong =
        "must be a day, such as 2026-11-21, or a moment, such as 2026-11-21T10:00 in UTC or with its offset";
    read_since(&text.trim().replacen(' ', "T", 1)).ok_or_else(|| wrong.to_owned())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{address, time};

    #[test]
    fn an_address_has_its_scheme() {
        for (text, read) in [
            ("https://palm.example/events", true),
            (" https://palm.example/events ", true),
            ("palm.example/events", false),
            ("/events", false),
            ("", false),
        ] {
            let address = address(text);
            assert_eq!(address.is_ok(), read, "{text}");
            assert!(address.err().is_none_or(|words| words.contains("such as https://")), "{text}");
        }
    }

    #[test]
    fn times_are_read_as_people_type_them_and_as_commands_print_them() {
        for (text, wanted) in [
            ("2026-11-21", Some(datetime!(2026-11-21 00:00 UTC))),
            ("2026-11-21T10:00", Some(datetime!(2026-11-21 10:00 UTC))),
            (" 2026-11-21 10:00", Some(datetime!(2026-11-21 10:00 UTC))),
            ("2026-11-21 13:00+03:00", Some(datetime!(2026-11-21 10:00 UTC))),
            ("2026-11-21T10:00:00.250Z", Some(datetime!(2026-11-21 10:00:00.25 UTC))),
            ("10:00", None),
            ("21/11/2026", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(time(text).ok(), wanted, "{text}");
        }
    }
}
