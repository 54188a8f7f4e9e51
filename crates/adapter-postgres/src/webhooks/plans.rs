//! How PostgreSQL runs the statements that deliver webhooks when a workspace is large and others lie beside it.

use tokio_postgres::Client;

use super::{
    addresses,
    keeper::{FORGET, WITH_GONE},
    log::{ATTEMPTS, FIND, LIST, LIST_DELIVERED, LIST_FAILED, LIST_HELD, LIST_PENDING},
    mark::MARK,
    pending::SUBSCRIBERS,
    queue::{CLAIM, DUE, HOLD, RELEASE},
    resend::{self, BEGIN, RESEND, RUNNING, STEP},
    results::{KEEP_HEALTH, LOCK_ADDRESSES, SETTLE},
    search::{BY_CONTACT, BY_MESSAGE, BY_REFERENCE},
};
use crate::{
    explained,
    seeded::{assert_cheap, id, seeded},
    testing::Database,
};

const AT: &str = "'2026-11-21 20:00Z'";

/// As the connections that deliver are set up.
async fn delivering() -> (Database, Client) {
    let (database, _) = seeded().await;
    let client = explained::delivering(&database).await;
    (database, client)
}

/// 20,000 are due.
#[tokio::test]
async fn deliveries_are_claimed_without_reading_those_behind() {
    let (_database, client) = delivering().await;
    let workspace = id(1, 0);
    let types = "uuid, timestamptz, timestamptz, uuid[], bigint[], bigint, bigint";
    let claim = |lanes: &str| format!("'{workspace}', {AT}, '2026-11-21 20:01Z', {lanes}, 16, 50");
    let busy = format!("ARRAY['{}'::uuid], ARRAY[50]", id(4, 0));
    assert_cheap(&client, 60, &[(CLAIM, types, &claim(&busy)), (CLAIM, types, &claim("'{}', '{}'"))]).await;
}

#[tokio::test]
async fn an_address_without_room_is_not_looked_at() {
    let (_database, client) = delivering().await;
    let types = "uuid, timestamptz, timestamptz, uuid[], bigint[], bigint, bigint";
    let full = format!("'{}', {AT}, {AT}, ARRAY['{}'::uuid], ARRAY[0], 16, 50", id(1, 0), id(4, 0));
    assert_cheap(&client, 1, &[(CLAIM, types, &full)]).await;
}

#[tokio::test]
async fn one_look_for_each_address_tells_which_workspaces_have_deliveries() {
    let (_database, client) = delivering().await;
    assert_cheap(&client, 401, &[(DUE, "timestamptz", AT)]).await;
}

#[tokio::test]
async fn results_are_written_by_keys() {
    let (_database, client) = delivering().await;
    let workspace = id(1, 0);
    let types = "uuid, uuid[], timestamptz[], integer[], timestamptz[], timestamptz[], bigint[], integer[],
                 text[], bytea[], text[], timestamptz[], uuid[]";
    for verdict in ["delivered", "retry", "failed"] {
        let values = format!(
            "'{workspace}', ids(9, 1, 50), times(1, 50), array_fill(1, ARRAY[50]), times(1, 50), times(1, 50), array_fill(1::bigint, ARRAY[50]),
             array_fill(200, ARRAY[50]), array_fill(NULL::text, ARRAY[50]), array_fill(NULL::bytea, ARRAY[50]),
             array_fill('{verdict}'::text, ARRAY[50]), times(1, 50), ARRAY['{address}'::uuid]",
            address = id(4, 0)
        );
        assert_cheap(&client, 50, &[(SETTLE, types, &values)]).await;
    }
    let address = format!("'{workspace}', ARRAY['{}'::uuid]", id(4, 0));
    let health = format!("{address}, ARRAY['enabled'], ARRAY[1], ARRAY[NULL]::text[]");
    let marked = format!("'{workspace}', ids(9, 1, 50), times(1, 50), 'failed'");
    let released = format!("'{workspace}', ids(9, 1, 50), times(1, 50)");
    assert_cheap(
        &client,
        50,
        &[
            (LOCK_ADDRESSES, "uuid, uuid[]", &address),
            (KEEP_HEALTH, "uuid, uuid[], text[], integer[], text[]", &health),
            (MARK, "uuid, uuid[], timestamptz[], text", &marked),
            (RELEASE, "uuid, uuid[], timestamptz[]", &released),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_a_disabled_address_has_queued_is_held_a_part_at_a_time() {
    let (_database, client) = delivering().await;
    client.batch_execute("UPDATE webhook_addresses SET state = 'disabled'").await.unwrap();
    let values = format!("'{}', {AT}, 50", id(1, 0));
    assert_cheap(&client, 50, &[(HOLD, "uuid, timestamptz, bigint", &values)]).await;
}

/// Of 20,000, 200 have failed and the others wait.
#[tokio::test]
async fn a_page_of_the_log_is_read_by_keys_whatever_its_state() {
    let (_database, client) = delivering().await;
    let types = "uuid, uuid, timestamptz, timestamptz, timestamptz, uuid, bigint, text";
    let page = |since: &str, event: &str| {
        let (workspace, address, last) = (id(1, 0), id(4, 0), id(9, 15_000));
        let after = "'2026-11-21 14:10Z'";
        format!("'{workspace}', '{address}', {since}, '2026-11-22 00:00Z', {after}, '{last}', 51, {event}")
    };
    let since = page("'2026-11-21 00:00Z'", "NULL");
    // What was delivered lies, here, behind all that waits, and a ping nowhere; a window bounds the way there.
    let window = page("'2026-11-21 14:09:20Z'", "NULL");
    let pings = page("'2026-11-21 14:09:20Z'", "'ping'");
    assert_cheap(
        &client,
        101,
        &[
            (LIST, types, &since),
            (LIST_FAILED, types, &since),
            (LIST_PENDING, types, &since),
            (LIST_DELIVERED, types, &window),
            (LIST, types, &pings),
            (LIST_PENDING, types, &pings),
        ],
    )
    .await;
    assert_cheap(&client, 200, &[(LIST_HELD, types, &since)]).await;
}

#[tokio::test]
async fn a_delivery_is_found_and_sent_again_by_its_id() {
    let (_database, client) = delivering().await;
    let found = format!("'{}', '{}'", id(1, 0), id(9, 100));
    let attempts = format!("{found}, '2026-11-21 10:01:40Z'");
    let again = format!("'{}', {AT}, '{}'", id(1, 0), id(9, 100));
    assert_cheap(
        &client,
        2,
        &[
            (FIND, "uuid, uuid", &found),
            (ATTEMPTS, "uuid, uuid, timestamptz", &attempts),
            (RESEND, "uuid, timestamptz, uuid", &again),
        ],
    )
    .await;
}

/// Of a person with 50 deliveries and of a message with one; a reference stands for 100 messages.
#[tokio::test]
async fn deliveries_are_searched_by_keys() {
    let (_database, client) = delivering().await;
    client
        .batch_execute(
            "UPDATE delivery_log log SET message_id = id(7, n), contact_id = id(5, n % 400)
             FROM generate_series(1, 20000) n WHERE log.workspace_id = id(1, 0) AND log.id = id(9, n);
             UPDATE sends SET reference = 'order ' || n % 200
             FROM generate_series(1, 20000) n WHERE sends.workspace_id = id(1, 0) AND sends.id = id(7, n);
             ANALYZE delivery_log, sends",
        )
        .await
        .unwrap();
    let about = |subject: &str| format!("id(1, 0), {subject}, '2026-11-22 00:00Z', id(9, 0), 51");
    let types = "uuid, uuid, timestamptz, uuid, bigint";
    assert_cheap(
        &client,
        102,
        &[
            (BY_CONTACT, types, &about("id(5, 7)")),
            (BY_MESSAGE, types, &about("id(7, 700)")),
            (BY_REFERENCE, "uuid, text, timestamptz, uuid, bigint", &about("'order 7'")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_window_is_sent_again_a_part_at_a_time() {
    let (_database, client) = delivering().await;
    let (workspace, address) = (id(1, 0), id(4, 0));
    let begin = format!(
        "'{workspace}', '{}', '{address}', '2026-11-21 00:00Z', '2026-11-22 00:00Z', {AT}",
        id(13, 1)
    );
    let types = "uuid, uuid, uuid, timestamptz, timestamptz, timestamptz";
    // It counts once what the window holds: 200 have failed, the others wait.
    assert_cheap(&client, 19_800, &[(BEGIN, types, &begin)]).await;
    let job = format!(
        "INSERT INTO webhook_resends (workspace_id, id, address_id, since, until, total, created_at)
         VALUES ('{workspace}', '{}', '{address}', '2026-11-21 00:00Z', '2026-11-22 00:00Z', 200, now())",
        id(13, 1)
    );
    client.batch_execute(&job).await.unwrap();
    let step = format!("'{workspace}', {AT}, 50");
    assert_cheap(&client, 50, &[(STEP, "uuid, timestamptz, bigint", &step)]).await;
}

#[tokio::test]
async fn what_is_sent_again_is_found_by_keys() {
    let (_database, client) = delivering().await;
    assert_cheap(
        &client,
        10,
        &[
            (resend::FIND, "uuid, uuid", "id(1, 11), id(13, 20010)"),
            (resend::LIST, "uuid, uuid", "id(1, 11), id(4, 11)"),
            (RUNNING, "", ""),
        ],
    )
    .await;
}

/// All addresses are deleted; only one of the large workspace has anything in the queue.
#[tokio::test]
async fn deleted_addresses_are_forgotten_by_keys() {
    let (database, requests) = seeded().await;
    requests
        .batch_execute("UPDATE webhook_addresses SET state = 'deleted', deleted_at = created_at")
        .await
        .unwrap();
    let later = "now() + interval '1 day'";
    assert_cheap(&requests, 401, &[(WITH_GONE, "timestamptz", later)]).await;
    let client = explained::delivering(&database).await;
    for workspace in [0, 7] {
        let values = format!("'{}', {later}", id(1, workspace));
        assert_cheap(&client, 10, &[(FORGET, "uuid, timestamptz", &values)]).await;
    }
}

/// On a connection as any request's: ten addresses of 4,000.
#[tokio::test]
async fn addresses_are_found_and_changed_by_their_workspace() {
    let (_database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO webhook_addresses
                 SELECT id(1, n / 10), id(24, n), 'https://n.example', '{message.sent}', '', 'enabled', 0, NULL, now()
                 FROM generate_series(0, 4009) n;
             ANALYZE webhook_addresses",
        )
        .await
        .unwrap();
    let address = "id(1, 7), id(24, 71)";
    assert_cheap(
        &client,
        11,
        &[
            (addresses::LOCK_WORKSPACE, "uuid", "id(1, 7)"),
            (
                addresses::ADD,
                "uuid, uuid, text, text[], bytea, timestamptz, bigint",
                &format!("id(1, 7), id(24, 30000), 'https://n.example', '{{}}', '', {AT}, 20"),
            ),
            (addresses::READ, "uuid, uuid", "id(1, 7), NULL"),
            (addresses::READ, "uuid, uuid", address),
            (
                addresses::OWE,
                "uuid, uuid[], uuid[], text[], bytea[], timestamptz[]",
                "id(1, 7), ids(9, 30001, 1), ids(24, 71, 1), ARRAY['ping'], ARRAY[''::bytea], times(1, 1)",
            ),
            (addresses::SET, "uuid, uuid, text[], boolean", &format!("{address}, '{{}}', true")),
            (addresses::PAUSE, "uuid, uuid, text", &format!("{address}, 'why'")),
            (addresses::RESUME, "uuid, uuid", address),
            (addresses::SECRET, "uuid, uuid", address),
            (
                addresses::ROTATE,
                "uuid, uuid, bytea, timestamptz, bytea",
                &format!("{address}, 'new', {AT}, 'old'"),
            ),
            (addresses::DELETE, "uuid, uuid, timestamptz", &format!("{address}, {AT}")),
            (SUBSCRIBERS, "uuid, text[]", "id(1, 7), '{message.sent}'"),
        ],
    )
    .await;
}
