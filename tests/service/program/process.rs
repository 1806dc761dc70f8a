//! The binary as a process: it starts, responds, and stops on a signal.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use serde_json::json;

use super::harness::{Database, text};
use crate::{
    patience::until,
    process::Process,
    wire::{self, Request},
};

/// Starts `frontdesk serve` with settings in the environment.
fn serve(database: &Database, settings: &[(&str, &str)]) -> Process {
    let mut command = database.command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    command.envs(settings.iter().copied());
    Process::listening(command)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_well() {
    let database = Database::new();
    let account = database.account("acme", "growth");
    for signal in ["-TERM", "-INT"] {
        let process = serve(&database, &[]);
        let list = Request::new("GET", "/api/v1/chatbots?api_key=hunter2").key(&account.key);
        let answer = list.send(process.address).await;
        assert_eq!(answer.status, 200);
        let (status, log) = process.end(signal);
        assert!(status.success(), "{signal}: {status}");

        let request = log.iter().find(|line| line.contains("\"operation\":\"listChatbots\"")).unwrap();
        assert!(request.contains("\"status\":200"), "{request}");
        assert!(log.last().unwrap().contains("stopped"), "{log:?}");
        for secret in [account.key.as_str(), "hunter2"] {
            assert!(!log.iter().any(|line| line.contains(secret)), "the log contains {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_leaves_no_lock_behind() {
    let database = Database::new();
    serve(&database, &[]).kill();
    let process = serve(&database, &[]);
    let answer = Request::new("GET", "/health").send(process.address).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_leaves_a_link_that_nobody_else_can_read() {
    let database = Database::new();
    let process = serve(&database, &[]);
    let file = database.folder().join("setup-link.txt");
    let link = until("the link is written", async || {
        std::fs::read_to_string(&file).ok().filter(|link| link.ends_with('\n'))
    })
    .await;
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let (page, token) = link.trim().split_once("#setup=").unwrap();
    assert_eq!(page, format!("http://{}/console", process.address));
    let owner = json!({
        "token": token, "name": "Jo", "email": "jo@acme.example", "password": "seven tulips in a jar",
        "account_name": "Acme",
    });
    let setup = Request::new("POST", "/console/v1/setup").header("Sec-Fetch-Site", "same-origin");
    assert_eq!(setup.json(owner.to_string()).send(process.address).await.status, 201);
    let (_, log) = process.end("-TERM");
    assert!(!log.iter().any(|line| line.contains(token)), "the log contains the token");

    std::fs::remove_file(&file).unwrap();
    serve(&database, &[]).end("-TERM");
    assert!(!file.exists(), "there is somebody now");

    // Whoever has lost the password gets a link from the operator.
    let printed = database.run(&["user", "link", "jo@acme.example"]);
    let link = text(&printed["link"]);
    let process = serve(&database, &[]);
    let token = link.split_once("#reset=").unwrap().1;
    let reset =
        Request::new("POST", "/console/v1/password-resets/redeem").header("Sec-Fetch-Site", "same-origin");
    let body = json!({ "token": token, "password": "eight lilies in a vase" });
    assert_eq!(reset.json(body.to_string()).send(process.address).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_file_model_is_not_logged() {
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", provider.local_addr().unwrap());
    let database = Database::new();
    let account = database.account("acme", "growth");
    let process = serve(
        &database,
        &[
            ("FRONTDESK_FILES_VISION_BASE_URL", &base_url),
            ("FRONTDESK_FILES_VISION_MODEL", "small"),
            ("FRONTDESK_FILES_VISION_API_KEY", "hunter2"),
            ("FRONTDESK_FILES_VISION_ALLOW_NETWORKS", "127.0.0.1"),
            ("FRONTDESK_LOG_FILTER", "trace"),
        ],
    );
    let send = async |request: Request| request.key(&account.key).send(process.address).await;
    let chatbot = r#"{"name":"Helper","business_name":"Acme","training_urls":["http://127.0.0.1:9/"]}"#;
    let created = wire::json(&send(Request::new("POST", "/api/v1/chatbots").json(chatbot)).await);
    let path = format!("/api/v1/chatbots/{}/files", created["chatbot_id"].as_str().unwrap());
    let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\nGIF89a private\r\n--x--\r\n";
    let uploaded = send(Request::new("POST", &path).body_of("multipart/form-data; boundary=x", form)).await;
    assert_eq!(uploaded.status, 201, "{uploaded:?}");

    let (mut socket, _) = provider.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"]}") && !request.ends_with(b"}") {
        assert!(socket.read_buf(&mut request).await.unwrap() > 0);
    }
    let request = String::from_utf8(request).unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer hunter2"), "{request}");
    let failure = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";
    socket.write_all(failure.as_bytes()).await.unwrap();
    let log = until("the failure is logged", async || {
        let log = process.log();
        log.iter().any(|line| line.contains("responded with status 500")).then_some(log)
    })
    .await;
    for secret in ["hunter2", "R0lGODlhIHByaXZhdGU"] {
        assert!(!log.iter().any(|line| line.contains(secret)), "the log contains {secret}");
    }
}
