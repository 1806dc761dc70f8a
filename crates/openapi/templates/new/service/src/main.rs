//! Serves the contract on `127.0.0.1:8080`, or on the address in the variable `LISTEN`.

#![expect(clippy::print_stdout, reason = "it shows where it listens")]

use std::env;

use @snake@_server::OPERATIONS;
use @snake@_service::{Service, router};

use anyhow::{Context, Result};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<()> {
    let address = env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let listener =
        TcpListener::bind(&address).await.with_context(|| format!("`{address}` is not free; set LISTEN"))?;
    let address = listener.local_addr().context("the socket has no address")?;
    println!("Serving http://{address}; Ctrl-C stops the service\n");
    for operation in OPERATIONS {
        println!("  {:<7} {}", operation.method.as_str(), operation.path);
    }
    if let Some(operation) = OPERATIONS.iter().find(|operation| operation.method == "GET") {
        // The id of an item that `Service::default` has.
        let parts = operation.path.split('/').map(|part| if part.starts_with('{') { "lamp" } else { part });
        println!("\nTry:\n  curl -i 'http://{address}{}'\n", parts.collect::<Vec<_>>().join("/"));
    }
    let stopped = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    axum::serve(listener, router(Service::default())).with_graceful_shutdown(stopped).await?;
    Ok(())
}
