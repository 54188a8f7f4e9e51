//! A few of the customers whom `cargo xtask evaluate assistant` plays by the hundred.

use std::path::PathBuf;

use adapter_postgres::testing::TestDatabase;
use assistant_evaluation::{Faults, Options, run};

/// One of each kind: a price, an order, a yes that is none, somebody else's order, a fact, a person.
const SCENARIOS: [&str; 6] = [
    "the_price_of_a_product",
    "an_order_in_one_breath",
    "tamam_is_no_yes",
    "cancelling_somebody_elses_order",
    "what_delivery_costs",
    "asking_for_a_person_over_instagram",
];

#[tokio::test(flavor = "multi_thread")]
async fn customers_get_what_they_came_for_and_nothing_is_done_or_said_that_must_not_be() {
    let database = TestDatabase::fresh().await;
    let options = Options {
        server: PathBuf::from(env!("CARGO_BIN_EXE_messaging-service")),
        database_url: Some(database.url().to_owned()),
        model: None,
        trials: 1,
        faults: Faults::None,
        only: SCENARIOS.map(str::to_owned).to_vec(),
        parallel: SCENARIOS.len(),
    };
    let report = run(&options).await.unwrap();
    assert!(report.is_reached(), "{}", report.table());
}
