//! Owns the set-up of HTTPS from PEM files.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};
use tokio_rustls::TlsAcceptor;

/// Why HTTPS cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificates cannot be read.
    #[error("cannot read certificates from {}; it must be a PEM file with the server's certificate first", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: pem::Error,
    },
    /// The private key cannot be read.
    #[error("cannot read a private key from {}; it must be an unencrypted PEM file", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: pem::Error,
    },
    /// Certificate and key do not go together, or are of a kind that is not supported.
    #[error("certificate and private key cannot be used together")]
    Pair(#[source] rustls::Error),
}

/// Reads certificate and key; connections are then accepted with TLS 1.2 or 1.3.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let unreadable = |source| TlsError::Certificate { path: certificate.to_owned(), source };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .map_err(unreadable)?
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    if chain.is_empty() {
        return Err(unreadable(pem::Error::NoItemsFound));
    }
    let key =
        PrivateKeyDer::from_pem_file(key).map_err(|source| TlsError::Key { path: key.to_owned(), source })?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Pair)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(TlsError::Pair)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(path("certificate.pem"), made.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        std::fs::write(path("other.pem"), other.signing_key.serialize_pem()).unwrap();
        std::fs::write(path("empty.pem"), "").unwrap();

        assert!(acceptor(&path("certificate.pem"), &path("key.pem")).is_ok());
        for (certificate, key, expected) in [
            ("absent.pem", "key.pem", "absent.pem"),
            ("empty.pem", "key.pem", "empty.pem"),
            ("certificate.pem", "empty.pem", "empty.pem"),
            ("certificate.pem", "certificate.pem", "private key from"),
            ("certificate.pem", "other.pem", "cannot be used together"),
        ] {
            let error = acceptor(&path(certificate), &path(key)).err().unwrap().to_string();
            assert!(error.contains(expected), "{certificate} {key}: {error}");
        }
    }
}
