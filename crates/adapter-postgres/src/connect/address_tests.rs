//! Parsing of addresses.

use tls_trust::Trust;

use super::{Address, REQUEST_OPTIONS};

fn read(url: &str) -> Result<Address, diesel::ConnectionError> {
    Address::read(url, &Trust::default())
}

#[test]
fn the_address_decides_about_encryption() {
    for (url, encrypts) in [
        ("postgres://db.example.com/x", true),
        ("postgres://db.example.com/x?sslmode=disable", false),
        ("postgres://db.example.com/x?sslmode=prefer", true),
        ("postgres://127.0.0.1/x", false),
        ("postgres://localhost,[::1]/x", false),
        ("postgres://localhost,db.example.com/x", true),
        ("postgres://%2Fvar%2Frun%2Fpostgresql/x", false),
        ("postgres://127.0.0.1/x?sslmode=require", true),
        ("host=127.0.0.1 sslmode=verify-full", true),
        ("postgres://127.0.0.1/x?sslmode=verify-ca", true),
    ] {
        assert_eq!(read(url).unwrap().connector.tls.is_some(), encrypts, "{url}");
    }
}

#[test]
fn an_address_that_cannot_be_read_is_not_repeated() {
    let error = read("postgres://me:secret@db/x?sslmode=allow").err().unwrap().to_string();
    assert!(error.contains("sslmode") && !error.contains("secret"), "{error}");
}

#[test]
fn a_file_of_authorities_that_is_of_no_use_is_said_to_be() {
    let url = "postgres://me:secret@db/x?sslmode=verify-ca&sslrootcert=/no/such/file.pem";
    let error = read(url).err().unwrap().to_string();
    assert_eq!(error, "`sslrootcert`: the file cannot be read: entity not found");
}

#[test]
fn an_address_s_own_settings_win() {
    let address = read("postgres://db/x?options=-c%20statement_timeout%3D1s").unwrap();
    let options = address.for_requests().config.get_options().unwrap().to_owned();
    assert_eq!(options, format!("{REQUEST_OPTIONS} -c statement_timeout=1s"));
}
