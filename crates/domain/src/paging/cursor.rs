//! Cursors: positions in a list, signed for that list.

use std::sync::Arc;

use data_encoding::HEXLOWER_PERMISSIVE;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{AskedPage, ForeignCursor, PageRequest, Position};
use crate::{hex::hex, ids::WorkspaceId, vault::Vault};

/// Bytes of a cursor's time, id and signature.
const LENGTHS: [usize; 3] = [8, 16, 16];

/// Issues and reads cursors.
#[derive(Clone)]
pub struct Cursors {
    pub vault: Arc<dyn Vault>,
}

impl Cursors {
    /// Returns the cursor of the row at `place` of `list`, a text that says what is listed and by which
    /// filter.
    pub fn issue(&self, workspace: WorkspaceId, list: &str, place: Position) -> String {
        let micros = place.at.unix_timestamp_nanos() / 1_000;
        let micros = i64::try_from(micros).unwrap_or(i64::MAX).to_be_bytes();
        let id = place.id.into_bytes();
        let signature = self.sign(workspace, list, &micros, &id);
        hex(&[micros.as_slice(), &id, &signature].concat())
    }

    /// Returns the position that a cursor names.
    pub fn read(&self, workspace: WorkspaceId, list: &str, cursor: &str) -> Result<Position, ForeignCursor> {
        let bytes = unhex(cursor).ok_or(ForeignCursor)?;
        let [time, id, _] = LENGTHS;
        let (micros, rest) = bytes.split_at_checked(time).ok_or(ForeignCursor)?;
        let (id, signature) = rest.split_at_checked(id).ok_or(ForeignCursor)?;
        if self.sign(workspace, list, micros, id) != signature {
            return Err(ForeignCursor);
        }
        let micros = micros.try_into().map(i64::from_be_bytes).map_err(|_| ForeignCursor)?;
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000);
        Ok(Position {
            at: at.map_err(|_| ForeignCursor)?,
            id: Uuid::from_slice(id).map_err(|_| ForeignCursor)?,
        })
    }

    /// Returns the request for a page of `list` that a caller asks for.
    pub fn open(
        &self,
        workspace: WorkspaceId,
        list: &str,
        asked: &AskedPage,
    ) -> Result<PageRequest, ForeignCursor> {
        let after = asked.cursor.as_deref().map(|cursor| self.read(workspace, list, cursor)).transpose()?;
        Ok(PageRequest { limit: asked.limit, after })
    }

    fn sign(&self, workspace: WorkspaceId, list: &str, micros: &[u8], id: &[u8]) -> Vec<u8> {
        let [.., length] = LENGTHS;
        let signed = [workspace.uuid().as_bytes().as_slice(), micros, id, list.as_bytes()].concat();
        self.vault.keyed_hash("cursor", &signed).into_iter().take(length).collect()
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() != LENGTHS.iter().sum::<usize>() * 2 {
        return None;
    }
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use time::macros::datetime;
    use uuid::Uuid;

    use super::Cursors;
    use crate::{paging::Position, vault::MockVault};

    /// Signs with its whole input, so that another list, place or workspace gets another signature.
    fn cursors() -> Cursors {
        let mut vault = MockVault::new();
        vault.expect_keyed_hash().returning(|_, data| {
            let mut hash = [0; 32];
            for (index, byte) in data.iter().enumerate() {
                hash[index % 16] ^= byte.wrapping_mul(u8::try_from(index % 251).unwrap() + 1);
            }
            hash
        });
        Cursors { vault: Arc::new(vault) }
    }

    const PLACE: Position =
        Position { at: datetime!(2026-11-21 10:00:00.123456 UTC), id: Uuid::from_u128(77) };

    #[test]
    fn a_cursor_reads_back_for_its_own_list_only() {
        let (cursors, ours, theirs) = (cursors(), Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let cursor = cursors.issue(ours, "contacts", PLACE);
        assert_eq!(cursors.read(ours, "contacts", &cursor), Ok(PLACE));
        assert!(cursors.read(theirs, "contacts", &cursor).is_err());
        assert!(cursors.read(ours, "conversations", &cursor).is_err());
        assert!(cursors.read(ours, "contacts", &cursor.replacen('0', "1", 1)).is_err());
    }

    #[test]
    fn no_text_of_the_corpus_is_taken_for_a_cursor() {
        for text in include_str!("../../../../tests/corpora/cursors.txt").lines() {
            assert!(cursors().read(Uuid::from_u128(1).into(), "contacts", text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_reading_panic(text in ".{0,100}") {
            prop_assert!(cursors().read(Uuid::from_u128(1).into(), "contacts", &text).is_err());
        }
    }
}
