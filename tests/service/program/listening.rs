//! Connections: HTTPS, plain HTTP where it is allowed, slow and huge requests, and the end of the service.

use std::{sync::Arc, time::Duration};

use frontdesk_client::Raw;
use frontdesk_service::{StartError, config::Config, start};
use frontdesk_store::Redacted;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use super::harness::{Database, Installation, config, text, verdict};
use crate::wire::{self, Request, header, json};

#[tokio::test(flavor = "multi_thread")]
async fn https_is_spoken_with_a_certificate_and_a_key() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let service = Installation::start_with(|config| {
        config.http.tls_certificate = Some(certificate);
        config.http.tls_key = Some(key);
    })
    .await;

    let tcp = TcpStream::connect(service.running.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = trusting(&made.cert.pem()).connect(name, tcp).await.unwrap();
    stream.write_all(&Request::new("GET", "/api/v1/chatbots").bytes()).await.unwrap();
    let answer = wire::answer(stream).await;
    assert_eq!(verdict(&answer), (401, "unauthorized".into()));
    assert_eq!(header(&answer, "strict-transport-security"), "max-age=31536000");

    // Who speaks plain HTTP to it gets no answer that could be mistaken for one.
    let mut plain = TcpStream::connect(service.running.address).await.unwrap();
    plain.write_all(&Request::new("GET", "/health").bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // A reset is as good as an alert here.
    let _ = plain.read_to_end(&mut bytes).await;
    assert!(!bytes.starts_with(b"HTTP/"));
}

#[tokio::test]
async fn plain_http_for_other_machines_must_be_wanted() {
    let database = Database::new();
    let everywhere = "0.0.0.0:0".parse().unwrap();
    let refused = start(config(&database, |config| config.listen = everywhere)).await.unwrap_err();
    assert!(matches!(refused, StartError::PlainHttp { .. }));
    let message = refused.to_string();
    for way_out in ["--tls-certificate", "--trusted-proxy", "127.0.0.1", "--allow-plain-http"] {
        assert!(message.contains(way_out), "{message}");
    }
    let unpeppered = |config: &mut Config| {
        config.listen = everywhere;
        config.http.allow_plain_http = true;
    };
    let refused = start(config(&database, unpeppered)).await.unwrap_err();
    assert!(matches!(refused, StartError::StoredPepper { .. }));
    for way_out in ["FRONTDESK_KEYS_PEPPER", "--allow-stored-pepper"] {
        assert!(refused.to_string().contains(way_out), "{refused}");
    }
    let accepting_the_risk = config(&database, |config| {
        unpeppered(config);
        config.keys.allow_stored_pepper = true;
    });
    start(accepting_the_risk).await.unwrap().shutdown().await;
    let peppered = config(&database, |config| {
        unpeppered(config);
        config.keys.pepper = Some(Redacted::new("thirty-two characters, or a few more".to_owned()));
    });
    start(peppered).await.unwrap().shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_undeclared_proxies_are_refused() {
    let service = Installation::start().await;
    let account = service.database.account("acme", "growth");
    for (header, value) in [
        ("Forwarded", "for=198.51.100.7;proto=https"),
        ("X-Forwarded-For", "198.51.100.7"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "shop.example"),
        ("X-Real-IP", "198.51.100.7"),
    ] {
        for path in ["/api/v1/chatbots", "/metrics", "/docs", "/nowhere"] {
            let answer =
                service.send(Request::new("GET", path).key(&account.key).header(header, value)).await;
            assert_eq!(verdict(&answer), (403, "forbidden".into()), "{header} {path}");
            let message = text(&json(&answer)["message"]);
            assert!(message.contains("http.trusted_proxies"), "{message}");
            assert!(message.contains(&header.to_lowercase()), "{message}");
            // Internal addresses are not revealed.
            assert!(!message.contains("127.0.0.1"), "{message}");
        }
        for probe in ["/health", "/ready"] {
            assert_eq!(service.send(Request::new("GET", probe).header(header, value)).await.status, 200);
        }
    }
    assert_eq!(service.get("/api/v1/chatbots", &account.key).await.status, 200);
    assert_eq!(service.send(Request::new("GET", "/metrics")).await.status, 200);
}

/// A client that trusts one certificate.
fn trusting(certificate: &str) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(client))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_certificate_is_used_without_a_restart() {
    let make = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (first, second) = (make(), make());
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, first.cert.pem()).unwrap();
    std::fs::write(&key, first.signing_key.serialize_pem()).unwrap();
    let service = Installation::start_with(|config| {
        config.http.tls_certificate = Some(certificate.clone());
        config.http.tls_key = Some(key.clone());
        config.http.tls_reload_interval = Duration::from_millis(20);
    })
    .await;
    let address = service.running.address;
    let accepts = async |certificate: &str| {
        let tcp = TcpStream::connect(address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        trusting(certificate).connect(name, tcp).await.is_ok()
    };
    let (first_pem, second_pem) = (first.cert.pem(), second.cert.pem());
    assert!(accepts(&first_pem).await && !accepts(&second_pem).await);

    // A certificate without its key, and a file that is not a certificate, leave the first one in use.
    for broken in [second_pem.as_str(), "broken", ""] {
        std::fs::write(&certificate, broken).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(accepts(&first_pem).await, "{broken}");
    }
    std::fs::remove_file(&certificate).unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(accepts(&first_pem).await);

    std::fs::write(&key, second.signing_key.serialize_pem()).unwrap();
    std::fs::write(&certificate, &second_pem).unwrap();
    while !accepts(&second_pem).await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!accepts(&first_pem).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_cannot_take_all_connections() {
    let service = Installation::start_with(|config| config.http.max_connections_per_client = 2).await;
    let address = service.running.address;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert_eq!(ask_again(&mut stream, "/health").await.status, 200);
        open.push(stream);
    }
    // The third one is closed without a response.
    let mut third = TcpStream::connect(address).await.unwrap();
    let _ = third.write_all(&Request::new("GET", "/health").bytes()).await;
    let mut bytes = Vec::new();
    let _ = third.read_to_end(&mut bytes).await;
    assert!(bytes.is_empty(), "{}", String::from_utf8_lossy(&bytes));
    // The others go on, and a closed one makes place.
    let metrics = ask_again(&mut open[0], "/metrics").await.text().unwrap();
    assert!(metrics.contains("\nfrontdesk_connections_refused_total 1\n"), "{metrics}");
    drop(open.pop());
    loop {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(&Request::new("GET", "/health").bytes()).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        if bytes.starts_with(b"HTTP/1.1 200") {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_must_say_that_its_client_used_https() {
    let service =
        Installation::start_with(|config| config.http.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()])
            .await;
    let list = || Request::new("GET", "/api/v1/chatbots");
    for (request, expected) in [
        (list(), 403),
        (list().header("X-Forwarded-Proto", "http"), 403),
        (list().header("X-Forwarded-Proto", "https, http"), 403),
        (list().header("X-Forwarded-Proto", "https"), 401),
        (Request::new("GET", "/health"), 200),
        (Request::new("GET", "/ready"), 200),
    ] {
        let answer = service.send(request.clone()).await;
        assert_eq!(answer.status, expected, "{request:?}");
        assert_eq!(answer.headers.contains_key("strict-transport-security"), expected == 401, "{request:?}");
    }
    let answer = service.send(list()).await;
    assert!(json(&answer)["message"].as_str().unwrap().contains("HTTPS"), "{answer:?}");
    // The refusal has the form that the contract gives a 403.
    assert_eq!(verdict(&answer), (403, "forbidden".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_body_is_refused_with_an_answer_that_arrives() {
    let service = Installation::start().await;
    let account = service.database.account("acme", "growth");
    let head = |more: &str| {
        format!(
            "POST /api/v1/chatbots HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n{more}\r\n\r\n",
            account.key
        )
    };
    // Announced: nothing of it is waited for.
    let mut stream = TcpStream::connect(service.running.address).await.unwrap();
    stream.write_all(head("Content-Length: 1073741824").as_bytes()).await.unwrap();
    let mut space = [0; 512];
    let count = stream.read(&mut space).await.unwrap();
    assert!(space[..count].starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&space[..count]));
    drop(stream);

    // Announced and sent without looking, or without being announced: the client must be able to read why.
    let announced = head("Content-Length: 33554432");
    let chunked = head("Transfer-Encoding: chunked");
    for head in [announced, chunked] {
        let stream = TcpStream::connect(service.running.address).await.unwrap();
        let (reading, mut writing) = stream.into_split();
        let spaces = " ".repeat(1 << 20);
        let chunk = if head.contains("chunked") { format!("100000\r\n{spaces}\r\n") } else { spaces };
        writing.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..32 {
            // Many clients look for an answer only after they have sent everything.
            writing.write_all(chunk.as_bytes()).await.unwrap();
        }
        let answer = wire::answer(reading).await;
        assert_eq!(answer.status, 413, "{head}");
        assert!(json(&answer)["message"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_let_go() {
    let service = Installation::start_with(|config| {
        config.http.header_timeout = Duration::from_millis(200);
        config.http.body_timeout = Duration::from_millis(200);
    })
    .await;
    let account = service.database.account("acme", "growth");

    // A head that never ends.
    let mut stream = TcpStream::connect(service.running.address).await.unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n").await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    assert!(!bytes.starts_with(b"HTTP/1.1 200"));

    // A body that never ends.
    let mut stream = TcpStream::connect(service.running.address).await.unwrap();
    let head = Request::new("POST", "/api/v1/chatbots")
        .key(&account.key)
        .header("Content-Type", "application/json")
        .header("Content-Length", "100");
    stream.write_all(&head.bytes()).await.unwrap();
    stream.write_all(b"{").await.unwrap();
    let answer = wire::answer(stream).await;
    assert_eq!(answer.status, 408, "{answer:?}");
    assert!(json(&answer)["message"].is_string());

    // Others have been served all the while.
    assert_eq!(service.get("/api/v1/chatbots", &account.key).await.status, 200);
}

/// One request of several over a connection.
async fn ask_again(stream: &mut TcpStream, path: &str) -> Raw {
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
    wire::early_answer(stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let service = Installation::start_with(|config| config.http.max_connections = 1).await;
    let mut first = TcpStream::connect(service.running.address).await.unwrap();
    assert_eq!(ask_again(&mut first, "/health").await.status, 200);
    let mut second = TcpStream::connect(service.running.address).await.unwrap();
    second.write_all(&Request::new("GET", "/health").bytes()).await.unwrap();
    // The operating system has connected the second, but it is not served however long the first goes on.
    for _ in 0..20 {
        let metrics = ask_again(&mut first, "/metrics").await.text().unwrap();
        assert!(metrics.contains("\nfrontdesk_connections 1\n"), "{metrics}");
    }
    drop(first);
    assert_eq!(wire::answer(second).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn shutting_down_finishes_what_is_under_way() {
    let service = Installation::start().await;
    let account = service.database.account("acme", "growth");
    let address = service.running.address;
    let body = r#"{"name":"Helper","business_name":"Acme","training_urls":["http://127.0.0.1:9/"]}"#;

    // Half of a request is sent, and an idle connection is open.
    let mut stream = TcpStream::connect(address).await.unwrap();
    let bytes = Request::new("POST", "/api/v1/chatbots").key(&account.key).json(body).bytes();
    let (sent, rest) = bytes.split_at(bytes.len() - 10);
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut space = [0; 1024];
    assert!(idle.read(&mut space).await.unwrap() > 0);
    stream.write_all(sent).await.unwrap();
    // The service has read the head once its count of open connections says so and it has let the key's use
    // be noted.
    let store = service.running.store.clone();
    let noted = async {
        loop {
            let keys =
                store.api_keys().list(&frontdesk_store::Scope::of_account(account.id.parse().unwrap())).await;
            if keys.unwrap()[0].last_used_at.is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    noted.await;

    let shutdown = tokio::spawn(service.running.shutdown());
    // The idle connection is closed, and nobody is let in any more.
    let mut leftover = Vec::new();
    idle.read_to_end(&mut leftover).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
    stream.write_all(rest).await.unwrap();
    let answer = wire::answer(stream).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    shutdown.await.unwrap();

    // What was acknowledged is there after a new start.
    let running = start(config(&service.database, |_| {})).await.unwrap();
    let answer = Request::new("GET", "/api/v1/chatbots").key(&account.key).send(running.address).await;
    assert_eq!(json(&answer)["chatbots"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_finishes_does_not_hold_up_the_end() {
    let service =
        Installation::start_with(|config| config.http.drain_timeout = Duration::from_millis(200)).await;
    let account = service.database.account("acme", "growth");
    let mut stream = TcpStream::connect(service.running.address).await.unwrap();
    let head =
        Request::new("POST", "/api/v1/chatbots").key(&account.key).header("Content-Type", "application/json");
    stream.write_all(&head.header("Content-Length", "100").bytes()).await.unwrap();
    service.running.shutdown().await;
}
