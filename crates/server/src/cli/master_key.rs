//! Commands about the master key.

use clap::Subcommand;

/// What can be done with the master key.
#[derive(Debug, Subcommand)]
pub enum MasterKeyCommand {
    /// Print the hash key, for `MESSAGING_HASH_KEY`: with it, no older master key is needed to recognise what
    /// was hashed.
    HashKey,
    /// Seal with the master key whatever others of those listed have sealed, and bind to its place what is
    /// not, while the service runs. Can be stopped and run again at any time. Ends with 1 while anything is
    /// left.
    Reseal,
    /// Say whether the keys are this database's, how much another key than the master key seals, and whether
    /// all is bound to its place. Ends with 1 while there is anything to seal anew.
    Check,
    /// Take the keys that are set for this database's from now on, although others made what is in it. What
    /// those have sealed stays closed, and what they have hashed is unknown: API keys, sessions, idempotency
    /// keys.
    Adopt,
}
