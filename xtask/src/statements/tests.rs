use super::{
    exceptions::Exception,
    faults, on_a_cluster,
    rules::{self, Fault},
    tables::Tables,
};

fn tables() -> Tables {
    Tables::named(&["workspaces", "contacts", "messages", "conversations", "sends"])
}

fn unfiltered(table: &str) -> Fault {
    Fault::Unfiltered(table.to_owned())
}

fn chain(tables: &[&str]) -> Fault {
    Fault::Chain(tables.iter().map(|&table| table.to_owned()).collect())
}

#[test]
fn what_runs_on_one_node_is_without_fault() {
    for text in [
        "SELECT id FROM contacts WHERE workspace_id = $1 AND id = ANY($2) FOR UPDATE",
        r#"SELECT "contacts"."id" FROM "contacts" WHERE (("contacts"."workspace_id" = $1) AND ("contacts"."id" = $2))"#,
        r#"SELECT "m"."id" FROM ("messages" AS "m" INNER JOIN "sends" ON ("sends"."workspace_id" = "m"."workspace_id"))
           WHERE ("m"."workspace_id" = $1)"#,
        "SELECT m.id FROM messages m JOIN sends s USING (workspace_id) WHERE $1 = m.workspace_id",
        "SELECT m.id FROM messages m LEFT JOIN sends s ON s.workspace_id = m.workspace_id AND s.id = m.id
         WHERE m.workspace_id = $1::uuid",
        "SELECT EXISTS (SELECT 1 FROM messages WHERE workspace_id = $1)",
        "INSERT INTO contacts (workspace_id, id) VALUES ($1, $2), ($1, $3)",
        "INSERT INTO contacts (workspace_id, id) SELECT w.workspace_id, new.id FROM workspaces w,
         unnest($2) AS new (id) WHERE w.workspace_id = $1 ORDER BY new.id ON CONFLICT DO NOTHING RETURNING id",
        "UPDATE contacts SET name = new.name FROM unnest($2, $3) AS new (id, name)
         WHERE contacts.workspace_id = $1 AND contacts.id = new.id",
        "UPDATE contacts c SET name = $3 WHERE c.workspace_id = $1 AND c.name IS DISTINCT FROM $3",
        "WITH due AS (SELECT id FROM sends WHERE workspace_id = $1 LIMIT 5 FOR UPDATE SKIP LOCKED)
         UPDATE sends SET state = 'x' FROM due WHERE sends.workspace_id = $1 AND sends.id = due.id",
        "SELECT id FROM messages WHERE workspace_id = $1 UNION ALL (SELECT id FROM sends WHERE workspace_id = $1)",
        "SELECT workspace_id FROM api_keys WHERE key_hash = $1",
        "SELECT extract(epoch FROM now()), CASE WHEN state = 'a' THEN 1 END FROM sends WHERE workspace_id = $1",
        "DELETE FROM sends WHERE workspace_id = $1;",
        "UPDATE contacts SET at = date_trunc('second', at AT TIME ZONE 'UTC') WHERE workspace_id = $1
         AND x = ANY($2::text[])",
        "SELECT x::text[] FROM contacts WHERE workspace_id = $1 AND at = date_trunc('day', at)",
        "SELECT relname FROM pg_class",
        "COMMIT",
    ] {
        assert!(rules::faults(text, &tables()).is_empty(), "{text}: {:?}", rules::faults(text, &tables()));
    }
}

#[test]
fn each_fault_is_found() {
    let owned = str::to_owned;
    for (text, wanted) in [
        ("SELECT id FROM contacts WHERE id = $1", vec![unfiltered("contacts")]),
        ("SELECT id FROM contacts WHERE workspace_id = ANY($1)", vec![unfiltered("contacts")]),
        (
            "SELECT 1 FROM messages m, sends s WHERE m.workspace_id = $1 AND m.id = s.id",
            vec![unfiltered("sends")],
        ),
        (
            "DELETE FROM messages m USING sends s WHERE m.workspace_id = $1 AND s.workspace_id = m.workspace_id",
            vec![unfiltered("sends")],
        ),
        (
            "SELECT (SELECT 1 FROM sends s WHERE s.workspace_id = m.workspace_id) FROM messages m
          WHERE m.workspace_id = $1",
            vec![unfiltered("sends")],
        ),
        (
            "WITH k AS (SELECT workspace_id AS w FROM api_keys WHERE key_hash = $1)
          SELECT c.id FROM contacts c, k WHERE c.workspace_id = k.w",
            vec![unfiltered("contacts"), Fault::MixesLookUp(owned("api_keys"))],
        ),
        (
            "WITH a AS (UPDATE sends SET state = 'x' WHERE workspace_id = $1 RETURNING id)
          DELETE FROM messages WHERE workspace_id = $1",
            vec![chain(&["messages", "sends"])],
        ),
        ("WITH a AS (INSERT INTO contacts (workspace_id) VALUES ($1)) SELECT 1", vec![chain(&["contacts"])]),
        (
            "INSERT INTO contacts (workspace_id, id) SELECT $1, id FROM unnest($2) AS new (id) RETURNING id",
            vec![Fault::InsertSource(owned("contacts"))],
        ),
        (
            "INSERT INTO contacts (workspace_id) SELECT w.workspace_id FROM workspaces w WHERE w.workspace_id = $1",
            vec![Fault::NoReturning(owned("contacts"))],
        ),
        (
            "UPDATE sends SET x = 1 WHERE workspace_id IS NOT DISTINCT FROM $1 AND ctid = $2",
            vec![unfiltered("sends"), Fault::Ctid, Fault::NotDistinctFrom],
        ),
        ("CREATE TABLE a (b int); DROP TABLE a", vec![Fault::SeveralCommands]),
        ("SELECT EXISTS (SELECT FROM sends WHERE workspace_id = $1)", vec![Fault::SelectsNothing]),
        (
            "SELECT 1 FROM unnest($2) AS new (id) CROSS JOIN LATERAL (
             SELECT id FROM sends WHERE workspace_id = $1 AND id = new.id LIMIT 1) found",
            vec![Fault::LateralLimit],
        ),
        (
            "SELECT CASE state WHEN 'a' THEN 1 END FROM sends WHERE workspace_id = $1",
            vec![Fault::CaseOperand],
        ),
        (
            "WITH d AS (SELECT 1) SELECT s.id FROM d, sends s WHERE s.workspace_id = $1 FOR UPDATE OF s",
            vec![Fault::LockBesideQuery],
        ),
        (
            "UPDATE contacts SET x = new.x::text[] FROM unnest($2) AS new (x) WHERE contacts.workspace_id = $1",
            vec![Fault::NotImmutable],
        ),
        (
            "INSERT INTO contacts (workspace_id, at) VALUES ($1, $2) ON CONFLICT (workspace_id) DO UPDATE
             SET at = $2 WHERE $2 >= date_trunc('second', contacts.at)",
            vec![Fault::NotImmutable],
        ),
        (
            "UPDATE contacts SET x = coalesce(concat_ws(' ', contacts.x, $1), '') WHERE workspace_id = $2",
            vec![Fault::NotImmutable],
        ),
        (
            "INSERT INTO contacts AS b (workspace_id, x) VALUES ($1, $2) ON CONFLICT (workspace_id) DO UPDATE
             SET x = b.x || jsonb_build_object('n', 1)",
            vec![Fault::NotImmutable],
        ),
    ] {
        let found: Vec<Fault> = rules::faults(text, &tables()).into_iter().collect();
        let mut wanted = wanted;
        wanted.sort();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn an_exception_counts_for_what_begins_so_and_only_while_it_is_needed() {
    const EXCEPTIONS: &[Exception] =
        &[("for a gauge", &["SELECT count(*) FROM sends", "SELECT 1 FROM sends"])];
    let texts = [
        "SELECT count(*)\n FROM  sends",
        "SELECT id FROM sends",
        "SELECT 1 FROM sends WHERE workspace_id = $1",
    ];
    let texts = texts.map(str::to_owned);
    let left = "SELECT id FROM sends: `sends` is not narrowed by `workspace_id = $n`";
    assert_eq!(faults(&texts, &tables(), EXCEPTIONS, false), [left]);
    assert_eq!(
        faults(&texts, &tables(), EXCEPTIONS, true),
        [left, "SELECT 1 FROM sends: is excepted for nothing"]
    );
}

#[test]
fn a_cluster_is_asked_in_the_form_that_it_is_given() {
    let known = "WITH known AS ( SELECT coalesce(sum(contacts), 0)::bigint AS contacts FROM contact_part_counts WHERE";
    let of_one_server = format!("{known} workspace_id IS NOT DISTINCT FROM $1) SELECT contacts FROM known");
    let on_cluster = format!("{known} workspace_id = $1) SELECT contacts FROM known");
    assert_eq!(on_a_cluster(&of_one_server), on_cluster);
    let of_all = "SELECT id FROM contacts WHERE workspace_id = $1 AND name IS NOT DISTINCT FROM $2";
    assert_eq!(on_a_cluster(of_all), of_all);
}
