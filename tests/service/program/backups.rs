//! `frontdesk backup` and `frontdesk restore`: an installation while it works, and another one from the file.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use frontdesk_client::{
    Client,
    model::{NewContact, NewFile, NewMessage},
};
use frontdesk_runtime::codec;
use frontdesk_store::{ContactFilter, PageRequest, Plan, Scope, Store};
use serde_json::{Value, json};
use uuid::Uuid;

use super::harness::{self, text};
use crate::{
    database::Database,
    installation::{client, learned},
    on_both_databases,
    patience::until,
    process::{Process, administer, command, json_output},
    site::{Page, Site},
};

on_both_databases!(a_backup_under_load_is_restored,);

const QUESTION: &str = "How much is a bag of rye flour?";

fn document(text: &str) -> NewFile {
    NewFile::new(codec::File::new(text.to_owned()).named("notes.txt"))
}

/// What goes on while a backup is made: contacts, messages, and files that come and go.
async fn work(client: Client, chatbot_id: Uuid, worker: usize, ends: Arc<AtomicBool>) -> Vec<String> {
    let mut created = Vec::new();
    let mut number = 0;
    while !ends.load(Ordering::Relaxed) {
        number += 1;
        let email = format!("visitor-{worker}-{number}@customer.example");
        client.contacts().create(NewContact::new().email(email.as_str())).await.unwrap();
        created.push(email);
        client.messages().send(chatbot_id.into(), NewMessage::new(QUESTION)).await.unwrap();
        let text = format!("The code of worker {worker} is number {number}.");
        let file = client.files().upload(chatbot_id.into(), document(&text)).await.unwrap();
        if number % 2 == 0 {
            client.files().delete(chatbot_id.into(), file.file_id).await.unwrap();
        }
    }
    created
}

async fn emails(store: &Store, scope: &Scope) -> BTreeSet<String> {
    let mut emails = BTreeSet::new();
    let mut page = PageRequest::first(100);
    loop {
        let found = store.contacts().page(scope, &ContactFilter::default(), &page).await.unwrap();
        emails.extend(found.items.into_iter().filter_map(|contact| contact.email));
        match found.next {
            Some(next) => page.after = Some(next),
            None => return emails,
        }
    }
}

fn refused(url: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = command(url, folder, arguments).output().unwrap();
    assert!(!output.status.success(), "{arguments:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

/// An empty database, and the folder in which the restored installation lives.
async fn empty(database: &Database, folder: &Path) -> String {
    if database.is_postgres() {
        database.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
        return database.url.clone();
    }
    format!("sqlite:{}", folder.join("restored.db").display())
}

async fn a_backup_under_load_is_restored(database: Database) {
    let site = Site::of([("/", Page::html("Flour", "<p>Rye flour costs 3 pounds a bag.</p>"))]).await;
    let acme = database.customer("acme", Plan::Growth).await;
    let scope = acme.scope();
    let process = Process::start(&database, &["--files-directory", "files"]);
    let talking = client(process.address, &acme.key.text);
    let chatbot_id = learned(&talking, &site).await;
    let menu =
        talking.files().upload(chatbot_id.into(), document("Carrot cake costs 4 pounds.")).await.unwrap();
    let file_id = menu.file_id;
    let ends = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..3)
        .map(|worker| tokio::spawn(work(talking.clone(), chatbot_id, worker, Arc::clone(&ends))))
        .collect();
    let before = until("there is something to back up", async || {
        let emails = emails(&database.store, &scope).await;
        (emails.len() >= 9).then_some(emails)
    })
    .await;

    let path = database.folder().join("backup.zip");
    let file = path.to_str().unwrap().to_owned();
    let backup = administer(&database, &["backup", &file, "--files-directory", "files"]).await;
    ends.store(true, Ordering::Relaxed);
    let mut created = BTreeSet::new();
    for worker in workers {
        created.extend(worker.await.unwrap());
    }
    assert!(backup["rows"].as_u64().unwrap() > 50 && backup["files"].as_u64().unwrap() > 1, "{backup}");
    assert_eq!(backup["needs_pepper"], false);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!database.folder().join("backup.zip.partial").exists());
    let again = refused(&database.url, database.folder(), &["backup", &file]);
    assert!(again.contains("exists already"), "{again}");
    let occupied = refused(&database.url, database.folder(), &["restore", &file]);
    assert!(occupied.contains("is not empty"), "{occupied}");
    drop(process.end("-TERM"));

    // Half a backup is none.
    let target = tempfile::tempdir().unwrap();
    let url = empty(&database, target.path()).await;
    let files = ["--files-directory", "restored-files"];
    let bytes = fs::read(&path).unwrap();
    let half = target.path().join("half.zip");
    fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    let incomplete =
        refused(&url, target.path(), &[&["restore", half.to_str().unwrap()][..], &files].concat());
    assert!(incomplete.contains("not a complete archive"), "{incomplete}");
    let mut damaged = bytes.clone();
    let middle = bytes.windows(11).position(|window| window == b"Carrot cake").unwrap();
    damaged[middle] ^= 1;
    fs::write(&half, damaged).unwrap();
    let damaged = refused(&url, target.path(), &[&["restore", half.to_str().unwrap()][..], &files].concat());
    assert!(damaged.contains("damaged"), "{damaged}");
    assert!(!target.path().join("restored-files").exists(), "nothing is written before all of it was read");
    fs::create_dir(target.path().join("restored-files")).unwrap();
    fs::write(target.path().join("restored-files/mine"), "content").unwrap();
    let restore = [&["restore", &file][..], &files].concat();
    let occupied = refused(&url, target.path(), &restore);
    assert!(occupied.contains("restored-files is not empty"), "{occupied}");
    fs::remove_file(target.path().join("restored-files/mine")).unwrap();

    let restored = json_output(command(&url, target.path(), &restore));
    for figure in ["rows", "tables", "files", "missing_files"] {
        assert_eq!(restored[figure], backup[figure], "{figure}");
    }
    let again = refused(&url, target.path(), &restore);
    assert!(again.contains("is not empty"), "{again}");

    // What was there when the backup began is there, nothing half, and nothing that nobody has sent.
    let store = Store::open_with_connections(&url, 4).await.unwrap();
    let found = emails(&store, &scope).await;
    let sent = |email: &String| before.contains(email) || created.contains(email);
    assert!(before.is_subset(&found), "{before:?} {found:?}");
    assert!(found.iter().all(sent), "{found:?}");
    let events = store.events().page(&scope, None, &[], 100).await.unwrap().unwrap();
    assert!(!events.items.is_empty());
    store.close().await;

    // The restored installation works with the same key, finds the same words, and has the same files.
    let moved = Database::at(&url, target).await;
    let process = Process::start(&moved, &files);
    let talking = client(process.address, &acme.key.text);
    let answer = talking.messages().send(chatbot_id.into(), NewMessage::new(QUESTION)).await.unwrap();
    assert!(answer.response.contains("3 pounds"), "{answer:?}");
    let content = talking.files().download(chatbot_id.into(), file_id).await.unwrap().into_inner();
    assert_eq!(content.text(1_000).await.unwrap(), "Carrot cake costs 4 pounds.");
    let new = NewContact::new().email("later@customer.example");
    talking.contacts().create(new).await.unwrap();
    let all = talking.files().list(chatbot_id.into()).limit(100).await.unwrap();
    for file in &all.files {
        let known = backup["missing_files"].as_array().unwrap().iter();
        let is_missing = known.filter_map(Value::as_str).any(|key| key.contains(&file.file_id.to_string()));
        let downloaded = talking.files().download(chatbot_id.into(), file.file_id).await;
        assert_eq!(downloaded.is_ok(), !is_missing, "{file:?}");
    }
    drop(process.end("-TERM"));
    moved.store.close().await;
}

#[test]
fn a_configured_pepper_has_to_be_given_again() {
    const PEPPER: &str = "the pepper of the original, 32 characters";
    const OTHER: &str = "the pepper of somebody else, 32 characters";
    let database = harness::Database::new();
    let run = |mut command: std::process::Command, pepper: Option<&str>| {
        if let Some(pepper) = pepper {
            command.env("FRONTDESK_KEYS_PEPPER", pepper);
        }
        let output = command.arg("--json").output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).map_err(|_| String::from_utf8(output.stderr).unwrap())
    };
    let nothing = database.refused(&["backup", "nothing.zip"]);
    assert!(nothing.contains("no tables"), "{nothing}");
    assert!(!database.folder().join("test.db").exists(), "a backup creates no database");
    let create =
        ["account", "create", "--name", "x", "--plan", "growth", "--owner-email", "ann@acme.example"];
    let account = database.run(&create);
    let key = ["key", "create", "--user", "ann@acme.example", "--name", "x"];
    run(database.command(&key), Some(PEPPER)).unwrap();
    // The pepper is not needed to make a backup, and is not in it.
    let backup = run(database.command(&["backup", "backup.zip"]), None).unwrap();
    assert_eq!(backup["needs_pepper"], true);
    let bytes = fs::read(database.folder().join("backup.zip")).unwrap();
    assert!(!bytes.windows(PEPPER.len()).any(|window| window == PEPPER.as_bytes()));

    let file = database.folder().join("backup.zip");
    let file = file.to_str().unwrap();
    let target = harness::Database::new();
    for pepper in [None, Some(OTHER)] {
        let error = run(target.command(&["restore", file]), pepper).unwrap_err();
        assert!(error.contains("FRONTDESK_KEYS_PEPPER") && error.contains("--without-pepper"), "{error}");
    }
    assert_eq!(fs::read_dir(target.folder()).unwrap().count(), 0);
    run(target.command(&["restore", file]), Some(PEPPER)).unwrap();
    assert_eq!(run(target.command(&key), Some(PEPPER)).unwrap()["name"], json!("x"));

    let rescued = harness::Database::new();
    run(rescued.command(&["restore", file, "--without-pepper"]), None).unwrap();
    let listed = rescued.run(&["account", "list"]);
    assert_eq!(text(&listed["accounts"][0]["account_id"]), text(&account["account_id"]));
    let rotate = ["key", "rotate-pepper", "--revoke-unconverted"];
    assert_eq!(run(rescued.command(&rotate), Some(OTHER)).unwrap()["revoked_keys"], 1);
}
