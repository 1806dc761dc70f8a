//! The HTTP client of a generated client: TLS, HTTP/2 and redirects.

use super::BuildError;
use std::time::Duration;
#[cfg(all(feature = "rustls", not(target_arch = "wasm32")))]
use std::{error, sync::Arc};
use url::Url;

/// Returns the settings of the HTTP client that [`Builder`](super::Builder) makes, to extend them for
/// [`Builder::http_client`](super::Builder::http_client): proxies, a pool of connections, addresses of hosts.
///
/// It follows no redirects, which could forward credentials to another host. With the feature `rustls`, TLS
/// uses the cryptography provider that the process has installed, or else ring, and the certificates that the
/// system trusts; for other certificates, pass a configuration of rustls to `tls_backend_preconfigured`.
///
/// # Errors
///
/// [`BuildError::Engine`] if the certificates of the system cannot be used.
pub fn http_client_builder() -> Result<reqwest::ClientBuilder, BuildError> {
    // In a browser, its `fetch` sends the requests.
    #[cfg(target_arch = "wasm32")]
    return Ok(reqwest::Client::builder());
    #[cfg(not(target_arch = "wasm32"))]
    {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        #[cfg(feature = "rustls")]
        let client = client.tls_backend_preconfigured(tls().map_err(BuildError::Engine)?);
        Ok(client)
    }
}

#[cfg(all(feature = "rustls", not(target_arch = "wasm32")))]
fn tls() -> Result<rustls::ClientConfig, Box<dyn error::Error + Send + Sync>> {
    use rustls::{ClientConfig, crypto};
    use rustls_platform_verifier::BuilderVerifierExt;

    let installed = crypto::CryptoProvider::get_default().cloned();
    let provider = installed.unwrap_or_else(|| Arc::new(crypto::ring::default_provider()));
    let mut tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    // A configuration that reqwest did not make says itself which protocols it offers.
    if cfg!(feature = "http2") {
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    }
    Ok(tls)
}

pub(super) fn network(base_url: &Url, connect_timeout: Duration) -> Result<reqwest::Client, BuildError> {
    let has_tls = cfg!(any(feature = "rustls", feature = "native-tls", target_arch = "wasm32"));
    if base_url.scheme() == "https" && !has_tls {
        return Err(BuildError::NoTls);
    }
    let client = http_client_builder()?;
    #[cfg(not(target_arch = "wasm32"))]
    let client = client.connect_timeout(connect_timeout);
    #[cfg(target_arch = "wasm32")]
    let _ = connect_timeout;
    client.build().map_err(|error| BuildError::Engine(error.into()))
}

#[cfg(all(test, feature = "rustls"))]
mod tests {
    use super::http_client_builder;

    /// `reqwest::Client::builder().build()` panics in such a process.
    #[test]
    fn the_process_needs_no_cryptography_provider() {
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
        let client = http_client_builder().map(|client| client.no_proxy().build());
        assert!(matches!(client, Ok(Ok(_))), "{client:?}");
    }
}
