//! Changing the master key.

use adapter_vault::Keyring;
use domain::vault::{CheckKeys, KeysFound, ResealValues, Tally};
use secrecy::ExposeSecret;

/// Rows between two lines about how far it has come.
const TOLD_EVERY: u64 = 100_000;

/// What an operator of an older database is told at each start, as long as it is so.
pub const HASH_KEY_UNCLEAR: &str = "Nothing in this database tells yet whether the hash key is the right one. If API keys open \
     what they should, keep it as it is with `master-key adopt`.";

/// What a command about the master key came to.
pub struct Verdict {
    /// In words for the operator.
    pub said: String,
    /// Whether the master key alone seals everything.
    pub alone: bool,
}

/// The hash key in force, as its setting takes it.
///
/// # Errors
/// When it cannot be derived.
pub fn hash_key(keys: &Keyring) -> anyhow::Result<String> {
    Ok(keys.hash_key()?.reveal().expose_secret().to_owned())
}

/// Seals with the master key what others have sealed.
///
/// # Errors
/// When the store fails; what was done before stays.
pub async fn reseal(values: &ResealValues, has_hash_key: bool) -> anyhow::Result<Verdict> {
    let resealed = values.run(teller()).await?;
    let done = format!("sealed anew: {}", resealed.done.resealed);
    let unreadable = resealed.done.unreadable;
    let unreadable = (unreadable > 0).then(|| format!("opened by none of the keys listed: {unreadable}"));
    let verdict = verdict(&resealed.left, has_hash_key);
    let said: Vec<String> = [Some(done), unreadable, Some(verdict.said)].into_iter().flatten().collect();
    Ok(Verdict { said: said.join("\n"), ..verdict })
}

/// Says how far the keys are known to be right, and counts what others than the master key seal.
///
/// # Errors
/// When the store fails.
pub async fn check(values: &ResealValues, found: KeysFound, has_hash_key: bool) -> anyhow::Result<Verdict> {
    let verdict = verdict(&values.count(teller()).await?, has_hash_key);
    let keys = match found {
        KeysFound::Right => "The keys are this database's.",
        KeysFound::HashKeyUnclear => HASH_KEY_UNCLEAR,
    };
    Ok(Verdict { said: format!("{keys}\n{}", verdict.said), ..verdict })
}

/// Takes the keys in force for the database's.
///
/// # Errors
/// When the store fails.
pub async fn adopt(keys: &CheckKeys) -> anyhow::Result<String> {
    keys.adopt().await?;
    Ok("The keys are this database's from now on.".to_owned())
}

fn verdict(left: &Tally, has_hash_key: bool) -> Verdict {
    let alone = left.total() == 0;
    let mut said: Vec<String> =
        left.others.iter().map(|(column, values)| format!("{column}  {values}")).collect();
    said.push(format!("sealed by other keys: {}", left.total()));
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
    Verdict { said: said.join("\n"), alone }
}

/// Says on standard error how far a walk has come, now and then.
fn teller() -> impl FnMut(&Tally) {
    let mut next = TOLD_EVERY;
    move |tally| {
        if tally.rows < next {
            // A walk that begins anew.
            next = next.min((tally.rows / TOLD_EVERY + 1) * TOLD_EVERY);
            return;
        }
        next = (tally.rows / TOLD_EVERY + 1) * TOLD_EVERY;
        tell(&format!("rows looked at: {}, sealed anew: {}", tally.rows, tally.resealed));
    }
}

#[expect(clippy::print_stderr, reason = "how far a command of the command line has come")]
fn tell(line: &str) {
    eprintln!("{line}");
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
                "sends.network_id_sealed  3\nsealed by other keys: 3\nKeep the other keys.",
            ),
            (
                Tally::default(),
                false,
                true,
                "sealed by other keys: 0\nBefore the other keys go, set MESSAGING_HASH_KEY",
            ),
            (Tally::default(), true, true, "sealed by other keys: 0\nOnce every node"),
        ] {
            let verdict = verdict(&left, has_hash_key);
            assert!(verdict.said.starts_with(words), "{}", verdict.said);
            assert_eq!(verdict.alone, alone);
        }
    }
}
