//! Sealing of secrets, keyed hashes and randomness.
