//! Promise to users of an earlier version: their client, generated from that version's bundle, works with the
//! service as it is now.
//!
//! What a user does with a version is a program in `tests/released`: a file `VERSION.rs`, or a folder
//! `VERSION` with a `main.rs`. A program of the version that is not released yet is run on the present
//! contract, so that a release finds it complete.
//!
//! Compiling the programs takes longer than all other tests of the service, so it is done where
//! `FRONTDESK_TEST_CARGO` is set.

mod program;
mod surroundings;

use std::{io::Write, path::Path};

use frontdesk_store::Plan;

use self::{
    program::{Program, operations, programs},
    surroundings::Surroundings,
};
use crate::{database::Database, installation::Installation};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_of_every_version_still_work() {
    if std::env::var_os("FRONTDESK_TEST_CARGO").is_none() {
        // Written directly to the stream because the test harness captures `eprintln!`.
        writeln!(std::io::stderr(), "skipped: clients of every version (FRONTDESK_TEST_CARGO is not set)")
            .unwrap();
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // Compilers run for a while.
    let programs = tokio::task::spawn_blocking(|| programs(root)).await.unwrap();
    run(&programs, Database::sqlite().await).await;
    if let Some(database) = Database::postgres("clients_of_every_version_still_work").await {
        let remains = database.remains();
        run(&programs, database).await;
        remains.release().await;
    }
}

/// Runs every program against a service, each with an account of its own.
async fn run(programs: &[Program], database: Database) {
    let surroundings = Surroundings::start().await;
    let service = Installation::start_with(database, |config| surroundings.configure(config)).await;
    let address = format!("http://{}", service.address());
    for program in programs {
        let name = format!("bakery-{}", program.version).replace('.', "-");
        let customer = service.database.customer(&name, Plan::Growth).await;
        surroundings.forget_mails();
        let mut command = surroundings.command(&program.binary, &address, &customer.key.text);
        let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "a client of {} fails: {errors}", program.version);
        let called = String::from_utf8(output.stdout).unwrap();
        let called: Vec<&str> = called.lines().collect();
        let missing: Vec<_> =
            program.operations.iter().filter(|operation| !called.contains(&&***operation)).collect();
        assert!(missing.is_empty(), "`{}` does not call {missing:?}", program.source.display());
        assert_eq!(called, program.operations, "what it prints");
    }
    service.stop().await;
}

#[test]
fn a_program_is_a_file_or_a_folder_and_serves_until_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["1.0.0.rs", "1.2.0/main.rs", "README.md"] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let newest = |version: &str| {
        let (of, path) = program::newest(folder.path(), &version.parse().unwrap()).unwrap();
        (of.to_string(), path.file_name().unwrap().to_str().unwrap().to_owned())
    };
    for (version, of, name) in [
        ("1.0.0", "1.0.0", "1.0.0.rs"),
        ("1.1.9", "1.0.0", "1.0.0.rs"),
        ("1.2.0", "1.2.0", "1.2.0"),
        ("2.0.0", "1.2.0", "1.2.0"),
    ] {
        assert_eq!(newest(version), (of.to_owned(), name.to_owned()), "{version}");
    }
    assert!(program::newest(folder.path(), &"0.9.0".parse().unwrap()).is_none());
    let document = "{ paths: { /a: { parameters: [], post: { operationId: b }, get: { operationId: a } } } }";
    assert_eq!(operations(&serde_yaml::from_str(document).unwrap()), ["a", "b"]);
}
