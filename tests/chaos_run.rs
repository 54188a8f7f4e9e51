//! A short run of what `cargo xtask chaos` does for hours: two nodes under load, killed, cut off and stopped
//! at random.

use std::{path::PathBuf, time::Duration};

use chaos::Options;

/// Long enough for every table to be written while something fails.
const LENGTH: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_that_fail_at_random_lose_double_and_overtake_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        before: None,
        server: PathBuf::from(env!("CARGO_BIN_EXE_messaging-service")),
        folder: folder.path().to_owned(),
        length: LENGTH,
        nodes: 2,
        seed: 20_261_122,
        // A file system cannot be mounted wherever tests run.
        disk: false,
        faketime: chaos::faketime(),
    };
    let report = chaos::run(&options).await.unwrap();
    assert!(report.is_faultless(), "{}", report.table());
}

/// `cargo xtask rehearse upgrade` does the same with two releases; here both are this one.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_are_replaced_one_by_one_lose_double_and_fail_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_messaging-service"));
    let options = Options {
        before: Some(program.clone()),
        server: program,
        folder: folder.path().to_owned(),
        length: LENGTH,
        nodes: 2,
        seed: 20_261_125,
        disk: false,
        faketime: None,
    };
    let report = chaos::run(&options).await.unwrap();
    assert!(report.is_faultless(), "{}", report.table());
    assert!(report.table().contains("nodes replaced"), "{}", report.table());
}
