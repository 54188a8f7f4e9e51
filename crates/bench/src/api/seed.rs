//! Filling the database with two large workspaces, one ten times the other, and many small ones beside them.

use std::time::Instant;

use anyhow::Context;
use tokio_postgres::Client;
use uuid::Uuid;

use super::names::{self, Name};
use crate::{
    say::{done, say},
    world::World,
};

/// Contacts of the measured workspace; it has 1.2 times as many conversations and 10 times as many messages.
pub(super) const CONTACTS: i64 = 1_000_000;
/// Statement that writes the messages of `bench api`.
pub(super) const MESSAGES: &str = include_str!("messages.sql");
const SMALL_WORKSPACES: i32 = 1_000;
const CONTACTS_OF_SMALL: i64 = 20;

/// Tables whose indexes are created after they are filled.
const LARGE: &str = "contacts,conversations,messages";

/// Settings of the filling session: no waiting for the disk, no checks of foreign keys, which are true by
/// construction.
const SESSION: &str = "
    SET session_replication_role = replica; SET synchronous_commit = off; SET jit = off;
    SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 2;
    SET max_parallel_workers_per_gather = 2";

/// Names of the indexes, and the statements that create them again.
const INDEXES: &str = "
    SELECT index.indexrelid::regclass::text, pg_get_indexdef(index.indexrelid)
    FROM pg_index index
    WHERE index.indrelid::regclass::text = ANY (string_to_array($1, ','))
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = index.indexrelid)";

const SEEDED: &str = "
    CREATE TABLE seeded (
        number int, id uuid, contacts bigint, small boolean, owner uuid, first_channel uuid, second_channel uuid);
    CREATE TABLE seeded_names (number int PRIMARY KEY, written text, folded text)";

/// Registers a workspace that the operator created: its owner and its first two numbers.
const MADE: &str = "
    INSERT INTO seeded
    SELECT $1, $2, $3, false, (SELECT id FROM members WHERE workspace_id = $2),
           (SELECT id FROM channels WHERE workspace_id = $2 ORDER BY position LIMIT 1),
           (SELECT id FROM channels WHERE workspace_id = $2 ORDER BY position OFFSET 1 LIMIT 1)";

const SMALL: &str = "
    INSERT INTO seeded
    SELECT number, pg_temp.small_id(0, number), $3, true, NULL,
           pg_temp.small_id(2, number), pg_temp.small_id(3, number)
    FROM generate_series($1::int, $2::int) number";

/// Counts the parts of searchable texts as the product does, but those of a name once for all contacts that
/// have it. No part belongs to both a name and a number: these names have no digits.
const PART_COUNTS: &str = "
    INSERT INTO contact_part_counts (workspace_id, part, slot, contacts)
    SELECT workspace_id, part, slot, sum(contacts)
    FROM (
        SELECT workspace_id, split_part(searchable, chr(10), 1) AS line, contact_slot(id) AS slot,
               count(*) AS contacts
        FROM contacts GROUP BY 1, 2, 3
        UNION ALL
        SELECT workspace_id, split_part(searchable, chr(10), 2), contact_slot(id), 1 FROM contacts
    ) line, unnest(short_parts(line.line)) part
    GROUP BY 1, 2, 3";

/// Fills the database of this world: the measured workspace with `contacts` contacts and with ten messages
/// for each, which the statement `messages` writes.
pub(crate) async fn fill(world: &World, contacts: i64, messages: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    let client = &world.database;
    client.batch_execute(SESSION).await?;
    client.batch_execute(SEEDED).await?;
    name_people(client).await?;
    list_workspaces(client, world, contacts).await?;
    let indexes = client.query(INDEXES, &[&LARGE]).await.context("listing indexes")?;
    for index in &indexes {
        client.batch_execute(&format!("DROP INDEX {}", index.get::<_, String>(0))).await?;
    }
    client.batch_execute(include_str!("seed.sql")).await.context("seeding")?;
    client.batch_execute(messages).await.context("seeding messages")?;
    done("seeded", started);
    let counting = Instant::now();
    client.batch_execute(PART_COUNTS).await.context("counting parts of names")?;
    done("counted the parts of names", counting);
    for index in &indexes {
        let making = Instant::now();
        client.batch_execute(&index.get::<_, String>(1)).await.context("making an index")?;
        done(&format!("made {}", index.get::<_, String>(0)), making);
    }
    client.batch_execute("RESET ALL").await?;
    let tidying = Instant::now();
    // One at a time: neither may run in the transaction that several statements in one call share.
    client.batch_execute("VACUUM (ANALYZE)").await?;
    client.batch_execute("CHECKPOINT").await?;
    done("vacuumed and analyzed", tidying);
    tell(client).await
}

/// Registers the workspaces that the operator created, and the small ones.
async fn list_workspaces(client: &Client, world: &World, contacts: i64) -> anyhow::Result<()> {
    for ((workspace, number), contacts) in world.workspaces.iter().zip(1..).zip([contacts, contacts / 10]) {
        client.execute(MADE, &[&number, &workspace.id, &contacts]).await?;
    }
    let id = "CREATE FUNCTION pg_temp.small_id(kind int, number int) RETURNS uuid LANGUAGE sql AS $$
        SELECT CASE kind
            WHEN 0 THEN (lpad(to_hex(number), 8, '0') || '-0000-7000-8000-000000000000')::uuid
            ELSE (lpad(to_hex(number), 8, '0') || '-0000-7000-8002-' || lpad((kind - 2)::text, 12, '0'))::uuid
        END $$";
    client.batch_execute(id).await?;
    client.execute(SMALL, &[&3, &(2 + SMALL_WORKSPACES), &CONTACTS_OF_SMALL]).await?;
    Ok(())
}

async fn name_people(client: &Client) -> anyhow::Result<()> {
    let names: Vec<Name> = [names::rare()].into_iter().chain(names::common()).collect();
    let written: Vec<&str> = names.iter().map(|name| name.written.as_str()).collect();
    let folded: Vec<&str> = names.iter().map(|name| name.folded.as_str()).collect();
    let add = "INSERT INTO seeded_names
               SELECT number - 1, written, folded
               FROM unnest($1::text[], $2::text[]) WITH ORDINALITY name (written, folded, number)";
    client.execute(add, &[&written, &folded]).await?;
    Ok(())
}

async fn tell(client: &Client) -> anyhow::Result<()> {
    for table in LARGE.split(',') {
        let count =
            format!("SELECT count(*), pg_size_pretty(pg_total_relation_size('{table}')) FROM {table}");
        let row = client.query_one(&count, &[]).await?;
        say(&format!("{table}: {} rows, {}", row.get::<_, i64>(0), row.get::<_, String>(1)));
    }
    Ok(())
}

/// Ids and numbers of rows from all over a workspace, up to 512 of a kind.
pub(super) struct Samples {
    pub(super) contacts: Vec<Uuid>,
    pub(super) phones: Vec<String>,
    pub(super) conversations: Vec<Uuid>,
    pub(super) groups: Vec<Uuid>,
    /// Conversation with the most messages.
    pub(super) longest: Uuid,
}

impl Samples {
    /// Samples the rows of a workspace.
    pub(super) async fn of(client: &Client, workspace: Uuid) -> anyhow::Result<Self> {
        let ids = async |table: &str| -> anyhow::Result<Vec<Uuid>> {
            let sample = format!(
                "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS size
                 FROM {table} WHERE workspace_id = $1) row
                 WHERE place % greatest(size / 512, 1) = 0 ORDER BY place LIMIT 512"
            );
            Ok(client.query(&sample, &[&workspace]).await?.iter().map(|row| row.get(0)).collect())
        };
        let contacts = ids("contacts").await?;
        let phones = client
            .query(
                "SELECT phone FROM contacts WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id",
                &[&workspace, &contacts],
            )
            .await?;
        let conversations = ids("conversations").await?;
        let longest = *conversations.first().context("no conversation")?;
        Ok(Self {
            contacts,
            phones: phones.iter().map(|row| row.get(0)).collect(),
            conversations: conversations.into_iter().skip(1).collect(),
            groups: ids("groups").await?,
            longest,
        })
    }
}
