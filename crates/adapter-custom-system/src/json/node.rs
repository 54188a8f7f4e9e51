//! A value in an answer, with its place.

use domain::systems::Why;
use serde_json::value::RawValue;

use super::{
    path::{Notes, Path},
    shape::{self, Kind},
};

/// A value, where it stands, and where to note what is wrong with it.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a, 'p> {
    pub(crate) raw: &'a RawValue,
    path: Path<'p>,
    notes: &'p Notes,
}

/// An object's known members.
pub(crate) struct Object<'a, 'p> {
    members: Vec<(&'static str, &'a RawValue)>,
    path: Path<'p>,
    notes: &'p Notes,
}

/// The JSON that a body holds; `None` where it holds none. A byte-order mark before it, which some languages write, is
/// passed over.
pub(crate) fn whole(body: &[u8]) -> Option<&RawValue> {
    let text = std::str::from_utf8(body).ok()?;
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()
}

impl<'a, 'p> Node<'a, 'p> {
    pub(crate) const fn root(raw: &'a RawValue, notes: &'p Notes) -> Self {
        Self { raw, path: Path::ROOT, notes }
    }

    /// Notes what is wrong with the value itself.
    pub(crate) fn note(&self, why: Why) {
        self.notes.add(&self.path, why);
    }

    pub(crate) fn is_null(&self) -> bool {
        shape::kind(self.raw) == Kind::Null
    }

    /// Its known members; noted where it is no object.
    pub(crate) fn object(&self, names: &[&'static str]) -> Option<Object<'a, 'p>> {
        match shape::known(self.raw, names) {
            Some(members) => Some(Object { members, path: self.path, notes: self.notes }),
            None => self.wrong_type(),
        }
    }

    /// What can be read of its items, of which `most` are looked at; noted where it is no array.
    pub(crate) fn items<T>(&self, most: usize, read: impl Fn(Node<'a, '_>) -> Option<T>) -> Option<Vec<T>> {
        let Some((items, more)) = shape::items(self.raw, most) else { return self.wrong_type() };
        if more {
            self.notes.add(&self.path.items_from(most), Why::TooLong);
        }
        let at = |(position, raw)| read(Node { raw, path: self.path.item(position), notes: self.notes });
        Some(items.into_iter().enumerate().filter_map(at).collect())
    }

    /// What can be read of its members, whose names the system makes up and which are therefore noted by their position.
    /// An empty array is an empty object, as it is to PHP.
    pub(crate) fn members<T>(
        &self,
        most: usize,
        read: impl Fn(&str, Node<'a, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        if shape::items(self.raw, 0).is_some_and(|(_, more)| !more) {
            return Some(Vec::new());
        }
        let Some((members, more)) = shape::members(self.raw, most) else { return self.wrong_type() };
        if more {
            self.notes.add(&self.path.items_from(most), Why::TooLong);
        }
        let at = |(position, (name, raw)): (usize, (String, _))| {
            read(&name, Node { raw, path: self.path.item(position), notes: self.notes })
        };
        Some(members.into_iter().enumerate().filter_map(at).collect())
    }

    /// What `read` makes of it; noted where it makes nothing.
    pub(crate) fn value<T>(&self, read: impl FnOnce(&'a RawValue) -> Result<T, Why>) -> Option<T> {
        read(self.raw).map_err(|why| self.note(why)).ok()
    }

    fn wrong_type<T>(&self) -> Option<T> {
        self.note(Why::WrongType);
        None
    }
}

impl<'a> Object<'a, '_> {
    /// A member that has to be there; noted where it is not, or null.
    pub(crate) fn node(&self, name: &'static str) -> Option<Node<'a, '_>> {
        let node = self.optional_node(name);
        if node.is_none() {
            self.missing(name);
        }
        node
    }

    /// Notes that a member is not there.
    pub(crate) fn missing(&self, name: &'static str) {
        self.notes.add(&self.path.field(name), Why::Missing);
    }

    /// A member that need not be there. Null is as good as nothing.
    pub(crate) fn optional_node(&self, name: &'static str) -> Option<Node<'a, '_>> {
        self.any_node(name).filter(|node| !node.is_null())
    }

    /// A member whatever it is.
    pub(crate) fn any_node(&self, name: &'static str) -> Option<Node<'a, '_>> {
        let (_, raw) = self.members.iter().find(|(other, _)| *other == name)?;
        Some(Node { raw, path: self.path.field(name), notes: self.notes })
    }

    /// The value of a member that has to be there.
    pub(crate) fn required<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'a RawValue) -> Result<T, Why>,
    ) -> Option<T> {
        self.node(name)?.value(read)
    }

    /// The value of a member that need not be there. A blank text is as good as nothing.
    pub(crate) fn optional<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'a RawValue) -> Result<T, Why>,
    ) -> Option<T> {
        let node = self.optional_node(name)?;
        if super::values::is_blank(node.raw) { None } else { node.value(read) }
    }
}
