//! Commands about the quarantine.

use anyhow::{Context, bail};
use domain::{
    channels::ChannelKind,
    clock::rfc3339_ms,
    inbound::{ManageQuarantine, Quarantined, Replayed},
};
use serde_json::{Value, json};

use super::{
    progress::Steps,
    said::{Listing, Said},
};
use crate::cli::QuarantineCommand;

/// Fields of a row. A post that nothing could parse has no workspace.
const KEYS: &[&str] = &["id", "receivedAt", "bytes", "network", "workspaceId", "reason"];
const NOT_THERE: &str = "the quarantine holds no such thing";

/// Runs a command. Workers find what it journals at their next scan.
pub async fn run(command: QuarantineCommand, quarantine: &ManageQuarantine) -> anyhow::Result<Said> {
    match command {
        QuarantineCommand::List { limit, after } => {
            let mut listed = quarantine.list(after, limit + 1).await?;
            let more = listed.len() > usize::try_from(limit)?;
            if more {
                listed.pop();
            }
            let next = json!(listed.last().filter(|_| more).map(|last| last.id));
            let listing = Listing::new(KEYS, KEYS.len(), listed.iter().map(row).collect());
            Ok(listing.page("--after", "nextAfter", &next))
        }
        QuarantineCommand::Replay { id: Some(id), .. } => {
            let replayed = quarantine.replay(id).await?.context(NOT_THERE)?;
            let said = Said::new(outcome(id, &replayed), &replayed_object(id, &replayed));
            Ok(if replayed.stays.is_some() { said.of_failure() } else { said })
        }
        QuarantineCommand::Replay { id: None, .. } => {
            let mut steps = Steps::new(None, "replayed");
            let all = quarantine.replay_all(|count| steps.at(u64::try_from(count).unwrap_or_default())).await;
            steps.end();
            let all = all?;
            let stay = all.iter().filter(|(_, replayed)| replayed.stays.is_some()).count();
            let sum = format!("{} replayed, {stay} of them stay", all.len());
            let objects: Vec<Value> =
                all.iter().map(|(id, replayed)| replayed_object(*id, replayed)).collect();
            let text = lines(all.iter().map(|(id, replayed)| outcome(*id, replayed)).chain([sum]));
            Ok(Said::new(text, &json!({ "rows": objects })))
        }
        QuarantineCommand::Drop { id } => {
            if !quarantine.discard(id).await? {
                bail!(NOT_THERE);
            }
            Ok("dropped".into())
        }
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn row(kept: &Quarantined) -> Vec<Value> {
    let Quarantined { id, network, workspace, reason, received_at, bytes } = kept;
    vec![
        json!(id),
        json!(rfc3339_ms(*received_at)),
        json!(bytes),
        json!(network.map(ChannelKind::as_str)),
        json!(workspace),
        json!(reason),
    ]
}

fn outcome(id: i64, replayed: &Replayed) -> String {
    let Replayed { journaled, passed_over, stays } = replayed;
    let stays = stays.as_ref().map(|reason| format!("  stays: {reason}")).unwrap_or_default();
    format!("{id}  journaled {journaled}  passed over {passed_over}{stays}")
}

fn replayed_object(id: i64, replayed: &Replayed) -> Value {
    let Replayed { journaled, passed_over, stays } = replayed;
    json!({ "id": id, "journaled": journaled, "passedOver": passed_over, "stays": stays })
}
