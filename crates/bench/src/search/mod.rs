//! `bench search`: cost of finding messages by their words, through the dashboard's API.

mod sentences;

use std::{sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use reqwest::{Client, Url};
use serde_json::Value;
use tokio_postgres::Client as Database;

use self::sentences::{ABSENT, OCCASIONAL, RARE, Sentence};
use crate::{
    api::seed,
    figures::{Figures, Goal},
    load::{self, Calls, Connection, End, Keys, Load, Plan},
    machine::Service,
    say::say,
    session,
    world::{Options, World},
};

/// Messages of the searched workspace.
pub const MESSAGES: i64 = 10_000_000;
/// Messages of each contact, as in `bench api`.
const OF_A_CONTACT: i64 = 10;
/// Fewest contacts in a quick look.
const LEAST_CONTACTS: i64 = 100;
/// Members who search concurrently.
const MEMBERS: u32 = 2;
/// Warm-up of caches and prepared statements before measuring.
const WARM_UP: Duration = Duration::from_secs(2);
/// Factor on the usual duration of a measurement: some searches take a tenth of a second.
const TIMES: u32 = 3;
/// Upper bound of the p95, in milliseconds.
const GOAL: f64 = 200.0;

/// Searches: name, words, and whether anything is found.
const SEARCHES: [(&str, &[&str], bool); 6] = [
    ("common words", &["مرحبا", "الطلب", "السعر"], true),
    ("two common words at once", &["مرحبا الطلب", "السعر متوفر"], true),
    ("the beginning of common words", &["مرح", "متو"], true),
    ("a word of one message in a hundred", &[OCCASIONAL], true),
    ("a rare word", &[RARE], true),
    ("words of no message", &ABSENT, false),
];

/// GET requests in a member's session, in turn and again from the first.
struct Searches {
    paths: Vec<String>,
    cookie: String,
}

impl Calls for Searches {
    fn write(&self, number: u64, _: &str, out: &mut Vec<u8>) {
        let paths = u64::try_from(self.paths.len().max(1)).unwrap_or(1);
        let path = usize::try_from(number % paths).ok().and_then(|index| self.paths.get(index));
        let path = path.map_or("/", String::as_str);
        let (cookie, mark) = (&self.cookie, "X-Dashboard: 1");
        out.extend_from_slice(
            format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{mark}\r\nCookie: {cookie}\r\n\r\n").as_bytes(),
        );
    }
}

/// Measures searches among `messages` messages and notes the figures.
pub async fn run(options: &Options, messages: i64, figures: &mut Figures) -> anyhow::Result<()> {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let messages = if options.small { messages / 100 } else { messages };
    let world = World::new(options).await?;
    add(&world.database, &sentences::all()).await?;
    let contacts = (messages / OF_A_CONTACT).max(LEAST_CONTACTS);
    seed::fill(&world, contacts, include_str!("messages.sql")).await?;
    let service = Service::start(&world.settings).await?;
    let [workspace, _] = &world.workspaces;
    let id = workspace.id.to_string();
    let invite = ["member", "invite", id.as_str(), "--email", "search@bench.example", "--role", "agent"];
    let invited = world.settings.operate(&invite)?;
    let client = Client::builder().no_proxy().no_gzip().build()?;
    let cookie = session::begun(&client, &service, &invited).await?;
    for (name, words, finds) in SEARCHES {
        say(&format!("measuring: {name}"));
        let paths = words.iter().copied().map(path).collect::<anyhow::Result<_>>()?;
        let searches = Arc::new(Searches { paths, cookie: cookie.clone() });
        check(&service, &searches, finds).await.with_context(|| name.to_owned())?;
        load(&service, &searches, WARM_UP).await?;
        let load = load(&service, &searches, options.length() * TIMES).await?;
        figures.note(format!("{name}: p50"), (load.percentile(0.5), "ms"), None, None);
        let p95 = (load.percentile(0.95), "ms");
        figures.note(format!("{name}: p95"), p95, None, Some(Goal::AtMost(GOAL)));
    }
    Ok(())
}

/// Returns the path of the first page of results.
fn path(words: &str) -> anyhow::Result<String> {
    let url = Url::parse_with_params("http://bench/dashboard/api/messages/search", [("q", words)])?;
    Ok(format!("{}?{}", url.path(), url.query().unwrap_or_default()))
}

async fn add(database: &Database, sentences: &[Sentence]) -> anyhow::Result<()> {
    let table = "CREATE TABLE sentences (number int PRIMARY KEY, written text, folded text)";
    database.batch_execute(table).await?;
    let written: Vec<&str> = sentences.iter().map(|sentence| sentence.written.as_str()).collect();
    let folded: Vec<&str> = sentences.iter().map(|sentence| sentence.folded.as_str()).collect();
    let add = "INSERT INTO sentences
               SELECT number - 1, written, folded
               FROM unnest($1::text[], $2::text[]) WITH ORDINALITY sentence (written, folded, number)";
    database.execute(add, &[&written, &folded]).await.context("adding sentences")?;
    Ok(())
}

/// Checks each search's result: one that wrongly found nothing would be fast.
async fn check(service: &Service, searches: &Searches, finds: bool) -> anyhow::Result<()> {
    let mut connection = Connection::open(service.address).await?;
    for number in 0..u64::try_from(searches.paths.len())? {
        let mut request = Vec::new();
        searches.write(number, "", &mut request);
        let answer = connection.ask(&request).await?;
        ensure!(answer.status == 200, "it was answered with {}", answer.status);
        let body: Value = serde_json::from_slice(answer.body)?;
        let rows = body.get("rows").and_then(Value::as_array).context("the answer has no rows")?;
        ensure!(rows.is_empty() != finds, "search {number} found {} messages", rows.len());
    }
    Ok(())
}

async fn load(service: &Service, searches: &Arc<Searches>, length: Duration) -> anyhow::Result<Load> {
    let calls: Arc<dyn Calls> = Arc::<Searches>::clone(searches);
    let plan = Plan {
        address: service.address,
        calls,
        keys: Keys::none(),
        connections: MEMBERS,
        end: End::After(length),
    };
    load::run(&plan).await
}

#[cfg(test)]
mod tests {
    use super::{Calls, Searches, path};

    #[test]
    fn a_search_is_asked_for_in_a_session() {
        let path = path("مرحبا ab").unwrap();
        assert_eq!(path, "/dashboard/api/messages/search?q=%D9%85%D8%B1%D8%AD%D8%A8%D8%A7+ab");
        let mut out = Vec::new();
        Searches { paths: vec![path.clone()], cookie: "a=b".to_owned() }.write(3, "", &mut out);
        let head = format!("GET {path} HTTP/1.1\r\nHost: bench\r\nX-Dashboard: 1\r\nCookie: a=b\r\n\r\n");
        assert_eq!(String::from_utf8(out).unwrap(), head);
    }
}
