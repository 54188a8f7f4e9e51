//! `/system/synonyms`: words with the same meaning in the workspace's shop.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::catalogue::{OwnSynonyms, SynonymsError};
use serde::{Deserialize, Serialize};

use crate::{app::App, body, problem::Problem, session::SignedIn};

/// Groups of words for the same thing, beside those that ship with the service.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SynonymsBody {
    /// At most 200, of 2 to 10 words each; a word has at most 40 characters, and may be several with spaces
    /// between. The one that titles most often say comes first.
    groups: Vec<Vec<String>>,
}

impl From<OwnSynonyms> for SynonymsBody {
    fn from(own: OwnSynonyms) -> Self {
        let groups = own.groups().map(|group| group.iter().map(|word| word.as_str().to_owned()).collect());
        Self { groups: groups.collect() }
    }
}

impl From<SynonymsError> for Problem {
    fn from(error: SynonymsError) -> Self {
        match error {
            SynonymsError::Invalid(rule) => Self::invalid(format!("`groups`: {rule}")),
            SynonymsError::Store(error) => error.into(),
        }
    }
}

/// The workspace's own synonyms, by which its shop is searched. They are kept whatever system is connected.
pub(crate) async fn get(app: Data<App>, by: SignedIn) -> Result<Json<SynonymsBody>, Problem> {
    let kept =
        app.run(move |app| async move { app.dashboard.systems.synonyms.get(by.session.workspace).await });
    Ok(Json(kept.await??.into()))
}

/// Puts other groups in place of all that the workspace has.
pub(crate) async fn replace(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<SynonymsBody>, Problem> {
    let SynonymsBody { groups } = body::json(&request, payload).await?.fields;
    let kept =
        app.run(move |app| async move { app.dashboard.systems.synonyms.replace(by.acting(), &groups).await });
    Ok(Json(kept.await??.into()))
}
