//! Query parameters that the document lists.

use std::sync::LazyLock;

use utoipa::openapi::{
    OpenApi, RefOr,
    path::{Operation, Parameter, ParameterIn},
};

use super::public;
use crate::{query::known::Table, schema::operations::operations_by_method};

static KNOWN: LazyLock<Table> = LazyLock::new(|| of_document(&public::whole()).into_iter().collect());

/// Returns the query parameters of every operation.
pub(crate) fn known_parameters() -> &'static Table {
    &KNOWN
}

fn of_document(document: &OpenApi) -> Vec<(String, Vec<String>)> {
    let mut known = Vec::new();
    for (path, item) in &document.paths.paths {
        for (method, operation) in operations_by_method(item) {
            known.push((format!("{method} {path}"), of_operation(operation)));
        }
    }
    known
}

fn of_operation(operation: &Operation) -> Vec<String> {
    let name = |parameter: &RefOr<Parameter>| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter.name.clone()),
        _ => None,
    };
    operation.parameters.iter().flatten().filter_map(name).collect()
}
