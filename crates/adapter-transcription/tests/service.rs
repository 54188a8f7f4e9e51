//! The adapter against a service on loopback.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::StatusCode,
    web::{self, Data},
};
use adapter_transcription::{Config, SpeechService};
use bounded_http::testing::{Flood, Flooder};
use bytes::Bytes;
use domain::{
    attachments::{
        ContentType,
        ports::{MediaError, StoredObject, Transcriber},
    },
    ids::WorkspaceId,
};
use futures_util::{FutureExt, StreamExt, stream};
use tls_trust::Trust;
use uuid::Uuid;

/// What a call said: its path, its key, its form.
type Asked = (String, Option<String>, String);

#[derive(Clone)]
struct Service {
    status: u16,
    answer: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

async fn transcriptions(service: Data<Service>, request: HttpRequest, form: Bytes) -> HttpResponse {
    assert_eq!(request.headers().get("accept-encoding"), None, "another crate has switched it on for all");
    let key = request.headers().get("authorization").map(|key| key.to_str().unwrap().to_owned());
    let form = String::from_utf8_lossy(&form).into_owned();
    service.asked.lock().unwrap().push((request.path().to_owned(), key, form));
    let status = StatusCode::from_u16(service.status).unwrap();
    HttpResponse::build(status).content_type("application/json").body(service.answer.clone())
}

impl Service {
    fn start(status: u16, answer: &str) -> (Self, String, ServerHandle) {
        let service = Self { status, answer: answer.to_owned(), asked: Arc::default() };
        let data = Data::new(service.clone());
        let server = HttpServer::new(move || {
            App::new().app_data(data.clone()).default_service(web::to(transcriptions))
        });
        let server = server.workers(1).disable_signals().bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", server.addrs().first().unwrap());
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        (service, address, handle)
    }
}

fn client(base_url: &str, key: Option<&str>) -> SpeechService {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let key = key.map(|key| key.to_owned().into());
    let config = Config { base_url: base_url.parse().unwrap(), key, model: "whisper-1".to_owned() };
    SpeechService::new(config, &Trust::default()).unwrap()
}

async fn transcribe(client: &SpeechService) -> Result<Option<String>, MediaError> {
    let bytes = stream::iter([Ok(Bytes::from_static(b"OggS a ")), Ok(Bytes::from_static(b"voice"))]).boxed();
    client.transcribe(StoredObject { size: 12, bytes }, ContentType::read("audio/ogg")).await
}

#[tokio::test]
async fn a_service_that_floods_is_given_up_at_once() {
    for flood in [Flood::Interims, Flood::Fields, Flood::Body, Flood::Crumbs, Flood::Reset] {
        let began = Instant::now();
        let transcribed = transcribe(&client(&Flooder::start(flood).unwrap().url(), None)).await;
        assert!(matches!(transcribed, Err(MediaError::Passing(_))), "{flood:?}: {transcribed:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "{flood:?}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_recording_is_sent_as_a_form_and_its_words_come_back() {
    let (service, address, handle) = Service::start(200, r#"{"text":" مرحبا \n"}"#);
    assert_eq!(transcribe(&client(&address, Some("a key"))).await, Ok(Some("مرحبا".to_owned())));
    let asked = service.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.0.as_str(), asked.1.as_deref()), ("/v1/audio/transcriptions", Some("Bearer a key")));
    for part in [
        "name=\"model\"\r\n\r\nwhisper-1\r\n",
        "name=\"response_format\"\r\n\r\njson\r\n",
        "filename=\"recording.ogg\"\r\nContent-Type: audio/ogg\r\n",
        "\r\n\r\nOggS a voice\r\n",
    ] {
        assert!(asked.2.contains(part), "{part} is not in {}", asked.2);
    }
    handle.stop(false).await;
}

#[tokio::test]
async fn a_recording_without_words_has_none_and_no_key_is_sent_where_there_is_none() {
    let (service, address, handle) = Service::start(200, r#"{"text":"  ","language":"ar"}"#);
    assert_eq!(transcribe(&client(&format!("{address}/"), None)).await, Ok(None));
    assert_eq!(service.asked.lock().unwrap().pop().unwrap().1, None);
    handle.stop(false).await;
}

#[tokio::test]
async fn whatever_the_service_answers_is_not_repeated_in_the_failure() {
    let huge = format!(r#"{{"text":"{}"}}"#, "secret words ".repeat(100_000));
    for (status, answer, why) in [
        (500, "secret words", "status 500"),
        (401, "secret words", "status 401"),
        (302, "secret words", "status 302"),
        (200, "secret words", "cannot be read"),
        (200, r#"{"texts":"secret words"}"#, "cannot be read"),
        (200, huge.as_str(), "too long"),
    ] {
        let (_, address, handle) = Service::start(status, answer);
        let error = transcribe(&client(&address, Some("a key"))).await.unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("secret"), "{error}");
        handle.stop(false).await;
    }
    let error = transcribe(&client("http://127.0.0.1:1/v1", None)).await.unwrap_err().to_string();
    assert!(error.contains("did not answer"), "{error}");
}

#[test]
fn the_settings_print_no_key() {
    let config = Config {
        base_url: "http://127.0.0.1".parse().unwrap(),
        key: Some("a key".to_owned().into()),
        model: "whisper-1".to_owned(),
    };
    assert!(!format!("{config:?}").contains("a key"));
}

#[tokio::test]
async fn a_flood_of_one_workspace_leaves_slots_for_the_others() {
    let client = client("http://127.0.0.1:1/v1", None);
    let [one, other] = [1, 2].map(|number| WorkspaceId::from(Uuid::from_u128(number)));
    let mut held = Vec::new();
    while let Some(slot) = client.slot(one).now_or_never() {
        held.push(slot);
        assert!(held.len() < 100, "slots have an end");
    }
    let mut waits = client.slot(one);
    assert!((&mut waits).now_or_never().is_none());
    let its = client.slot(other).now_or_never();
    assert!(its.is_some(), "whoever waits does so among their own");
    held.pop();
    waits.await;
}
