//! The client for JavaScript, run by Node against the service.

use std::{io::Write, path::Path, process::Command};

use frontdesk_store::Plan;

use crate::{database::Database, installation::Installation};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_client_for_javascript_calls_the_service() {
    if !Command::new("node").arg("--version").output().is_ok_and(|node| node.status.success()) {
        // Written directly to the stream because the test harness captures `eprintln!`.
        writeln!(std::io::stderr(), "skipped: the client for JavaScript (there is no Node)").unwrap();
        return;
    }
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("node");
    command.arg(tests.join("service/javascript/client.mjs")).arg(tests.join("../generated/javascript"));
    command.arg(format!("http://{}", service.address())).arg(&acme.key.text);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n", "{errors}");
    service.stop().await;
}
