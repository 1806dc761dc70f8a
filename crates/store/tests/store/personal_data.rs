//! The registry of personal data and the archive of an account, compared with the schema.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_store::{Class, LEFT_OUT, NoticeStatus, PLACES, REGISTRY, RetentionPeriods, TABLES};
use sqlx::{AnyPool, Row};

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{LEASE, World, at};

on_both_databases!(
    every_column_is_classed,
    every_column_is_exported_or_left_out,
    an_archive_has_every_row,
    errors_are_kept_without_addresses,
);

/// All columns of all tables with their types, from the catalog so that none is forgotten. Shadow tables of
/// indexes are among them.
async fn all_columns(database: &Database, pool: &AnyPool) -> Vec<(String, String, String)> {
    let catalog = if database.is_postgres() {
        "SELECT CAST(table_name AS TEXT) AS name, CAST(column_name AS TEXT) AS link, lower(CAST(data_type AS TEXT)) AS kind \
         FROM information_schema.columns WHERE table_schema = current_schema() \
         AND table_name IN (SELECT table_name FROM information_schema.tables \
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE')"
    } else {
        "SELECT m.name AS name, c.name AS link, lower(c.type) AS kind FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
         WHERE m.type = 'table'"
    };
    let rows = sqlx::query(catalog).fetch_all(pool).await.unwrap();
    rows.iter().map(|row| (row.get("name"), row.get("link"), row.get("kind"))).collect()
}

/// The columns that can hold texts, with their types.
pub(crate) async fn text_columns(database: &Database, pool: &AnyPool) -> Vec<(String, String, String)> {
    let mut columns = all_columns(database, pool).await;
    // The one column with an array has numbers.
    let is_number = |kind: &str| {
        ["integer", "bigint", "boolean", "timestamp", "timestamp with time zone", "array"].contains(&kind)
    };
    columns.retain(|(_, _, kind)| !is_number(kind));
    columns
}

/// Returns the places where one of these texts is: columns, and on SQLite the bytes of the file and of its
/// log.
pub(crate) async fn traces(database: &Database, pool: &AnyPool, texts: &[&str]) -> Vec<String> {
    let mut tables: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (table, column, kind) in text_columns(database, pool).await {
        // The pages of indexes cannot be compared as text; they are part of the file.
        if table.contains("_index") || table == "_sqlx_migrations" {
            continue;
        }
        let text = match kind.as_str() {
            "bytea" => format!("encode({column}, 'escape')"),
            "text" => column.clone(),
            _ => format!("CAST({column} AS TEXT)"),
        };
        tables.entry(table).or_default().push((column, text));
    }
    let mut found = Vec::new();
    for (table, columns) in tables {
        let counts = columns.iter().map(|(_, text)| {
            let any = texts.iter().map(|searched| format!("{text} LIKE '%{searched}%'"));
            format!("COUNT(CASE WHEN {} THEN 1 END)", any.collect::<Vec<_>>().join(" OR "))
        });
        let sql = format!("SELECT {} FROM {table}", counts.collect::<Vec<_>>().join(", "));
        let row = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_one(pool).await.unwrap();
        for (place, (column, _)) in columns.iter().enumerate() {
            found.extend((row.get::<i64, _>(place) > 0).then(|| format!("{table}.{column}")));
        }
    }
    if !database.is_postgres() {
        let file = database.url.strip_prefix("sqlite:").unwrap().replace("%3f", "?");
        for file in [file.clone(), format!("{file}-wal")] {
            let bytes = std::fs::read(&file).unwrap_or_default();
            let content = String::from_utf8_lossy(&bytes);
            found.extend(texts.iter().any(|searched| content.contains(searched)).then_some(file));
        }
    }
    found
}

async fn every_column_is_classed(database: &Database) {
    let pool = database.raw().await;
    let columns = text_columns(database, &pool).await;
    let in_schema: BTreeSet<String> =
        columns.iter().map(|(table, column, _)| format!("{table}.{column}")).collect();
    let mut classed = BTreeSet::new();
    for table in REGISTRY {
        for (column, _) in table.columns() {
            assert!(
                classed.insert(format!("{}.{column}", table.name)),
                "{}.{column} stands twice",
                table.name
            );
        }
    }
    let unclassed: Vec<_> = in_schema.difference(&classed).collect();
    assert!(
        unclassed.is_empty(),
        "src/lifecycle/personal_data.rs does not say what these columns hold: {unclassed:?}"
    );
    // What only the other database has.
    let is_elsewhere = |name: &str| {
        if database.is_postgres() {
            name.contains("_index") || name.starts_with("sqlite_")
        } else {
            name.starts_with("rate_") || name.ends_with(".tokens")
        }
    };
    let gone: Vec<_> = classed.difference(&in_schema).filter(|name| !is_elsewhere(name)).collect();
    assert!(gone.is_empty(), "src/lifecycle/personal_data.rs names columns that are gone: {gone:?}");
    // A row that stays has a value for each of its columns with words that the schema accepts.
    for table in REGISTRY {
        for (column, class) in table.columns() {
            if let Class::Blanked(value) = class {
                let sql = format!("UPDATE {} SET {column} = {value} WHERE 1 = 0", table.name);
                sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&pool).await.unwrap();
            }
        }
    }
    assert!(PLACES.iter().all(|place| !place.name.is_empty() && !place.leaves.is_empty()));
    pool.close().await;
}

async fn every_column_is_exported_or_left_out(database: &Database) {
    let pool = database.raw().await;
    for (table, column, _) in all_columns(database, &pool).await {
        let exported = TABLES.iter().find(|exported| exported.name == table);
        let is_exported = exported.is_some_and(|exported| exported.columns().any(|known| known == column));
        let whole = format!("{table}.{column}");
        let is_left_out = LEFT_OUT.iter().any(|left_out| {
            left_out.name == table || left_out.name == whole || exported.is_some() && left_out.name == column
        });
        assert!(
            is_exported || is_left_out,
            "{whole} is neither in the archive of an account nor left out of it for a reason (src/lifecycle/account_data.rs)"
        );
        let is_table_left_out = LEFT_OUT.iter().any(|left_out| left_out.name == table);
        assert!(!(exported.is_some() && is_table_left_out), "{table} is exported and left out");
    }
    pool.close().await;
}

async fn an_archive_has_every_row(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, channel_id) = (world.scope(), world.channel.channel_id);
    let skipped = crate::emails::skipped(channel_id, "a", "x@example.com");
    assert!(store.skipped_mails().add(&scope, &skipped, at(5)).await.unwrap());
    world.chat(store).await;
    let periods = RetentionPeriods { conversation_days: Some(10), contact_days: None };
    store.retention().set(&scope, &periods).await.unwrap();
    let update = frontdesk_store::ContactUpdate { name: Some(Some("Ann".into())), ..Default::default() };
    for _ in 0..2 {
        let update = frontdesk_store::ContactUpdate {
            email: Some(Some("other@example.com".into())),
            ..update.clone()
        };
        store.contacts().update(&scope, world.contact.contact_id, &update, at(6)).await.unwrap();
    }
    World::new(store, "two", 2).await;
    let owner = store.users().list(&scope).await.unwrap().remove(0);
    let person = store.people().without_password(&owner, at(7)).await.unwrap();
    let new = frontdesk_store::NewSession {
        person_id: person.person_id,
        hash: frontdesk_store::KeyHash::new([9; 32]),
        user_agent: "Firefox on Linux".into(),
        replaced: None,
    };
    let owner = store.users().find(&scope, owner.user_id).await.unwrap().unwrap();
    let session = store.sessions().begin_without_password(&owner, &new, at(7)).await.unwrap().unwrap();
    let secret = frontdesk_store::Redacted::new("identity secret".to_owned());
    assert!(store.second_factors().propose(person.person_id, &secret, at(7)).await.unwrap());
    let passkey = frontdesk_store::NewPasskey {
        name: "Laptop".into(),
        credential_id: "AAAA".into(),
        public_key: "AAAA".into(),
        transports: 0,
        is_backup_eligible: false,
        sign_count: 0,
        recovery_codes: Vec::new(),
    };
    let entry = frontdesk_store::NewAuditEntry {
        action: frontdesk_store::AuditAction::SessionCreated,
        person_id: person.person_id,
        person_name: person.name,
        subject_id: Some(session.session_id),
        subject: String::new(),
        ip_address: None,
    };
    store.audit_entries().insert(&scope, &entry, at(7)).await.unwrap();
    let actor = frontdesk_store::Actor {
        user_id: owner.user_id,
        person_id: person.person_id,
        person_name: String::new(),
        ip_address: None,
    };
    let added = store.passkeys().add(&scope, &actor, session.session_id, &passkey, at(7)).await.unwrap();
    assert!(matches!(added, frontdesk_store::Addition::Added { is_first: true, .. }), "{added:?}");
    let new = frontdesk_store::NewInvitation {
        email: "jo@example.com".into(),
        name: "Jo".into(),
        role: frontdesk_store::Role::Admin,
        hash: frontdesk_store::KeyHash::new([8; 32]),
        is_mailed: false,
    };
    store.invitations().create(&scope, &actor, &new, at(7)).await.unwrap();
    let pool = database.raw().await;
    for table in TABLES {
        let (rows, next) = store.account_data().rows(world.account.account_id, *table, "").await.unwrap();
        assert!(next.is_none(), "{}", table.name);
        let text = serde_json::to_string(&rows).unwrap();
        assert!(!text.contains("identity secret") && !text.contains("webhook secret"), "{text}");
        // All worlds have the same.
        let all: i64 = sqlx::query(sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {}", table.name)))
            .fetch_one(&pool)
            .await
            .unwrap()
            .get(0);
        let is_made = !["follow_up_messages", "reply_credits", "daily_replies"].contains(&table.name);
        assert_eq!(rows.is_empty(), !is_made, "{}", table.name);
        assert!(i64::try_from(rows.len()).unwrap() <= all, "{}", table.name);
    }
    pool.close().await;
}

async fn errors_are_kept_without_addresses(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, now) = (world.scope(), at(10));
    let said = "550 5.1.1 <ann@customer.example>: user unknown; call +49 170 1234567";
    let kept = "550 5.1.1 <[address]>: user unknown; call [address]";
    let queue = world.job.queue.clone();
    let claimed = store.jobs().claim(&queue, "worker", LEASE, now).await.unwrap().unwrap();
    store.jobs().fail(&claimed, said, Some(now), now).await.unwrap();
    let failed = store.jobs().find(&scope, claimed.job_id).await.unwrap().unwrap();
    assert_eq!(failed.last_error.as_deref(), Some(kept));
    let claimed = store.jobs().claim(&queue, "worker", LEASE, now).await.unwrap().unwrap();
    store.jobs().repeat(&claimed, now, Some(said)).await.unwrap();
    let repeated = store.jobs().find(&scope, claimed.job_id).await.unwrap().unwrap();
    assert_eq!(repeated.last_error.as_deref(), Some(kept));

    world.chat(store).await;
    let notice = store.notices().take(at(20)).await.unwrap().unwrap();
    store.notices().retry(&notice, said, at(20)).await.unwrap();
    assert_eq!(store.notices().list(&scope).await.unwrap()[0].last_error.as_deref(), Some(kept));
    let notice = store.notices().take(at(20)).await.unwrap().unwrap();
    store.notices().finish(&notice, NoticeStatus::Failed, Some(said), at(21)).await.unwrap();
    assert_eq!(store.notices().list(&scope).await.unwrap()[0].last_error.as_deref(), Some(kept));

    let (channels, channel_id) = (store.inbox_channels(), world.channel.channel_id);
    assert!(channels.note_progress(&scope, channel_id, None, Some(said), at(22)).await.unwrap());
    let channel = channels.find(&scope, channel_id).await.unwrap().unwrap();
    assert_eq!(channel.last_error.as_deref(), Some(kept));
}
