//! Choice among wordings.

use super::phrase::Phrase;

/// Choice of wordings in one turn of a conversation: the next turn takes the next one of each, and another
/// conversation begins elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Hash of the conversation.
    conversation: u64,
    turn: u64,
}

impl Rotation {
    pub fn of(conversation: &[u8], turn: u64) -> Self {
        Self { conversation: hash(conversation, HASH_OF_NOTHING), turn }
    }

    pub(super) fn turn(self, phrase: Phrase, place: usize) -> u64 {
        let begins = hash(phrase.key().as_bytes(), self.conversation) % 1_000;
        begins.wrapping_add(self.turn).wrapping_add(u64::try_from(place).unwrap_or_default())
    }
}

/// Basis of FNV-1a.
const HASH_OF_NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes by FNV-1a, which is the same on every machine and in every version.
fn hash(bytes: &[u8], before: u64) -> u64 {
    bytes.iter().fold(before, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
