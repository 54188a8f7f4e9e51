//! A short run of what `cargo xtask chaos` does for hours: two nodes under load, killed, cut off and stopped at random.

use std::{path::PathBuf, time::Duration};

use chaos::Options;

/// Long enough for every table to be written while something fails.
const LENGTH: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_that_fail_at_random_lose_double_and_overtake_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        server: PathBuf::from(env!("CARGO_BIN_EXE_messaging-service")),
        folder: folder.path().to_owned(),
        length: LENGTH,
        nodes: 2,
        seed: 20_261_122,
        // A file system cannot be mounted wherever tests run.
        disk: false,
    };
    let report = chaos::run(&options).await.unwrap();
    assert!(report.is_faultless(), "{}", report.table());
}
