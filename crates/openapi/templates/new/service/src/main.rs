//! Serves the contract on `127.0.0.1:8080`, or on the address in the variable `LISTEN`.

use std::env;

use @snake@_service::{Service, router};

use anyhow::{Context, Result};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<()> {
    let address = env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let listener =
        TcpListener::bind(&address).await.with_context(|| format!("`{address}` is not free; set LISTEN"))?;
    let stopped = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    axum::serve(listener, router(Service::default())).with_graceful_shutdown(stopped).await?;
    Ok(())
}
