//! Pages of a list, and the ids in paths.

use actix_web::{HttpRequest, http::StatusCode};
use domain::paging::{AskedPage, PageError, PageLimit};
use utoipa::IntoParams;

use crate::{problem::Problem, query::Parameters};

/// How the parameters of a page are described.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "they are read by hand, to tell what is wrong with them")]
pub(crate) struct PageQuery {
    /// The most rows of the page.
    #[param(minimum = 1, maximum = 100, default = 50, required = false)]
    limit: u32,
    /// The `nextCursor` of the page before. An empty one is the first page.
    #[param(required = false)]
    cursor: String,
}

/// Parses the page that the parameters `limit` and `cursor` ask for.
pub(crate) fn read_page(parameters: &Parameters) -> Result<AskedPage, Problem> {
    let limit = parameters.read("limit", limit, "a whole number from 1 to 100")?.unwrap_or_default();
    let cursor = parameters.get("cursor")?.filter(|cursor| !cursor.is_empty());
    Ok(AskedPage { limit, cursor: cursor.map(str::to_owned) })
}

fn limit(text: &str) -> Option<PageLimit> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).and_then(PageLimit::new)
}

impl From<PageError> for Problem {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Cursor(foreign) => Self::invalid(foreign.to_string()),
            PageError::Store(error) => error.into(),
        }
    }
}

/// Parses the id in the path; `None` if it has not the form of one.
pub(crate) fn id<T: std::str::FromStr>(request: &HttpRequest) -> Option<T> {
    request.match_info().query("id").parse().ok()
}

/// Makes the refusal of an id that no row of the workspace has.
pub(crate) fn not_found(noun: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("there is no {noun} with this id"))
}
