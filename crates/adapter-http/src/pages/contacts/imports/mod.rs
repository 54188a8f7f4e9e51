//! `/contact-imports`, in the browser `/dashboard/contacts/import`: lists of people. `jobs` holds those that
//! are imported in the background, `list` one that is imported as it arrives.

mod file;
pub(in crate::pages) mod jobs;
mod list;
mod slot;

pub(crate) use slot::RunningImports;

pub(in crate::pages) use self::{
    file::{GivenFile, encoding},
    list::MOST_TOLD,
    slot::{take_over, take_written},
};

use std::io::Cursor;

use actix_web::web::{Data, Payload};

use self::jobs::{is_wanted, show_with, take};
use super::super::{
    act::{Answer, Call, Given},
    answer::see_other,
};
use crate::{problem::Problem, query::Parameters};

const PATH: &str = "/dashboard/contacts/import";

/// Imports a list of people: separated values with commas, semicolons, tabs or bars, in UTF-8, in UTF-16 with
/// its mark, or in Windows-1256; a workbook (`.xlsx`), whose first sheet is read; or vCards. Its columns are
/// found by a header in English or Arabic, else the number comes first and the name second; first, middle and
/// last names in columns of their own are joined. `created`, `known` and `refused` are all its rows together:
/// a row whose quotation mark is never closed is refused, and the next line is read as the next row. A list
/// that breaks off is imported as far as it came; sending it again adds nobody twice. It breaks off, too,
/// when whoever gave it is removed or is no owner any more, and when, after half a minute, it comes at less
/// than 32 KiB a second, all in all.
///
/// With `Prefer: respond-async` the list is taken whole first and then imported in the background, whatever
/// becomes of the connection or the process. A list that breaks off is forgotten then, and one whose owner is
/// removed is left as far as it came. Rows that a form brings are imported so as well.
pub(in crate::pages) async fn begin(call: Call, running: Data<RunningImports>, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Form(form) => form,
        Given::Json(payload) => {
            let parameters = Parameters::of(&call.request)?;
            let (name, encoding) = (parameters.get("name")?.map(str::to_owned), encoding(&parameters)?);
            if is_wanted(&call.request) {
                let given = GivenFile { name: name.unwrap_or_default(), encoding };
                return jobs::begin(&call, &running, given, payload).await;
            }
            if name.is_some() {
                return Err(Problem::invalid("`name` goes with `Prefer: respond-async`"));
            }
            return list::import(&call, &running, encoding, payload).await;
        }
    };
    let rows = form.text("rows")?;
    let (draft, taker) = (rows.clone(), call.by.clone());
    let taking = take_written(&call.app, &running, call.workspace(), move |app| {
        let given = GivenFile { name: String::new(), encoding: None };
        app.runtime.block_on(take(app, &taker, &given, Cursor::new(rows)))
    });
    match taking.await.flatten() {
        Ok(job) => Ok(see_other(&format!("{PATH}/{}", job.id))),
        Err(problem) => show_with(&call, draft, Some(problem)).await,
    }
}
