//! Hexadecimal digits.

use data_encoding::HEXLOWER;

/// Writes bytes in lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}
