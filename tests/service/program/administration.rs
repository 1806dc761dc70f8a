//! The commands that administer an installation.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::harness::{Database, Installation, text};
use crate::process::command;

#[test]
fn accounts_users_and_keys_are_made_and_listed() {
    let database = Database::new();
    let account = database.run(&[
        "account",
        "create",
        "--name",
        "Acme",
        "--plan",
        "growth",
        "--owner-email",
        "Ann@Acme.example",
        "--monthly-credits",
        "7",
    ]);
    let account_id = text(&account["account_id"]);
    assert_eq!(account["monthly_credits"], 7);
    assert_eq!(account["kind"], "standard");

    database.run(&[
        "user",
        "create",
        "--account",
        &account_id,
        "--email",
        "bob@acme.example",
        "--role",
        "collaborator",
    ]);
    let users = database.run(&["user", "list", "--account", &account_id]);
    let roles: Vec<_> =
        users["users"].as_array().unwrap().iter().map(|user| (&user["email"], &user["role"])).collect();
    assert_eq!(
        roles,
        [(&json!("ann@acme.example"), &json!("owner")), (&json!("bob@acme.example"), &json!("collaborator"))]
    );

    let refused = database.refused(&["key", "create", "--user", "bob@acme.example", "--name", "x"]);
    assert!(refused.contains("owner or admin"), "{refused}");
    database.run(&["user", "set-role", "--user", "bob@acme.example", "--role", "admin"]);
    let key = database.run(&[
        "key",
        "create",
        "--user",
        "bob@acme.example",
        "--name",
        "x",
        "--rate-per-minute",
        "9",
    ]);
    let (full, prefix) = (text(&key["key"]), text(&key["prefix"]));
    assert!(full.starts_with("sk_live_") && full.len() == 51);
    assert!(full.starts_with(prefix.trim_end_matches('…')));

    let keys = database.run(&["key", "list", "--user", "BOB@acme.example"]);
    assert_eq!(keys["keys"][0]["rate_per_minute"], 9);
    assert!(!keys.to_string().contains(&full), "a key is shown once");
    assert_eq!(database.run(&["key", "list", "--user", "ann@acme.example"])["keys"], json!([]));
    let key_id = text(&key["key_id"]);
    assert_eq!(database.run(&["key", "delete", &key_id])["deleted"], true);
    assert!(database.refused(&["key", "delete", &key_id]).contains("there is no key"));

    // Nowhere in the files is the key itself.
    for entry in std::fs::read_dir(database.folder()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(full.len()).any(|window| window == full.as_bytes()));
    }
}

#[test]
fn domains_give_away_their_secret_once() {
    let database = Database::new();
    let account = database.account("acme", "growth");
    let create = ["domain", "create", "--account", &account.id, "--hostname"];
    let domain = database.run(&[&create[..], &["WWW.Acme.example"]].concat());
    assert_eq!(domain["hostname"], "www.acme.example");
    assert!(domain["domain_id"].is_i64());
    let secret = text(&domain["identity_secret"]);
    assert_eq!(secret.len(), 43);
    let refused = database.refused(&[&create[..], &["www.acme.example"]].concat());
    assert!(refused.contains("already has this domain"), "{refused}");
    let refused = database.refused(&[&create[..], &["https://acme.example/"]].concat());
    assert!(refused.contains("--hostname") && refused.contains("www.example.com"), "{refused}");
    let listed = database.run(&["domain", "list", "--account", &account.id]);
    assert!(!listed.to_string().contains(&secret));
    let id = domain["domain_id"].to_string();
    database.run(&["domain", "delete", "--account", &account.id, &id]);
    assert_eq!(database.run(&["domain", "list", "--account", &account.id])["domains"], json!([]));
}

#[test]
fn mistakes_are_explained() {
    let database = Database::new();
    let account = database.account("acme", "growth");
    let nobody = "00000000-0000-4000-8000-000000000000";
    for (arguments, expected) in [
        (
            &["account", "create", "--name", "x", "--plan", "gold", "--owner-email", "a@b"][..],
            "`gold` is not a plan",
        ),
        (&["account", "create", "--name", "x", "--plan", "growth", "--owner-email", "ann"], "--owner-email"),
        (
            &[
                "account",
                "create",
                "--name",
                "x",
                "--plan",
                "growth",
                "--owner-email",
                "a@b",
                "--parent",
                nobody,
            ],
            "there is no agency",
        ),
        (&["account", "set-plan", nobody, "--plan", "growth"], "`frontdesk account list` lists all accounts"),
        (
            &["user", "create", "--account", &account.id, "--email", &account.owner, "--role", "admin"],
            "already has a user with this e-mail address",
        ),
        (
            &["user", "create", "--account", nobody, "--email", "a@b", "--role", "admin"],
            "there is no account",
        ),
        (&["user", "set-role", "--user", "nobody@acme.example", "--role", "admin"], "there is no user"),
        (
            &["key", "create", "--user", &account.owner, "--name", "x", "--rate-per-minute", "0"],
            "--rate-per-minute",
        ),
        (&["serve", "--listen", "localhost"], "`listen` cannot be set"),
        (&["serve", "--tls-key", "key.pem"], "`http.tls_certificate` is not"),
        (&["config", "show", "--config", "absent.toml"], "absent.toml"),
    ] {
        let message = database.refused(arguments);
        assert!(message.contains(expected), "{arguments:?} said {message}");
    }
    // The same person in two accounts must be distinguished.
    let other = database.run(&[
        "account",
        "create",
        "--name",
        "y",
        "--plan",
        "growth",
        "--owner-email",
        &account.owner,
    ]);
    let message = database.refused(&["key", "create", "--user", &account.owner, "--name", "x"]);
    assert!(message.contains(&account.id) && message.contains("name the account"), "{message}");
    let other = text(&other["account_id"]);
    database.run(&["key", "create", "--user", &account.owner, "--account", &other, "--name", "x"]);
}

#[test]
fn the_configuration_is_shown_with_its_sources_and_without_its_secrets() {
    let database = Database::new();
    std::fs::write(
        database.folder().join("frontdesk.toml"),
        "[assistant]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"small\"\n",
    )
    .unwrap();
    let output = database
        .command(&["config", "show", "--requests-per-key", "5", "--json"])
        .env("FRONTDESK_ASSISTANT_API_KEY", "hunter2hunter2")
        .env("FRONTDESK_LIMITS_REQUESTS_PER_KEY", "4")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("hunter2"));
    let shown: serde_json::Value = serde_json::from_str(&text).unwrap();
    let setting = |key: &str| {
        let all = shown["settings"].as_array().unwrap();
        let one = all.iter().find(|setting| setting["key"] == key).unwrap();
        (one["value"].clone(), one["from"].clone())
    };
    assert_eq!(setting("limits.requests_per_key"), (json!(5), json!("--requests-per-key")));
    assert_eq!(setting("assistant.model"), (json!("small"), json!("frontdesk.toml:3")));
    assert_eq!(setting("assistant.api_key"), (json!("[redacted]"), json!("FRONTDESK_ASSISTANT_API_KEY")));
    assert_eq!(setting("http.trusted_proxies"), (json!([]), json!("default")));
}

#[test]
fn the_pepper_is_rotated_and_a_wrong_one_refused() {
    const OLD: &str = "the pepper before the rotation, 32 characters";
    const NEW: &str = "the pepper after the rotation, 32 characters";
    let database = Database::new();
    let run = |arguments: &[&str], pepper: &str, previous: Option<&str>| {
        let mut command = database.command(arguments);
        command.env("FRONTDESK_KEYS_PEPPER", pepper).arg("--json");
        if let Some(previous) = previous {
            command.env("FRONTDESK_KEYS_PREVIOUS_PEPPER", previous);
        }
        let output = command.output().unwrap();
        let parsed = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        parsed.map_err(|_| String::from_utf8(output.stderr).unwrap())
    };
    let create =
        ["account", "create", "--name", "x", "--plan", "growth", "--owner-email", "ann@acme.example"];
    database.run(&create);
    let key = ["key", "create", "--user", "ann@acme.example", "--name", "x"];
    run(&key, OLD, None).unwrap();
    let refused = run(&key, NEW, None).unwrap_err();
    assert!(refused.contains("keys.previous_pepper") && refused.contains("rotate-pepper"), "{refused}");
    assert!(database.refused(&key).contains("FRONTDESK_KEYS_PEPPER"));
    let rotate = ["key", "rotate-pepper"];
    assert!(database.refused(&rotate).contains("keys.pepper"));
    assert_eq!(run(&rotate, NEW, Some(OLD)).unwrap()["unconverted_keys"], 1);
    let refused = run(&["serve", "--listen", "127.0.0.1:0"], NEW, None).unwrap_err();
    assert!(
        refused.contains("API keys of this database (1)") && refused.contains("--revoke-unconverted"),
        "{refused}"
    );
    let revoked = run(&["key", "rotate-pepper", "--revoke-unconverted"], NEW, None).unwrap();
    assert_eq!((&revoked["revoked_keys"], &revoked["unconverted_keys"]), (&json!(1), &json!(0)));
    run(&key, NEW, None).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_served_once_and_administered_meanwhile() {
    let service = Installation::start().await;
    service.database.account("acme", "growth");
    let message = service.database.refused(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(message.contains("another process is serving the database"), "{message}");
}

#[test]
fn the_data_of_an_account_is_exported_and_erased() {
    let database = Database::new();
    let account = database.account("acme", "growth");
    let other = database.account("other", "growth");
    let contacts = ["contact", "list", "--account", &account.id];
    assert_eq!(database.run(&contacts)["contacts"], json!([]));
    let nobody = "00000000-0000-0000-0000-000000000000";
    let refused = database.refused(&["contact", "export", "--account", &account.id, nobody]);
    assert!(refused.contains("there is no contact"), "{refused}");
    let kept = database.run(&["account", "set-retention", &account.id, "--contacts", "30"]);
    assert_eq!((&kept["contact_days"], &kept["conversation_days"]), (&json!(30), &json!(null)));

    let archive = database.folder().join("acme.zip");
    let path = archive.to_str().unwrap();
    // An earlier export was interrupted.
    let partial = database.folder().join("acme.zip.partial");
    std::fs::write(&partial, "half an archive, which is longer than nothing").unwrap();
    let exported = database.run(&["account", "export", &account.id, "--output", path]);
    assert!(exported["rows"].as_u64().unwrap() >= 2, "{exported}");
    let bytes = std::fs::read(&archive).unwrap();
    assert!(bytes.starts_with(b"PK"));
    for name in ["accounts.jsonl", "users.jsonl", "contacts.jsonl", "messages.jsonl", "left-out.jsonl"] {
        assert!(bytes.windows(name.len()).any(|window| window == name.as_bytes()), "{name}");
    }
    assert!(!partial.exists());
    assert_eq!(std::fs::metadata(&archive).unwrap().permissions().mode() & 0o777, 0o600);
    let again = database.refused(&["account", "export", &account.id, "--output", path]);
    assert!(again.contains("--output") && again.contains("exists already"), "{again}");
    assert_eq!(std::fs::read(&archive).unwrap(), bytes, "nothing is overwritten");

    database.refused(&["account", "erase", &account.id]);
    assert_eq!(database.run(&["account", "erase", &account.id, "--yes"])["erased"], true);
    let left = database.run(&["account", "list"]);
    let left: Vec<_> =
        left["accounts"].as_array().unwrap().iter().map(|one| text(&one["account_id"])).collect();
    assert_eq!(left, [other.id]);
    assert!(database.refused(&["account", "erase", &account.id, "--yes"]).contains("there is no account"));
}

#[test]
fn an_account_keeps_an_active_owner() {
    let database = Database::new();
    let account = database.account("acme", "growth");
    let owner = account.owner.as_str();
    for change in [
        ["user", "set-role", "--user", owner, "--role", "admin"],
        ["user", "set-status", "--user", owner, "--status", "disabled"],
    ] {
        let refused = database.refused(&change);
        assert!(refused.contains("only active owner"), "{refused}");
    }
    let create =
        ["user", "create", "--account", &account.id, "--email", "bob@acme.example", "--role", "owner"];
    database.run(&create);
    let disabled = database.run(&["user", "set-status", "--user", owner, "--status", "disabled"]);
    assert_eq!((&disabled["role"], &disabled["status"]), (&json!("owner"), &json!("disabled")));
    let refused = database.refused(&["user", "set-role", "--user", "bob@acme.example", "--role", "admin"]);
    assert!(refused.contains("only active owner"), "{refused}");
    let nameless = ["account", "create", "--name", " ", "--plan", "growth", "--owner-email", "a@b.example"];
    assert!(database.refused(&nameless).contains("--name"));
}

#[test]
fn only_the_first_account_creates_a_database() {
    let database = Database::new();
    for arguments in [&["account", "list"][..], &["key", "list", "--user", "ann@acme.example"]] {
        let refused = database.refused(arguments);
        assert!(refused.contains("there is no database"), "{refused}");
    }
    assert_eq!(std::fs::read_dir(database.folder()).unwrap().count(), 0);
    database.account("acme", "growth");
    assert_eq!(database.run(&["account", "list"])["accounts"].as_array().unwrap().len(), 1);
    // Nobody else on the machine reads what is in it.
    for entry in std::fs::read_dir(database.folder()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
    }
}

#[test]
fn a_cause_is_told_once_and_at_once() {
    let database = Database::new();
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("postgres://nobody@{}/none", listener.local_addr().unwrap());
    drop(listener);
    let started = std::time::Instant::now();
    let output = command(&url, database.folder(), &["account", "list"]).output().unwrap();
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && started.elapsed() < std::time::Duration::from_secs(5));
    assert_eq!(refused.matches("onnection refused").count(), 1, "{refused}");
}
