//! Commands about the master key.

use std::time::Duration;

use adapter_vault::Keyring;
use domain::{
    clock::Clock,
    vault::{Binding, CheckKeys, KeysFound, ResealValues, Tally},
};
use secrecy::ExposeSecret;

use super::progress::Steps;
use crate::print::tell;

/// Time within which every running node has learned of another form of sealed values, and finished what it
/// began before.
const LEARNED_WITHIN: Duration = Duration::from_secs(10);

/// Note to the operator while values open that are not bound to their places.
pub const NOT_BOUND: &str = "This database has sealed values that are not bound to their places, or may get some. Once every node \
     runs this release, run `master-key reseal`.";

/// Note to the operator of an older database, at each start until the hash key is clear.
pub const HASH_KEY_UNCLEAR: &str = "Nothing in this database tells yet whether the hash key is the right one. If API keys open \
     what they should, keep it as it is with `master-key adopt`.";

pub struct KeyReport {
    pub said: String,
    /// Whether the master key alone seals everything, and all of it is bound to its place.
    pub alone: bool,
}

/// Returns the hash key in force, as its setting takes it.
pub fn hash_key(keys: &Keyring) -> anyhow::Result<String> {
    Ok(keys.hash_key()?.reveal().expose_secret().to_owned())
}

/// Seals with the master key what others have sealed, and binds what is not bound to its place. Where the
/// database was not at that form yet, waits for nodes to learn of it, so that none of them seals in the old
/// form behind the walk.
///
/// # Errors
/// When the store fails; what was done before stays.
pub async fn reseal(
    values: &ResealValues,
    keys: &CheckKeys,
    clock: &dyn Clock,
    has_hash_key: bool,
) -> anyhow::Result<KeyReport> {
    let mut binding = keys.go_on_to(Binding::Begun).await?;
    if binding < Binding::Complete {
        tell("Values are bound to their places from now on. Waiting until every node does so.");
        clock.sleep(LEARNED_WITHIN).await;
    }
    let mut steps = Steps::new(values.values.about_how_many().await?, "rows");
    let resealed = values.run(|tally| steps.at(tally.rows)).await;
    steps.end();
    let resealed = resealed?;
    if binding < Binding::Complete && resealed.is_whole() {
        binding = keys.go_on_to(Binding::Complete).await?;
    }
    let done = format!("sealed anew: {}", resealed.done.resealed);
    let unreadable = resealed.done.unreadable;
    let unreadable = (unreadable > 0).then(|| format!("opened by none of the keys listed: {unreadable}"));
    let verdict = verdict(&resealed.left, binding, has_hash_key);
    let said: Vec<String> = [Some(done), unreadable, Some(verdict.said)].into_iter().flatten().collect();
    Ok(KeyReport { said: said.join("\n"), ..verdict })
}

/// Reports how far the keys are known to be right, and counts what keys other than the master key seal.
pub async fn check(
    values: &ResealValues,
    keys: &CheckKeys,
    found: KeysFound,
    has_hash_key: bool,
) -> anyhow::Result<KeyReport> {
    let mut steps = Steps::new(values.values.about_how_many().await?, "rows");
    let counted = values.count(|tally| steps.at(tally.rows)).await;
    steps.end();
    let verdict = verdict(&counted?, keys.vault.binding(), has_hash_key);
    let keys = match found {
        KeysFound::Right => "The keys are this database's.",
        KeysFound::HashKeyUnclear => HASH_KEY_UNCLEAR,
    };
    Ok(KeyReport { said: format!("{keys}\n{}", verdict.said), ..verdict })
}

/// Takes the keys in force for the database's.
pub async fn adopt(keys: &CheckKeys) -> anyhow::Result<String> {
    keys.adopt().await?;
    Ok("The keys are this database's from now on.".to_owned())
}

fn verdict(left: &Tally, binding: Binding, has_hash_key: bool) -> KeyReport {
    let alone = left.total() == 0;
    let mut said: Vec<String> =
        left.others.iter().map(|(column, values)| format!("{column}  {values}")).collect();
    // What is not bound is counted, too, as soon as anything is.
    let what =
        if binding == Binding::Begun { "sealed by other keys or not bound" } else { "sealed by other keys" };
    said.push(format!("{what}: {}", left.total()));
    let bound = match binding {
        Binding::NotYet => NOT_BOUND,
        Binding::Begun => "Not all values are bound to their places yet: run `master-key reseal` again.",
        Binding::Complete => "All values are bound to their places; others do not open.",
    };
    said.push(bound.to_owned());
    said.push(
        match (alone, has_hash_key) {
            (false, _) => {
                "Keep the other keys. Once every node runs with this master key first, run `master-key reseal` again."
            }
            (true, false) => {
                "Before the other keys go, set MESSAGING_HASH_KEY on every node to what `master-key hash-key` prints."
            }
            (true, true) => "Once every node runs with this master key first, the other keys may go.",
        }
        .to_owned(),
    );
    KeyReport { said: said.join("\n"), alone: alone && binding == Binding::Complete }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_old_key_may_go_when_nothing_needs_it() {
        let left = |values| Tally {
            others: BTreeMap::from([("sends.network_id_sealed", values)]),
            ..Tally::default()
        };
        for (left, has_hash_key, alone, words) in [
            (
                left(3),
                true,
                false,
                "sends.network_id_sealed  3\nsealed by other keys: 3\nAll values are bound to their places; others do not open.\nKeep",
            ),
            (
                Tally::default(),
                false,
                true,
                "sealed by other keys: 0\nAll values are bound to their places; others do not open.\nBefore the other keys go, set MESSAGING_HASH_KEY",
            ),
            (
                Tally::default(),
                true,
                true,
                "sealed by other keys: 0\nAll values are bound to their places; others do not open.\nOnce every node",
            ),
        ] {
            let verdict = verdict(&left, Binding::Complete, has_hash_key);
            assert!(verdict.said.starts_with(words), "{}", verdict.said);
            assert_eq!(verdict.alone, alone);
        }
    }

    #[test]
    fn it_is_not_done_before_all_values_are_bound() {
        for (binding, words) in [
            (Binding::NotYet, "sealed by other keys: 0\nThis database has sealed values"),
            (Binding::Begun, "sealed by other keys or not bound: 0\nNot all values are bound"),
        ] {
            let verdict = verdict(&Tally::default(), binding, true);
            assert!(verdict.said.starts_with(words), "{}", verdict.said);
            assert!(!verdict.alone);
        }
    }
}
