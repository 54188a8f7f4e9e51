//! Secrets of a sandbox.

use data_encoding::HEXLOWER;

/// Secrets made anew for each sandbox.
pub(super) struct Secrets {
    pub(super) master_key: String,
    pub(super) app_secret: String,
    pub(super) verify_token: String,
    pub(super) token: String,
}

impl Secrets {
    pub(super) fn make() -> Self {
        Self {
            master_key: random_hex(),
            app_secret: random_hex(),
            verify_token: random_hex(),
            token: random_hex(),
        }
    }
}

pub(super) fn random_hex() -> String {
    let mut bytes = [0; 32];
    adapter_vault::fill_random(&mut bytes);
    HEXLOWER.encode(&bytes)
}
