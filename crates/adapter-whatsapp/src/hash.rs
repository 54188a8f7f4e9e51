//! Hashes of files, which the network writes in several ways.

use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER_PERMISSIVE};

/// Length of a SHA-256, in bytes.
const LENGTH: usize = 32;

/// Parses a SHA-256 in hex, or in Base64 with or without padding.
pub(crate) fn read(written: &str) -> Option<Vec<u8>> {
    let alphabets = [HEXLOWER_PERMISSIVE, BASE64, BASE64_NOPAD];
    let mut readings = alphabets.iter().filter_map(|alphabet| alphabet.decode(written.as_bytes()).ok());
    readings.find(|bytes| bytes.len() == LENGTH)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_hash_comes_in_hex_or_in_base64() {
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let bytes = read(hex).unwrap();
        for base64 in
            ["ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0"]
        {
            assert_eq!(read(base64).as_ref(), Some(&bytes));
        }
        for bad in ["", "ba78", &hex.replace("ba", "zz"), "****"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
