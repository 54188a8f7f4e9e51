//! A value in an answer, with its place.

use domain::systems::Why;

use super::{
    document::{Document, Kind, Value},
    path::{Notes, Path},
};

/// A value, where it stands, and where to note what is wrong with it.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a, 'p> {
    pub(crate) value: Value<'a>,
    path: Path<'p>,
    notes: &'p Notes,
}

/// A member of an object that is known by its name, whether it is there or not.
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

    /// Notes what is wrong with the value itself.
    pub(crate) fn note(&self, why: Why) {
        self.notes.add(&self.path, why);
    }

    /// Notes what is wrong with a field of one of its items.
    pub(crate) fn note_field(&self, position: usize, name: &'static str, why: Why) {
        self.notes.add(&self.path.item(position).field(name), why);
    }

    pub(crate) fn is_null(&self) -> bool {
        self.value.kind() == Kind::Null
    }

    /// Its members of these names, of those that stand twice the last; noted where it is no object. A name that is not
    /// Unicode is none of these.
    pub(crate) fn fields<'n, const N: usize>(
        &'n self,
        names: [&'static str; N],
    ) -> Option<[Field<'a, 'n>; N]> {
        let mut fields = names.map(|name| Field { name, value: None, of: self });
        let Some(members) = self.value.members() else { return self.wrong_type() };
        // Most write their members in the contract's order, so a name is often that of the field behind the last one.
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

    /// What can be read of its items, of which `most` are looked at; noted where it is no array.
    pub(crate) fn items<T>(&self, most: usize, read: impl Fn(Node<'a, '_>) -> Option<T>) -> Option<Vec<T>> {
        let Some(items) = self.value.items() else { return self.wrong_type() };
        Some(self.first(most, items, |item, path| read(Node { value: item, path, notes: self.notes })))
    }

    /// As [`Self::items`]; `None`, too, where there are some and none can be read.
    pub(crate) fn usable<T>(&self, most: usize, read: impl Fn(Node<'a, '_>) -> Option<T>) -> Option<Vec<T>> {
        let usable = self.items(most, read)?;
        (self.is_empty() || !usable.is_empty()).then_some(usable)
    }

    /// What can be read of its members, whose names the system makes up and which are therefore noted by their position,
    /// as is a name that is not Unicode. An empty array is an empty object, as it is to PHP.
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

    /// Whether it is an array that holds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.value.items().is_some_and(|mut items| items.next().is_none())
    }

    /// What it holds of values of its own, of which `most` are looked at.
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

    /// What `read` makes of it; noted where it makes nothing.
    pub(crate) fn value<T>(&self, read: impl FnOnce(Value<'a>) -> Result<T, Why>) -> Option<T> {
        read(self.value).map_err(|why| self.note(why)).ok()
    }

    fn wrong_type<T>(&self) -> Option<T> {
        self.note(Why::WrongType);
        None
    }
}

impl<'a, 'p> Field<'a, 'p> {
    /// What has to be there; noted where it is not, or null.
    pub(crate) fn node(&self) -> Option<Node<'a, 'p>> {
        let node = self.optional_node();
        if node.is_none() {
            self.missing();
        }
        node
    }

    /// Notes that it is not there.
    pub(crate) fn missing(&self) {
        self.of.notes.add(&self.of.path.field(self.name), Why::Missing);
    }

    /// What need not be there. Null is as good as nothing.
    pub(crate) fn optional_node(&self) -> Option<Node<'a, 'p>> {
        self.any_node().filter(|node| !node.is_null())
    }

    /// Whatever is there.
    pub(crate) fn any_node(&self) -> Option<Node<'a, 'p>> {
        self.value.map(|value| Node { value, path: self.of.path.field(self.name), notes: self.of.notes })
    }

    /// The value of what has to be there.
    pub(crate) fn required<T>(&self, read: impl FnOnce(Value<'a>) -> Result<T, Why>) -> Option<T> {
        self.node()?.value(read)
    }

    /// The value of what need not be there. A blank text is as good as nothing.
    pub(crate) fn optional<T>(&self, read: impl FnOnce(Value<'a>) -> Result<T, Why>) -> Option<T> {
        let node = self.optional_node()?;
        if super::values::is_blank(&node.value) { None } else { node.value(read) }
    }
}
