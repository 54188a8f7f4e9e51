//! Whom a handshake trusts, without a network: both ends are in the test's memory.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::{fs, path::PathBuf, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::{
    ClientConfig, ClientConnection, ServerConfig, ServerConnection,
    crypto::ring,
    pki_types::{PrivateKeyDer, pem::PemObject},
};
use tempfile::TempDir;
use tls_trust::{Trust, TrustError, untrusted};

const NAME: &str = "db.palm.example";

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn named(name: &str) -> Self {
        let mut about = CertificateParams::new(Vec::new()).unwrap();
        about.distinguished_name.push(DnType::CommonName, name);
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(about, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A server whose certificate is for `name`.
    fn server(&self, name: &str) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let about = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = about.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        Arc::new(server.unwrap())
    }
}

/// A file in a folder of its own.
fn file(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("authorities.pem");
    fs::write(&path, text).unwrap();
    (folder, path)
}

/// What the client says of the server's certificate; nothing when it trusts it.
fn judged(client: ClientConfig, server: &Arc<ServerConfig>) -> Option<&'static str> {
    let mut client = ClientConnection::new(Arc::new(client), NAME.try_into().unwrap()).unwrap();
    let mut server = ServerConnection::new(Arc::clone(server)).unwrap();
    while client.is_handshaking() {
        let mut flight = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut flight).unwrap();
        }
        server.read_tls(&mut flight.as_slice()).unwrap();
        server.process_new_packets().unwrap();
        let mut flight = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut flight).unwrap();
        }
        client.read_tls(&mut flight.as_slice()).unwrap();
        if let Err(error) = client.process_new_packets() {
            return Some(untrusted(&error).unwrap());
        }
    }
    None
}

const UNKNOWN: Option<&str> = Some("it is signed by no authority that is trusted here");

#[test]
fn an_authority_of_the_file_is_trusted_beside_the_system_s_and_no_other_is() {
    let (authority, other) = (Authority::named("one"), Authority::named("other"));
    let (_folder, path) = file(&authority.pem());
    for trust in [Trust::beside_system(path.clone()).unwrap(), Trust::only(path).unwrap()] {
        let config = || trust.client_config().unwrap();
        assert_eq!(judged(config(), &authority.server(NAME)), None);
        assert_eq!(judged(config(), &other.server(NAME)), UNKNOWN);
        assert_eq!(judged(config(), &authority.server("elsewhere.example")), Some("it is for another name"));
        assert_eq!(trust.named().len(), 1);
    }
}

#[test]
fn whose_name_does_not_matter_must_still_be_signed() {
    let (authority, other) = (Authority::named("one"), Authority::named("other"));
    let (_folder, path) = file(&authority.pem());
    let trust = Trust::only(path).unwrap();
    let config = || trust.client_config_for_any_name().unwrap();
    assert_eq!(judged(config(), &authority.server("elsewhere.example")), None);
    assert_eq!(judged(config(), &other.server("elsewhere.example")), UNKNOWN);
}

#[test]
fn what_is_read_anew_holds_for_clients_that_were_made_before() {
    let (old, new) = (Authority::named("one"), Authority::named("other"));
    let (_folder, path) = file(&old.pem());
    let trust = Trust::only(path.clone()).unwrap();
    let config = trust.client_config().unwrap();
    fs::write(&path, new.pem()).unwrap();
    assert_eq!(judged(config.clone(), &new.server(NAME)), UNKNOWN);
    trust.reload().unwrap();
    assert_eq!(judged(config.clone(), &new.server(NAME)), None);
    assert_eq!(judged(config.clone(), &old.server(NAME)), UNKNOWN);

    // A file that cannot be read leaves everything as it is.
    fs::write(&path, "nothing").unwrap();
    assert!(matches!(trust.reload(), Err(TrustError::Empty)));
    assert_eq!(judged(config, &new.server(NAME)), None);
}

#[test]
fn a_file_that_is_of_no_use_is_refused_in_words() {
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (text, wanted) in [
        ("", "the file holds no certificate in PEM form"),
        ("a key?", "the file holds no certificate in PEM form"),
        (broken, "the file holds what is no certificate"),
    ] {
        let (_folder, path) = file(text);
        assert_eq!(Trust::beside_system(path).unwrap_err().to_string(), wanted);
    }
    let missing = Trust::only(PathBuf::from("/no/such/file.pem")).unwrap_err().to_string();
    assert_eq!(missing, "the file cannot be read: entity not found");
}
