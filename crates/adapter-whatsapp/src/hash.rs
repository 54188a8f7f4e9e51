//! Hashes of files, which the network writes in more than one way.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};

/// Length of a SHA-256, in bytes.
const LENGTH: usize = 32;

/// A SHA-256 in hex, or in Base64 with or without padding.
pub(crate) fn read(written: &str) -> Option<Vec<u8>> {
    let hex = || {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        written.as_bytes().chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>()
    };
    let base64 = || STANDARD.decode(written).or_else(|_| STANDARD_NO_PAD.decode(written)).ok();
    let bytes = if written.len() == 2 * LENGTH { hex() } else { base64() };
    bytes.filter(|bytes| bytes.len() == LENGTH)
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
