//! Requests that nobody should send to a receiver, and anybody can.

use std::{path::Path, time::Duration};

use data_encoding::HEXLOWER;
use reqwest::header::HeaderValue;
use ring::hmac;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::local_client;

/// What a receiver has when its client falls silent or goes away.
const CUT: [&str; 9] = [
    "",
    "POST / HT",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Le",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\nX-Service-Signature: t=1,v1=00\r\n\r\n{\"id\":",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n{\"id\":",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
];

/// Signed bodies that are no event.
const NO_EVENT: [&[u8]; 8] = [
    b"",
    b"nonsense",
    b"{\"id\":",
    b"null",
    b"[\"id\"]",
    b"{}",
    b"{\"id\":5,\"type\":\"ping\"}",
    b"\xff\xfe{",
];

/// Wait for an answer that does not come here.
const PATIENCE: Duration = Duration::from_secs(5);

fn signed(secret: &str, t: &str, raw: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("v1={}", HEXLOWER.encode(hmac::sign(&key, &[t.as_bytes(), b".", raw].concat()).as_ref()))
}

/// Headers over this body that the address's own secret signed and that are to be refused all the same.
pub(super) fn wrong_times(secret: &str, now: u64, raw: &[u8]) -> Vec<String> {
    let mut headers: Vec<String> =
        ["", "now", "NaN", "Infinity", "١٢٣", "a[$(exit 0)]", "99999999999999999999"]
            .map(str::to_owned)
            .into_iter()
            .chain([
                format!("+{now}"),
                format!("-{now}"),
                format!("{now}.0"),
                format!("{now}e0"),
                format!("0x{now:x}"),
            ])
            .map(|t| format!("t={t},{}", signed(secret, &t, raw)))
            .collect();
    let (t, old) = (now.to_string(), (now - 1_000).to_string());
    for (first, second) in [(&t, &old), (&old, &t), (&t, &t)] {
        for vouched in [first, second] {
            headers.push(format!("t={first},t={second},{}", signed(secret, vouched, raw)));
        }
    }
    headers
}

/// Cuts connections, ended properly and reset.
async fn cut_connections(port: u16) {
    for sent in CUT {
        let connect = async || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            // Some of it is refused before it is all sent.
            let _ = stream.write_all(sent.as_bytes()).await;
            stream
        };
        let mut ended = connect().await;
        let _ = ended.shutdown().await;
        let _ = tokio::time::timeout(PATIENCE, ended.read_to_end(&mut Vec::new())).await;
        let reset = connect().await;
        reset.set_zero_linger().unwrap();
    }
}

/// Sends all of it, and then an event that must be taken as if nothing had been.
pub(super) async fn is_survived(port: u16, secret: &str, now: u64) {
    let client = local_client().build().unwrap();
    let call = async |header: &str, body: &[u8]| {
        let header = HeaderValue::from_bytes(header.as_bytes()).unwrap();
        let request = client.post(format!("http://127.0.0.1:{port}/")).header("X-Service-Signature", header);
        request.body(body.to_vec()).send().await.unwrap().status().as_u16()
    };
    cut_connections(port).await;
    let event = br#"{"id":"0192f0c1-7a00-7000-8000-00000000000b","type":"ping"}"#;
    for header in wrong_times(secret, now, event) {
        assert_eq!(call(&header, event).await, 401, "{header}");
    }
    let t = now.to_string();
    for body in NO_EVENT {
        let header = format!("t={t},{}", signed(secret, &t, body));
        assert_eq!(call(&header, body).await, 400, "{}", String::from_utf8_lossy(body));
    }
    cut_connections(port).await;
    assert_eq!(call(&format!("t={t},{}", signed(secret, &t, event)), event).await, 204);
}

/// A folder with an `openssl` that fails, to be looked through first.
pub(super) fn a_broken_openssl(folder: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).unwrap();
    let openssl = super::written(&bin, "openssl", b"#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(openssl, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", bin.display())
}
