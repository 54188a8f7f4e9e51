//! `GET /attachments/{workspace}/{file}`: a kept file, to whoever has a link to it. It takes no key.

use actix_web::{
    HttpRequest, HttpResponse,
    body::SizedStream,
    http::{
        StatusCode,
        header::{self, HeaderMap},
    },
    web::Data,
};
use domain::attachments::{AskedBytes, ContentType, ObjectKey, OpenError, OpenedFile};

use crate::{App, problem::Problem, query::Parameters};

/// Whatever the file is, it runs nothing and frames nothing. A browser shows a picture, a sound or a film in a document of
/// its own making, which this governs, too: that loads the file and has its style within.
const POLICY: &str =
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/// Streams the file, or the one part of it that is asked for: players move in a film or a sound by that.
pub(crate) async fn open(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let part = |name| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let (expires, signature) = (part("expires")?, part("signature")?);
    let path = request.match_info();
    let key = ObjectKey::read(&format!("{}/{}", path.query("workspace"), path.query("file")));
    let key = key.ok_or_else(Problem::no_such_route)?;
    let content_type = key.content_type();
    let asked = asked_of(request.headers());
    let opened = app
        .run(move |app| async move { app.open_attachment.run(&key, &expires, &signature, asked).await })
        .await??;
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::CONTENT_TYPE, content_type.as_str()))
        .insert_header((header::CONTENT_DISPOSITION, disposition(content_type)))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        // Whoever has the link may show the file on pages of theirs, such as a customer's own inbox.
        .insert_header((header::CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"))
        .insert_header((header::ACCEPT_RANGES, "bytes"));
    Ok(match opened {
        OpenedFile::Whole(file) => answer.body(SizedStream::new(file.size, file.bytes)),
        OpenedFile::Part(part) => {
            let (first, last) = (part.range.start, part.range.end.saturating_sub(1));
            answer
                .status(StatusCode::PARTIAL_CONTENT)
                .insert_header((header::CONTENT_RANGE, format!("bytes {first}-{last}/{}", part.size)))
                .body(SizedStream::new(part.range.end.saturating_sub(first), part.bytes))
        }
    })
}

/// Which part is asked for; `None` is the whole file. With `If-Range` it is a part of a file that is known by a tag or a
/// time, and files have neither here.
fn asked_of(headers: &HeaderMap) -> Option<AskedBytes> {
    let mut ranges = headers.get_all(header::RANGE);
    let (range, others) = (ranges.next()?, ranges.next());
    let is_plain = others.is_none() && !headers.contains_key(header::IF_RANGE);
    is_plain.then(|| AskedBytes::read(range.to_str().ok()?)).flatten()
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
            OpenError::Beyond { size } => Self::beyond(error.to_string(), *size),
            OpenError::Store(_) => Self::unavailable(error.to_string()),
        }
    }
}
