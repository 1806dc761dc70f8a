//! TLS: trusted certificates, and the errors of failed handshakes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk_outbound::{Limits, Outbound, OutboundError, Stage};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::server::{Step, reply, serve};
use crate::{Names, code_of, limits, loopback, policy, url};

/// Starts an HTTPS server for `shop.acme.example` and returns its port and its certificate as PEM.
pub(crate) async fn start() -> (u16, String) {
    let generated = rcgen::generate_simple_self_signed(["shop.acme.example".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(generated.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![generated.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(socket) = acceptor.accept(socket).await else { return };
                let answer = |_: &str| -> Vec<Step> { reply("200 OK", "", b"safe") };
                serve(socket, &answer, &Mutex::default()).await;
            });
        }
    });
    (port, generated.cert.pem())
}

fn names() -> Names {
    Names::default()
        .with("shop.acme.example", &[&["127.0.0.1"]])
        .with("other.acme.example", &[&["127.0.0.1"]])
}

#[tokio::test]
async fn certificates_are_verified_against_name_and_roots() {
    let (port, pem) = start().await;
    let shop = format!("https://shop.acme.example:{port}/");
    let other = format!("https://other.acme.example:{port}/");
    let policy = policy(&["127.0.0.1/32"]);
    let trusting =
        Outbound::builder(policy.clone()).lookup(names()).roots_pem(pem.as_bytes()).build().unwrap();
    assert_eq!(trusting.get(&url(&shop), &[], &limits()).await.unwrap().body, "safe");
    assert_eq!(code_of(&trusting, &other).await, "tls");

    let strict = Outbound::builder(policy).lookup(names()).build().unwrap();
    let error = strict.get(&url(&shop), &[], &limits()).await.unwrap_err();
    assert_eq!(error.code(), "tls");
    assert!(error.to_string().starts_with("no secure connection to shop.acme.example: "), "{error}");
}

#[tokio::test]
async fn a_handshake_that_never_comes_runs_into_the_connect_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connect = Duration::from_millis(150);
    let limits = Limits { connect, ..limits() };
    let error = loopback().get(&url(&format!("https://{address}/")), &[], &limits).await.unwrap_err();
    let expected = OutboundError::Timeout { host: "127.0.0.1".into(), stage: Stage::Connect, limit: connect };
    assert_eq!(error, expected);
}
