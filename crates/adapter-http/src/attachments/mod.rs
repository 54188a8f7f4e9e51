//! `GET /attachments/{workspace}/{file}`: a stored file, for anyone with a link to it. No key is needed.

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

use crate::{app::App, problem::Problem, query::Parameters};

/// Policy under which a file, whatever its type, runs nothing and frames nothing. A browser shows a picture,
/// sound or film in a document of its own, which this governs too: it loads the file and has inline style.
const POLICY: &str =
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/// Streams the file, or the part that is asked for: players seek in a film or sound that way.
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
        // A link's holder may embed the file in their own pages, such as a customer's own inbox.
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

/// Returns the requested part; `None` for the whole file. `If-Range` needs a tag or a time, which files do
/// not have here, so it is answered with the whole file.
fn asked_of(headers: &HeaderMap) -> Option<AskedBytes> {
    let mut ranges = headers.get_all(header::RANGE);
    let (range, others) = (ranges.next()?, ranges.next());
    let is_plain = others.is_none() && !headers.contains_key(header::IF_RANGE);
    is_plain.then(|| AskedBytes::read(range.to_str().ok()?)).flatten()
}

/// Shows inline only what a browser shows without running anything.
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
