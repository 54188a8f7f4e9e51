//! Randomness and the plain hash.

use ring::digest;
use ring::rand::{SecureRandom as _, SystemRandom};

/// Fills `out` from the operating system's source of randomness.
///
/// The source can fail only while it is not seeded yet; this waits for it, since no other bytes would do.
pub fn fill_random(out: &mut [u8]) {
    let source = SystemRandom::new();
    while source.fill(out).is_err() {
        std::thread::yield_now();
    }
}

/// Returns the SHA-256 of `data`: for values that are long and random, such as an API key. Short or guessable
/// values need a keyed hash.
pub fn sha256(data: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest::digest(&digest::SHA256, data).as_ref());
    out
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;

    #[test]
    fn the_hash_is_sha_256() {
        // FIPS 180-4, the example "abc".
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(HEXLOWER.encode(&sha256(b"abc")), expected);
    }

    #[test]
    fn two_draws_differ() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        fill_random(&mut one);
        fill_random(&mut other);
        assert_ne!(one, other);
        assert_ne!(one, [0; 32]);
    }
}
