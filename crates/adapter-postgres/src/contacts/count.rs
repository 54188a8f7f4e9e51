//! What is kept of contacts besides their rows, so that lists know their totals: every statement that writes a
//! contact keeps it in step.

use domain::{phone::PhoneNumber, text::fold_for_search};

/// The part of a statement that counts new contacts: parts of a `WITH` that follow one called `new_contact`, which
/// returns `id` and `searchable`. All contacts of a statement are counted in the slot of one of them, each part once:
/// what counts is the sum over the slots. The statement's first value is the workspace.
///
/// Rows are locked in one order everywhere, the slot's before those of its parts, so that nobody waits in a circle.
macro_rules! count_contacts {
    () => {
        "counted_contact AS (
            INSERT INTO contact_counts AS counts (workspace_id, slot, contacts)
            SELECT $1, contact_slot((array_agg(id))[1]), count(*) FROM new_contact HAVING count(*) > 0
            ON CONFLICT (workspace_id, slot) DO UPDATE SET contacts = counts.contacts + excluded.contacts
            RETURNING slot
        ), counted_parts AS (
            INSERT INTO contact_part_counts AS counts (workspace_id, part, slot, contacts)
            SELECT $1, part, slot, count(*)
            FROM counted_contact, new_contact, unnest(short_parts(searchable)) part
            GROUP BY part, slot ORDER BY part
            ON CONFLICT (workspace_id, part, slot) DO UPDATE SET contacts = counts.contacts + excluded.contacts
        )"
    };
}
pub(crate) use count_contacts;

/// What a contact is found by: the folded name, and on a line of its own the number's digits.
pub(crate) fn searchable(name: Option<&str>, phone: Option<&PhoneNumber>) -> String {
    let name = name.map(fold_for_search).unwrap_or_default();
    format!("{name}\n{}", phone.map(PhoneNumber::digits).unwrap_or_default())
}
