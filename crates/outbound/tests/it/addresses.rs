//! Hosts, addresses and ports that are refused before a byte is sent.

use frontdesk_outbound::{Outbound, OutboundError};

use crate::server::{Server, reply};
use crate::{Names, code_of, limits, loopback, policy, url};

#[tokio::test]
async fn without_an_allow_list_nothing_private_is_reached() {
    let server = Server::start(|_| reply("200 OK", "", b"secret")).await;
    let port = server.address.port();
    let outbound = Outbound::new(policy(&[])).unwrap();
    for target in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://127.255.255.254/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://127.0.0.1./",
        "http://127.0.0.1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://0/",
        "http://0.0.0.0/",
        "http://10.0.0.5/",
        "http://172.16.0.1/",
        "http://192.168.0.1/",
        "http://100.64.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/latest/meta-data/",
        "http://255.255.255.255/",
        "http://[::]/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:0:7f00:1::]/",
        "http://[fd00::1]/",
        "http://[fe80::1]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://[5f00::1]/",
        "https://127.0.0.1/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        "http://www.localhost/",
    ] {
        assert_eq!(code_of(&outbound, target).await, "blocked_address", "{target}");
    }
    for target in [format!("http://127.0.0.1:{port}/"), format!("http://localhost:{port}/")] {
        assert_eq!(code_of(&outbound, &target).await, "blocked_address", "{target}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn urls_that_cannot_be_requests_are_refused() {
    let outbound = loopback();
    for target in [
        "ftp://acme.example/",
        "file:///etc/passwd",
        "data:text/html,hello",
        "gopher://127.0.0.1/",
        "http://user@acme.example/",
        "http://user:password@acme.example/",
        "http://:password@acme.example/",
    ] {
        assert_eq!(code_of(&outbound, target).await, "bad_url", "{target}");
    }
}

#[tokio::test]
async fn the_allow_list_opens_its_network_on_every_port() {
    let server = Server::start(|_| reply("200 OK", "", b"hello")).await;
    let outbound = loopback();
    let port = server.address.port();
    for host in ["127.0.0.1", "0x7f.1"] {
        let fetched = outbound.get(&url(&format!("http://{host}:{port}/")), &[], &limits()).await.unwrap();
        assert_eq!(fetched.body, "hello");
    }
    for target in [format!("http://127.0.0.2:{port}/"), format!("http://[::1]:{port}/")] {
        assert_eq!(code_of(&outbound, &target).await, "blocked_address", "{target}");
    }
    let head = &server.requests()[0];
    assert!(head.contains("user-agent: Frontdesk-Test/1.0"), "{head}");
    assert!(!head.to_lowercase().contains("referer"), "{head}");
}

#[tokio::test]
async fn names_are_judged_by_all_their_addresses() {
    let server = Server::start(|_| reply("200 OK", "", b"hello")).await;
    let port = server.address.port();
    let names = Names::default()
        .with("docs.acme.example", &[&["127.0.0.1"]])
        .with("intranet.acme.example", &[&["10.0.0.5"]])
        .with("mixed.acme.example", &[&["127.0.0.1", "10.0.0.5"]])
        .with("public.acme.example", &[&["93.184.216.34"]])
        .with("gateway.acme.example", &[&["64:ff9b::a00:5"]])
        .with("empty.acme.example", &[&[]]);
    let outbound = Outbound::builder(policy(&["127.0.0.1/32"])).lookup(names).build().unwrap();

    let fetched =
        outbound.get(&url(&format!("http://docs.acme.example:{port}/")), &[], &limits()).await.unwrap();
    assert_eq!(fetched.final_url.host_str(), Some("docs.acme.example"));
    assert!(server.requests()[0].contains(&format!("host: docs.acme.example:{port}")));

    for (target, code) in [
        ("http://intranet.acme.example/", "blocked_address"),
        ("http://mixed.acme.example/", "blocked_address"),
        ("http://gateway.acme.example/", "blocked_address"),
        ("http://public.acme.example:6379/", "blocked_port"),
        ("http://93.184.216.34:22/", "blocked_port"),
        ("http://empty.acme.example/", "dns"),
        ("http://unknown.acme.example/", "dns"),
    ] {
        assert_eq!(code_of(&outbound, target).await, code, "{target}");
    }
    let error = outbound.get(&url("http://intranet.acme.example/?token=s3cret"), &[], &limits()).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "intranet.acme.example resolves to 10.0.0.5, a private address; only public addresses may be contacted"
    );
}

#[tokio::test]
async fn a_name_that_changes_its_answer_is_checked_again() {
    let server = Server::start(|_| reply("200 OK", "", b"hello")).await;
    let names = Names::default().with("rebind.example", &[&["127.0.0.1"], &["10.0.0.5"]]);
    let outbound = Outbound::builder(policy(&["127.0.0.1/32"])).lookup(names).build().unwrap();
    let target = format!("http://rebind.example:{}/", server.address.port());
    assert!(outbound.get(&url(&target), &[], &limits()).await.is_ok());
    assert_eq!(code_of(&outbound, &target).await, "blocked_address");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_system_resolver_is_checked_like_any_other() {
    let server = Server::start(|_| reply("200 OK", "", b"hello")).await;
    let target = format!("http://localhost:{}/", server.address.port());
    let opened = Outbound::new(policy(&["127.0.0.0/8", "::1/128"])).unwrap();
    assert_eq!(opened.get(&url(&target), &[], &limits()).await.unwrap().body, "hello");
    let other = Outbound::new(policy(&["10.0.0.0/8"])).unwrap();
    assert_eq!(code_of(&other, &target).await, "blocked_address");
}

#[tokio::test]
async fn without_an_allow_list_odd_ports_of_names_are_refused_without_a_lookup() {
    let outbound = Outbound::builder(policy(&[])).lookup(Names::default()).build().unwrap();
    assert_eq!(code_of(&outbound, "http://acme.example:8080/").await, "blocked_port");
    assert_eq!(code_of(&outbound, "https://acme.example:80/").await, "dns");
}

#[test]
fn bad_settings_are_reported_when_the_client_is_built() {
    let mut bad = policy(&[]);
    bad.user_agent = "two\r\nlines".into();
    assert!(matches!(Outbound::new(bad), Err(OutboundError::Setup { .. })));
    let no_certificate = Outbound::builder(policy(&[])).roots_pem(b"not a certificate").build();
    assert!(matches!(no_certificate, Err(OutboundError::Setup { .. })));
}
