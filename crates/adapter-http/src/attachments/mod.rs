//! `GET /attachments/{workspace}/{file}`: a kept file, to whoever has a link to it. It takes no key.

use actix_web::{
    HttpRequest, HttpResponse,
    body::SizedStream,
    http::{StatusCode, header},
    web::Data,
};
use domain::attachments::{ContentType, ObjectKey, OpenError};

use crate::{App, problem::Problem, query::Parameters};

/// Whatever the file is, it runs nothing and frames nothing. A browser shows a picture, a sound or a film in a document of
/// its own making, which this governs, too: that loads the file and has its style within.
const POLICY: &str =
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/// Streams the file.
pub(crate) async fn open(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let part = |name| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let (expires, signature) = (part("expires")?, part("signature")?);
    let path = request.match_info();
    let key = ObjectKey::read(&format!("{}/{}", path.query("workspace"), path.query("file")));
    let key = key.ok_or_else(Problem::no_such_route)?;
    let content_type = key.content_type();
    let opened = app.run(move |app| async move { app.open_attachment.run(&key, &expires, &signature).await });
    let object = opened.await??;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, content_type.as_str()))
        .insert_header((header::CONTENT_DISPOSITION, disposition(content_type)))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .body(SizedStream::new(object.size, object.bytes)))
}

/// Only what a browser shows without running anything is shown in its place.
fn disposition(content_type: ContentType) -> String {
    let how = if content_type.is_shown() { "inline" } else { "attachment" };
    format!("{how}; filename=\"attachment.{}\"", content_type.extension())
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        match &error {
            OpenError::DeadLink(dead) => Self::new(StatusCode::FORBIDDEN, dead.to_string()),
            OpenError::Missing => Self::new(StatusCode::NOT_FOUND, error.to_string()),
            OpenError::Store(_) => Self::unavailable(error.to_string()),
        }
    }
}
