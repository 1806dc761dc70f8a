//! Requests that are huge, endless or unbearably slow are ended, and nobody else has to wait for them.

use frontdesk_client::model::NewMessage;
use frontdesk_store::Plan;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    database::Database,
    installation::{client, learned},
    process::Process,
    site,
    wire::{Request, early_answer, json},
};

const GIGABYTE: usize = 1 << 30;

#[tokio::test(flavor = "multi_thread")]
async fn huge_and_slow_requests_keep_nobody_waiting() {
    let database = Database::sqlite().await;
    let customer = database.customer("acme", Plan::Growth).await;
    let site = site::bakery().await;
    let more =
        ["--crawl-delay-milliseconds", "0", "--header-timeout-seconds", "5", "--body-timeout-seconds", "5"];
    let process = Process::start(&database, &more);
    let talking = client(process.address, &customer.key.text);
    let chatbot_id = learned(&talking, &site).await;
    let path = format!("/api/v1/chatbots/{chatbot_id}/messages");

    // Slow heads and slow bodies, which are left as they are while the others are served.
    let mut slow = Vec::new();
    for number in 0..200 {
        let mut stream = TcpStream::connect(process.address).await.unwrap();
        let request = Request::new("POST", &path).key(&customer.key.text).json("x".repeat(100));
        let head = request.head();
        let sent = if number % 2 == 0 { &head[..head.len() - 2] } else { &head[..] };
        stream.write_all(sent).await.unwrap();
        slow.push(stream);
    }

    for announced in [true, false] {
        let length = if announced {
            format!("Content-Length: {GIGABYTE}")
        } else {
            "Transfer-Encoding: chunked".into()
        };
        let (name, value) = length.split_once(": ").unwrap();
        let request = Request::new("POST", &path)
            .key(&customer.key.text)
            .header("Content-Type", "application/json")
            .header(name, value);
        let (reading, mut writing) = TcpStream::connect(process.address).await.unwrap().into_split();
        writing.write_all(&request.head()).await.unwrap();
        let flood = tokio::spawn(async move {
            let piece = vec![b' '; 1 << 20];
            let piece = if announced { piece } else { [b"100000\r\n".as_slice(), &piece, b"\r\n"].concat() };
            let mut sent = 0;
            // The service closes when it has had enough.
            while sent < GIGABYTE && writing.write_all(&piece).await.is_ok() {
                sent += 1 << 20;
            }
        });
        // The answer is there while the body is still being sent.
        let raw = early_answer(reading).await;
        flood.abort();
        assert_eq!(raw.status, 413, "{raw:?}");
        assert!(json(&raw)["message"].is_string(), "{raw:?}");
    }

    let health = Request::new("GET", "/health").send(process.address).await;
    assert_eq!(health.status, 200, "{health:?}");
    let answer = talking.messages().send(chatbot_id.into(), NewMessage::new("What does delivery cost?"));
    assert!(answer.await.unwrap().response.contains("4.90 pounds"));

    // In the end the slow ones are let go: none was answered as if it were complete.
    for mut stream in slow {
        let mut bytes = Vec::new();
        // A reset ends it as well.
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 408 "), "{text}");
    }
    let health = Request::new("GET", "/health").send(process.address).await;
    assert_eq!(health.status, 200, "{health:?}");
    // Nothing of the floods was kept.
    assert!(process.peak_memory().is_none_or(|bytes| bytes < GIGABYTE / 4), "{:?}", process.peak_memory());
}
