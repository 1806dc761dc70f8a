//! `frontdesk health`: asks the service that runs on this machine whether it can do its work, for the health
//! check of a container.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::CliError;
use crate::config::Config;

/// The time for the whole request.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The maximum size of a response, which lists reasons.
const MAX_RESPONSE: u64 = 64 * 1024;

/// Requests `GET /ready` at the address on which a service with this configuration listens.
pub(super) async fn run(config: &Config) -> Result<(), CliError> {
    if config.http.tls_certificate.is_some() {
        return Err(CliError::Value {
            flag: "--tls-certificate",
            problem: "this check speaks plain HTTP; request `/ready` at the public address instead"
                .to_owned(),
        });
    }
    let address = local(config.listen);
    let response = match timeout(TIME_LIMIT, request(address)).await {
        Ok(response) => response,
        Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut)),
    };
    let response =
        response.map_err(|source| CliError::System { what: "the service does not respond", source })?;
    let status = match response.split_whitespace().nth(1) {
        Some(status) if response.starts_with("HTTP/") => status,
        _ => {
            return Err(CliError::Value {
                flag: "--listen",
                problem: format!(
                    "what responds at {address} does not speak plain HTTP; if it is the service with TLS, request `/ready` \
                     at the public address instead"
                ),
            });
        }
    };
    if status == "200" {
        return Ok(());
    }
    let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Err(CliError::NotReady { status: status.to_owned(), reasons: body.trim().to_owned() })
}

/// Returns an address of this machine at which a service that listens on an address is reached.
fn local(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

async fn request(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("GET /ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE).read_to_end(&mut response).await?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// Checks a service that responds with a text.
    async fn checked(response: &'static str) -> Result<(), CliError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let listen = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), listener.local_addr().unwrap().port());
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 1024];
            let length = stream.read(&mut request).await.unwrap();
            assert!(request[..length].starts_with(b"GET /ready HTTP/1.1\r\nHost: 127.0.0.1:"));
            stream.write_all(response.as_bytes()).await.unwrap();
        });
        let outcome = run(&Config { listen, ..Config::default() }).await;
        server.await.unwrap();
        outcome
    }

    #[tokio::test]
    async fn a_service_that_is_ready_passes() {
        assert!(checked("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.is_ok());
    }

    #[tokio::test]
    async fn the_reasons_of_another_one_are_reported() {
        let error =
            checked("HTTP/1.1 503 Service Unavailable\r\n\r\n{\"reasons\":[\"disk\"]}").await.unwrap_err();
        assert_eq!(error.to_string(), "the service is not ready: status 503, {\"reasons\":[\"disk\"]}");
    }

    #[tokio::test]
    async fn a_port_with_tls_is_told_from_a_service_that_is_not_ready() {
        for response in ["", "\x15\x03\x03\0\x02\x02\x32"] {
            let error = checked(response).await.unwrap_err();
            assert!(error.to_string().contains("does not speak plain HTTP"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_service_that_does_not_run_fails() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let listen = listener.local_addr().unwrap();
        drop(listener);
        let error = run(&Config { listen, ..Config::default() }).await.unwrap_err();
        assert_eq!(error.to_string(), "the service does not respond");
    }
}
