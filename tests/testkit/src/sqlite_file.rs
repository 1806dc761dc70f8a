//! Files of SQLite with the empty tables of the store, one for each test.
//!
//! Each is a copy of a template, because applying all migrations takes several times as long as opening a
//! database. The template is made by the first test that finds none for the migrations as they are.

use std::{
    fs,
    path::{Path, PathBuf},
};

use frontdesk_store::Store;
use uuid::Uuid;

use crate::migrations;

/// Makes a database. Its template is in the folder `templates`, such as the one that Cargo has for files of
/// tests.
pub async fn create(path: &Path, templates: &str) {
    let name = format!("template_{:016x}.db", migrations::version("sqlite"));
    let template = Path::new(templates).join(name);
    if !template.exists() {
        make_template(&template).await;
    }
    fs::copy(template, path).unwrap();
}

async fn make_template(template: &Path) {
    // Half a template, of a process that was killed, is never found by its name.
    let unfinished = template.with_extension(Uuid::now_v7().simple().to_string());
    let store = Store::open(&format!("sqlite:{}", unfinished.display())).await.unwrap();
    store.close().await;
    assert!(!beside(&unfinished, "-wal").exists(), "what was written is not in the file yet");
    fs::rename(&unfinished, template).unwrap();
}

/// A file that SQLite keeps beside a database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
