//! Certificates: whose are trusted, and reading them again.

use std::{fs, path::Path, process::Command};

use reqwest::{Certificate, Client};

use crate::support::{Service, World, command, eventually};

/// A certificate for this machine, which is its own authority, and its key; as the files that the service
/// reads.
fn write_certificate(folder: &Path) -> Certificate {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    fs::write(folder.join("certificate.pem"), made.cert.pem()).unwrap();
    fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    Certificate::from_pem(made.cert.pem().as_bytes()).unwrap()
}

/// A client that trusts this certificate and nobody else.
fn trusting(certificate: Certificate) -> Client {
    // Fails only where a provider is installed already, and then there is one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().tls_certs_only([certificate]).build().unwrap()
}

#[tokio::test]
async fn a_hang_up_has_certificates_read_again_and_ends_no_connection() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let old = trusting(write_certificate(folder.path()));
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let settings = [
        ("MESSAGING_TLS_CERTIFICATE", &*certificate),
        ("MESSAGING_TLS_KEY", &*key),
        ("MESSAGING_CA_FILE", &*certificate),
    ];
    let service = Service::start_with(&world.secrets, &settings).await;
    let url = format!("{}/v1/openapi.json", service.base_url().replace("http://", "https://"));
    let status = async |client: &Client| client.get(&url).send().await.map(|answer| answer.status().as_u16());
    assert_eq!(status(&old).await.unwrap(), 200);

    let new = write_certificate(folder.path());
    let id = service.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    eventually("the new certificate is served", async || {
        (status(&trusting(new.clone())).await.ok()? == 200).then_some(())
    })
    .await;
    // On the connection that it has had since before.
    assert_eq!(status(&old).await.unwrap(), 200);

    // A file that is of no use changes nothing, and is said to be of none.
    fs::write(path("certificate.pem"), "no certificate").unwrap();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    eventually("the log names both settings", async || {
        let log = service.log();
        let names =
            |setting: &str| log.iter().any(|line| line.contains("not read again") && line.contains(setting));
        (names("MESSAGING_TLS_CERTIFICATE") && names("MESSAGING_CA_FILE")).then_some(())
    })
    .await;
    assert_eq!(status(&trusting(new)).await.unwrap(), 200);
}

#[tokio::test]
async fn a_file_of_authorities_that_is_of_no_use_ends_the_start_in_one_line() {
    let world = World::new().await;
    let url = format!("{}?sslmode=verify-ca&sslrootcert=/no/such/file.pem", world.secrets.database_url);
    for (setting, value, wanted) in [
        (
            "MESSAGING_CA_FILE",
            "/no/such/file.pem",
            "configuration: MESSAGING_CA_FILE: the file cannot be read: entity not found",
        ),
        ("MESSAGING_DATABASE_URL", &*url, "`sslrootcert`: the file cannot be read: entity not found"),
    ] {
        let output = command(&world.secrets).arg("serve").env(setting, value).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(wanted), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
