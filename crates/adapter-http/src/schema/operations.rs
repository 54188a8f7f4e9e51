//! Operations of a path.

use utoipa::openapi::{PathItem, path::Operation};

/// Lists the operations of a path with their methods.
pub(crate) fn operations_by_method(path: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
    let methods = [
        ("GET", &path.get),
        ("POST", &path.post),
        ("PATCH", &path.patch),
        ("PUT", &path.put),
        ("DELETE", &path.delete),
    ];
    methods.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

/// Lists the operations of a path, in the same order.
pub(crate) fn operations(path: &mut PathItem) -> Vec<&mut Operation> {
    let methods = [&mut path.get, &mut path.post, &mut path.patch, &mut path.put, &mut path.delete];
    methods.into_iter().flatten().collect()
}
