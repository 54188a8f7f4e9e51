//! Check of a key's scope.

use actix_web::{HttpMessage, HttpRequest};
use domain::access::{Caller, Scope};

use crate::{problem::Problem, query::known};

/// Returns the caller if their key holds `scope` and the query has no unknown parameter. Handlers call it
/// before anything else.
pub(crate) fn permit(request: &HttpRequest, scope: Scope) -> Result<Caller, Problem> {
    permit_any(request, &[scope])
}

/// Checks a caller as [`permit`] does, for a route that any of several scopes opens.
pub(crate) fn permit_any(request: &HttpRequest, scopes: &[Scope]) -> Result<Caller, Problem> {
    let extensions = request.extensions();
    let caller = extensions
        .get::<Caller>()
        .ok_or_else(|| Problem::internal("a handler that wants a caller is outside the admission"))?;
    if !scopes.iter().any(|scope| caller.may(*scope)) {
        return Err(Problem::scope_missing(scopes));
    }
    known::check(request)?;
    Ok(caller.clone())
}
