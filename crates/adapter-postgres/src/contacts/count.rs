//! Counts of contacts for lists' totals, updated by every writer of contacts.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ids::{ContactId, WorkspaceId},
    phone::PhoneNumber,
    text::fold_for_search,
};

use crate::{
    schema::{contact_counts, contact_part_counts},
    sql::insert,
    transaction::Flight,
};

/// Returns the text that a contact is searched by: the folded name, and on a second line the number's digits.
pub(crate) fn searchable(name: Option<&str>, phone: Option<&PhoneNumber>) -> String {
    let name = name.map(fold_for_search).unwrap_or_default();
    format!("{name}\n{}", phone.map(PhoneNumber::digits).unwrap_or_default())
}

/// Adds new contacts to the counts, each with its searchable text. All contacts of a transaction are counted
/// in the slot of the first: only the sum over the slots matters.
///
/// Belongs at the end of a transaction, since others wait for these rows, and in this order everywhere, to
/// avoid deadlocks.
pub(crate) fn count(flight: &mut Flight<'_>, workspace: WorkspaceId, contacts: &[(ContactId, String)]) {
    let Some((first, _)) = contacts.first() else { return };
    let slot = slot(*first);
    let total = i64::try_from(contacts.len()).unwrap_or(i64::MAX);
    let mut parts = Parts::new();
    for part in contacts.iter().flat_map(|(_, searchable)| short_parts(searchable)) {
        *parts.entry((part, slot)).or_default() += 1;
    }
    count_slots(flight, workspace, &[(slot, total)]);
    count_parts(flight, workspace, parts);
}

/// Takes contacts out of the counts, each with its searchable text. They may have been counted in other
/// slots: only the sum matters.
pub(crate) fn uncount(flight: &mut Flight<'_>, workspace: WorkspaceId, contacts: &[(ContactId, &str)]) {
    let (mut totals, mut parts) = (BTreeMap::<i16, i64>::new(), Parts::new());
    for (contact, searchable) in contacts {
        let slot = slot(*contact);
        *totals.entry(slot).or_default() -= 1;
        for part in short_parts(searchable) {
            *parts.entry((part, slot)).or_default() -= 1;
        }
    }
    count_slots(flight, workspace, &totals.into_iter().collect::<Vec<_>>());
    count_parts(flight, workspace, parts);
}

pub(crate) fn recount(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    contact: ContactId,
    before: &str,
    after: &str,
) {
    let slot = slot(contact);
    let (before, after) = (short_parts(before), short_parts(after));
    let added = after.difference(&before).map(|part| ((part.clone(), slot), 1));
    let removed = before.difference(&after).map(|part| ((part.clone(), slot), -1));
    count_parts(flight, workspace, added.chain(removed).collect());
}

type Parts = BTreeMap<(String, i16), i64>;

fn count_slots(flight: &mut Flight<'_>, workspace: WorkspaceId, totals: &[(i16, i64)]) {
    flight.insert(
        insert(contact_counts::table, workspace, totals)
            .column(contact_counts::slot, |(slot, _)| *slot)
            .column(contact_counts::contacts, |(_, contacts)| *contacts)
            .in_order_of(contact_counts::slot)
            .on_conflict((contact_counts::slot,))
            .add_excluded(contact_counts::contacts),
    );
}

fn count_parts(flight: &mut Flight<'_>, workspace: WorkspaceId, parts: Parts) {
    let parts: Vec<((String, i16), i64)> = parts.into_iter().collect();
    flight.insert(
        insert(contact_part_counts::table, workspace, &parts)
            .column(contact_part_counts::part, |((part, _), _)| part.as_str())
            .column(contact_part_counts::slot, |((_, slot), _)| *slot)
            .column(contact_part_counts::contacts, |(_, contacts)| *contacts)
            .in_order_of(contact_part_counts::part)
            .in_order_of(contact_part_counts::slot)
            .on_conflict((contact_part_counts::part, contact_part_counts::slot))
            .add_excluded(contact_part_counts::contacts),
    );
}

/// Returns a contact's slot, like `contact_slot` in the database.
fn slot(contact: ContactId) -> i16 {
    let [.., last] = contact.uuid().into_bytes();
    i16::from(last % 16)
}

/// Returns the distinct parts of one and two letters of each line, like `short_parts` in the database.
fn short_parts(searchable: &str) -> BTreeSet<String> {
    let letters = |line: &str| line.chars().collect::<Vec<_>>();
    let lines: Vec<Vec<char>> = searchable.split('\n').map(letters).collect();
    let parts = lines.iter().flat_map(|line| line.windows(1).chain(line.windows(2)));
    parts.map(|part| part.iter().collect()).collect()
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use domain::ids::ContactId;
    use uuid::Uuid;

    use crate::{explained::client, testing::TestDatabase};

    #[tokio::test]
    async fn what_counts_is_computed_here_as_the_database_does() {
        let database = TestDatabase::fresh().await;
        let client = client(&database).await;
        for searchable in ["", "\n", "a", "aa", "ab ba\n9647701", "سارة ال\n", "😀é\r\n12", "\na\n\nb"]
        {
            let row = client.query_one("SELECT short_parts($1)", &[&searchable]).await.unwrap();
            let mut theirs: Vec<String> = row.get(0);
            theirs.sort();
            assert_eq!(
                super::short_parts(searchable).into_iter().collect::<Vec<_>>(),
                theirs,
                "{searchable:?}"
            );
        }
        for last in 0..=255_u128 {
            let id = Uuid::from_u128(0x0198_1234 << 64 | last);
            let row = client.query_one("SELECT contact_slot($1)", &[&id]).await.unwrap();
            assert_eq!(super::slot(ContactId::from(id)), row.get::<_, i16>(0));
        }
    }
}
