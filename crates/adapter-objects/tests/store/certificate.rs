//! A bucket whose service shows a certificate of an authority of one's own.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::time::{Duration, Instant};

use adapter_objects::{Objects, S3Config};
use domain::{
    attachments::{ContentType, ObjectKey, ports::ObjectStore},
    testing::{a_message, a_vault, a_workspace},
};
use tls_trust::{Trust, rustls::pki_types::CertificateDer, testing::a_server};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

const NO_FILE: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A service that answers this, so often in a row; its port, and the certificate that it shows.
async fn service(answer: &'static str, times: usize) -> (u16, CertificateDer<'static>) {
    let (config, certificate) = a_server("localhost");
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer.repeat(times).as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    (port, certificate)
}

fn bucket(port: u16, trust: Trust) -> Objects {
    let config = S3Config {
        endpoint: Some(format!("https://localhost:{port}").parse().unwrap()),
        bucket: "files".to_owned(),
        region: "us-east-1".to_owned(),
        access_key_id: "an-id".to_owned(),
        secret_access_key: "a-secret".to_owned().into(),
    };
    Objects::in_s3(&config, trust).unwrap().0
}

#[tokio::test]
async fn an_untrusted_certificate_is_named_as_such_and_a_trusted_one_is_taken() {
    let (port, certificate) = service(NO_FILE, 1).await;
    let image = ContentType::read("image/png");
    let key = ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, image);
    let untrusted = bucket(port, Trust::default()).open(&key).await.err().unwrap().to_string();
    let wanted = "its certificate is not trusted: it is signed by no authority that is trusted here";
    assert!(untrusted.contains(wanted), "{untrusted}");
    let trusted = bucket(port, Trust::with(vec![certificate])).open(&key).await.unwrap();
    assert!(trusted.is_none());
}

#[tokio::test]
async fn a_bucket_that_answers_without_an_end_is_given_up_at_once() {
    let (port, certificate) = service("HTTP/1.1 103 Early Hints\r\n\r\n", 1_000_000).await;
    let image = ContentType::read("image/png");
    let key = ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, image);
    let began = Instant::now();
    assert!(bucket(port, Trust::with(vec![certificate])).open(&key).await.is_err());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
