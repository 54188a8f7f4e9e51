//! Content of each call's answer, and what of it cannot be used.

mod appointment;
mod introduction;
mod order;
mod product;
mod record;
#[cfg(test)]
mod tests;

use domain::systems::Unusable;

use crate::json::{Document, Node, Notes};

pub(crate) use appointment::{appointment, slots};
pub(crate) use introduction::introduction;
pub(crate) use order::{cancelled, looked_up, order};
pub(crate) use product::{product, products};
#[cfg(test)]
use record::Lookup;
pub(crate) use record::{lead, record};

/// What could be read of an answer with its unusable parts; the latter alone if nothing could.
pub(crate) type Read<T> = Result<(T, Vec<Unusable>), Vec<Unusable>>;

/// Reads a body with `read`, which returns `None` for an answer that cannot be used at all.
pub(crate) fn read<T>(body: &[u8], read: impl FnOnce(&Node<'_, '_>) -> Option<T>) -> Read<T> {
    let notes = Notes::default();
    let document = Document::read(body);
    let value = document.as_ref().and_then(|document| read(&Node::root(document, &notes)));
    let unusable = notes.into_vec();
    match value {
        Some(value) => Ok((value, unusable)),
        None => Err(unusable),
    }
}
