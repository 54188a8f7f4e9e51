//! `GET /dashboard/assets/{version}/{name}`: scripts and the icon, compressed once at first use.

use std::{
    collections::HashMap,
    io::{self, Write},
    sync::LazyLock,
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY},
    web::Bytes,
};
use dashboard_pages::{Asset, assets};
use flate2::{Compression, write::GzEncoder};

use crate::problem::Problem;

/// Caching of paths with a version, which changes with the file.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

const FOR_A_DAY: &str = "public, max-age=86400";

/// Compressed bytes of each file by its name; files that cannot be compressed are missing and sent as they
/// are.
static COMPRESSED: LazyLock<HashMap<&'static str, Bytes>> = LazyLock::new(|| {
    let compressed = |asset: &Asset| Some((asset.name, compress(&asset.lean()).ok()?));
    assets().iter().filter_map(compressed).collect()
});

fn compress(bytes: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish().map(Bytes::from)
}

/// Returns whether an `Accept-Encoding` allows `gzip`.
fn unpacks(accepted: &str) -> bool {
    accepted.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        let is_gzip = words.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        // A weight of zero is a refusal.
        is_gzip
            && !words
                .any(|word| word.strip_prefix("q=").is_some_and(|q| q.trim_matches(['0', '.']).is_empty()))
    })
}

pub(super) async fn asset(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let path = request.match_info();
    let asset = dashboard_pages::asset(path.query("version"), path.query("name"));
    let asset = asset.ok_or_else(Problem::no_such_route)?;
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let packed = accepted.filter(|accepted| unpacks(accepted)).and_then(|_| COMPRESSED.get(asset.name));
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, FOR_GOOD)).insert_header((CONTENT_TYPE, asset.content_type));
    answer.insert_header((VARY, "accept-encoding"));
    Ok(match packed {
        Some(packed) => answer.insert_header((CONTENT_ENCODING, "gzip")).body(packed.clone()),
        None => answer.body(asset.bytes),
    })
}

/// Serves the icon at the path that browsers try by themselves. The path has no version, so it is cached for
/// a day.
pub(crate) fn icon() -> Result<HttpResponse, Problem> {
    let sign = assets().iter().find(|asset| asset.name == "icon.svg").ok_or_else(Problem::no_such_route)?;
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, FOR_A_DAY)).insert_header((CONTENT_TYPE, sign.content_type));
    Ok(answer.body(sign.bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use dashboard_pages::{assets, style};
    use flate2::read::GzDecoder;

    use super::{COMPRESSED, compress, unpacks};

    #[test]
    fn every_file_is_packed_once_and_unpacks_to_what_a_browser_needs_of_it() {
        for asset in assets() {
            let mut bytes = Vec::new();
            GzDecoder::new(COMPRESSED[asset.name].as_ref()).read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, *asset.lean(), "{}", asset.name);
        }
    }

    #[test]
    fn scripts_and_style_stay_as_small_as_they_are_meant_to_be() {
        let packed = |ending: &str| -> usize {
            let of_kind = assets().iter().filter(|asset| asset.name.ends_with(ending));
            of_kind.map(|asset| COMPRESSED[asset.name].len()).sum()
        };
        let style = compress(style().as_bytes()).unwrap().len();
        // What the inbox's history, menus and emoji cost is within what a page may load.
        assert!(packed(".js") <= 30 * 1024, "{} bytes of scripts", packed(".js"));
        assert!(style <= 10 * 1024, "{style} bytes of style");
    }

    #[test]
    fn only_who_unpacks_is_sent_packed_files() {
        for (accepted, wanted) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.8", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(unpacks(accepted), wanted, "{accepted}");
        }
    }
}
