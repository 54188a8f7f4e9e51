//! A value in an answer, with its path.

use domain::systems::Why;

use super::{
    document::{Document, Value},
    entry::Kind,
    path::{Notes, Path},
};

/// A value, its path, and the notes of what is wrong with it.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a, 'p> {
    pub(crate) value: Value<'a>,
    path: Path<'p>,
    notes: &'p Notes,
}

/// A member of an object that is known by its name, present or not.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a, 'p> {
    name: &'static str,
    value: Option<Value<'a>>,
    of: &'p Node<'a, 'p>,
}

impl<'a, 'p> Node<'a, 'p> {
    pub(crate) fn root(document: &'a Document<'a>, notes: &'p Notes) -> Self {
        Self { value: document.root(), path: Path::ROOT, notes }
    }

    pub(crate) fn note(&self, why: Why) {
        self.notes.add(&self.path, why);
    }

    /// Notes what is wrong with a field of the item at `position`.
    pub(crate) fn note_field(&self, position: usize, name: &'static str, why: Why) {
        self.notes.add(&self.path.item(position).field(name), why);
    }

    pub(crate) fn is_null(&self) -> bool {
        self.value.kind() == Kind::Null
    }

    /// Returns the members of these names, the last of duplicates; noted if the value is no object. A name
    /// that is not Unicode matches none.
    pub(crate) fn fields<'n, const N: usize>(
        &'n self,
        names: [&'static str; N],
    ) -> Option<[Field<'a, 'n>; N]> {
        let mut fields = names.map(|name| Field { name, value: None, of: self });
        let Some(members) = self.value.members() else { return self.wrong_type() };
        // Most systems write members in the contract's order, so a name is often that of the field behind the
        // last one.
        let mut next = 0;
        for (written, value) in members {
            let Some(written) = written.text() else { continue };
            let mut places = (next..N).chain(0..next);
            let found = places.find(|place| names.get(*place).is_some_and(|name| *name == written));
            if let Some((place, field)) = found.and_then(|place| Some((place, fields.get_mut(place)?))) {
                field.value = Some(value);
                next = place + 1;
            }
        }
        Some(fields)
    }

    /// Reads the first `most` items and returns the readable ones; noted if the value is no array.
    pub(crate) fn items<T>(&self, most: usize, read: impl Fn(Node<'a, '_>) -> Option<T>) -> Option<Vec<T>> {
        let Some(items) = self.value.items() else { return self.wrong_type() };
        Some(self.first(most, items, |item, path| read(Node { value: item, path, notes: self.notes })))
    }

    /// Reads items as [`Self::items`] does; `None` also if there are some and none can be read.
    pub(crate) fn usable<T>(&self, most: usize, read: impl Fn(Node<'a, '_>) -> Option<T>) -> Option<Vec<T>> {
        let usable = self.items(most, read)?;
        (self.is_empty() || !usable.is_empty()).then_some(usable)
    }

    /// Reads the first `most` members, whose names the system makes up; they are noted by position, as is a
    /// name that is not Unicode. An empty array counts as an empty object: PHP writes it so.
    pub(crate) fn members<T>(
        &self,
        most: usize,
        read: impl Fn(&str, Node<'a, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        if self.is_empty() {
            return Some(Vec::new());
        }
        let Some(members) = self.value.members() else { return self.wrong_type() };
        Some(self.first(most, members, |(name, value), path| {
            let node = Node { value, path, notes: self.notes };
            let Some(name) = name.text() else { return node.wrong_type() };
            read(&name, node)
        }))
    }

    /// Returns whether the value is an empty array.
    pub(crate) fn is_empty(&self) -> bool {
        self.value.items().is_some_and(|mut items| items.next().is_none())
    }

    /// Reads the first `most` of `values`; notes if there are more.
    fn first<V, T>(
        &self,
        most: usize,
        values: impl Iterator<Item = V> + Clone,
        read: impl Fn(V, Path<'_>) -> Option<T>,
    ) -> Vec<T> {
        let count = values.clone().take(most.saturating_add(1)).count();
        if count > most {
            self.notes.add(&self.path.items_from(most), Why::TooLong);
        }
        let mut found = Vec::with_capacity(count.min(most));
        let values = values.take(most).enumerate();
        found.extend(values.filter_map(|(position, value)| read(value, self.path.item(position))));
        found
    }

    /// Reads the value; notes why not if it cannot be read.
    pub(crate) fn value<T>(&self, read: impl FnOnce(Value<'a>) -> Result<T, Why>) -> Option<T> {
        read(self.value).map_err(|why| self.note(why)).ok()
    }

    fn wrong_type<T>(&self) -> Option<T> {
        self.note(Why::WrongType);
        None
    }
}

impl<'a, 'p> Field<'a, 'p> {
    /// Returns a required field; noted if it is absent or null.
    pub(crate) fn node(&self) -> Option<Node<'a, 'p>> {
        let node = self.optional_node();
        if node.is_none() {
            self.missing();
        }
        node
    }

    pub(crate) fn missing(&self) {
        self.of.notes.add(&self.of.path.field(self.name), Why::Missing);
    }

    /// Returns an optional field; `None` for null as well.
    pub(crate) fn optional_node(&self) -> Option<Node<'a, 'p>> {
        self.any_node().filter(|node| !node.is_null())
    }

    /// Returns the field, null or not.
    pub(crate) fn any_node(&self) -> Option<Node<'a, 'p>> {
        self.value.map(|value| Node { value, path: self.of.path.field(self.name), notes: self.of.notes })
    }

    /// Reads a required field.
    pub(crate) fn required<T>(&self, read: impl FnOnce(Value<'a>) -> Result<T, Why>) -> Option<T> {
        self.node()?.value(read)
    }

    /// Reads an optional field; a blank text counts as absent.
    pub(crate) fn optional<T>(&self, read: impl FnOnce(Value<'a>) -> Result<T, Why>) -> Option<T> {
        let node = self.optional_node()?;
        if super::values::is_blank(&node.value) { None } else { node.value(read) }
    }
}
