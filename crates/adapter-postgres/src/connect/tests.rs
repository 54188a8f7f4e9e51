//! Connecting to a server that encrypts and then answers with one error.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use tls_trust::{
    Trust,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, pem::PemObject},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, UnixListener},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use super::Address;

/// Refusal of a login: `the database is starting`, in another language.
const STARTING: &[u8] = b"E\0\0\0\x21SFATAL\0C57P03\0M\xd9\x8a\xd8\xa8\xd8\xaf\xd8\xa3 now\0\0";

struct Server {
    address: SocketAddr,
    authority: PathBuf,
    _folder: TempDir,
}

impl Server {
    async fn named(name: &str) -> Self {
        let mut about = CertificateParams::new(Vec::new()).unwrap();
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(about, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let authority = folder.path().join("authority.pem");
        std::fs::write(&authority, issuer.pem()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut asked = [0; 8];
                if socket.read_exact(&mut asked).await.is_err() || socket.write_all(b"S").await.is_err() {
                    continue;
                }
                let Ok(mut encrypted) = acceptor.accept(socket).await else { continue };
                let mut length = [0; 4];
                encrypted.read_exact(&mut length).await.unwrap();
                let mut startup = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap() - 4];
                encrypted.read_exact(&mut startup).await.unwrap();
                encrypted.write_all(STARTING).await.unwrap();
                let _ = encrypted.shutdown().await;
            }
        });
        Self { address, authority, _folder: folder }
    }

    async fn met(&self, mode: &str, trust: &Trust, named: bool) -> String {
        let file = if named { format!("&sslrootcert={}", self.authority.display()) } else { String::new() };
        let url = format!("postgres://me@{}/x?sslmode={mode}{file}", self.address);
        Address::read(&url, trust).unwrap().connect().await.err().unwrap().to_string()
    }
}

const LET_IN: &str = "the database is starting or stopping (57P03)";

#[tokio::test]
async fn a_server_is_trusted_by_the_file_of_its_authority_and_by_no_other() {
    let server = Server::named("127.0.0.1").await;
    let system = Trust::default();
    let untrusted =
        "the certificate of the database is not trusted: it is signed by no authority that is trusted here";
    for mode in ["require", "verify-ca", "verify-full"] {
        assert!(server.met(mode, &system, false).await.ends_with(untrusted), "{mode}");
        assert!(server.met(mode, &system, true).await.ends_with(LET_IN), "{mode}");
        let beside = Trust::beside_system(server.authority.clone()).unwrap();
        assert!(server.met(mode, &beside, false).await.ends_with(LET_IN), "{mode}");
    }
}

#[tokio::test]
async fn a_certificate_for_another_name_is_enough_where_only_its_authority_matters() {
    let server = Server::named("db.palm.example").await;
    let trust = Trust::default();
    assert!(server.met("verify-ca", &trust, true).await.ends_with(LET_IN));
    for mode in ["require", "verify-full"] {
        let refused = server.met(mode, &trust, true).await;
        let wrong = "the certificate of the database is not trusted: it is for another name";
        assert!(refused.ends_with(wrong), "{refused}");
    }
}

#[tokio::test]
async fn a_file_of_authorities_is_read_again_when_that_is_asked_for() {
    let (old, new) = (Server::named("127.0.0.1").await, Server::named("127.0.0.1").await);
    let url =
        format!("postgres://me@{}/x?sslmode=verify-ca&sslrootcert={}", new.address, old.authority.display());
    let address = Address::read(&url, &Trust::default()).unwrap();
    let met = async || address.connect().await.err().unwrap().to_string();
    assert!(met().await.contains("not trusted"));
    std::fs::copy(&new.authority, &old.authority).unwrap();
    address.read_authorities_again().unwrap();
    assert!(met().await.ends_with(LET_IN));
}

#[tokio::test]
async fn a_server_that_takes_a_connection_and_says_nothing_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let socket = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = listener.local_addr().unwrap();
    let in_folder = folder.path().display().to_string().replace('/', "%2F");
    for url in [
        format!("postgres://me@{silent}/x?connect_timeout=1"),
        // A server that is asked about TLS and never answers.
        format!("postgres://me@{silent}/x?connect_timeout=1&sslmode=require"),
        format!("postgres://me@{in_folder}/x?connect_timeout=1"),
    ] {
        let address = Address::read(&url, &Trust::default()).unwrap();
        let address = Address { lets_in_within: Duration::from_millis(100), ..address };
        let met = async {
            let connected = address.connect().await.err().unwrap().to_string();
            (connected, address.session(|_, _| ()).await.err().unwrap().to_string())
        };
        let (connected, session) = timeout(Duration::from_secs(20), met).await.expect("an end");
        for said in [connected, session] {
            assert!(
                said.ends_with("error connecting to server: it let nobody in within 1 s"),
                "{url}: {said}"
            );
        }
    }
    drop((listener, socket));
}
