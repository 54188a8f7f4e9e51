//! Commands about the master key.

use clap::Subcommand;

/// What can be done with the master key.
#[derive(Debug, Subcommand)]
pub enum MasterKeyCommand {
    /// Print the hash key, for `MESSAGING_HASH_KEY`: with it, no older master key is needed to recognise what was
    /// hashed.
    HashKey,
    /// Seal with the master key whatever others of those listed have sealed, while the service runs. Can be stopped
    /// and run again at any time. Ends with 1 while anything is left.
    Reseal,
    /// Say how much another key than the master key seals. Ends with 1 while there is anything.
    Check,
}
