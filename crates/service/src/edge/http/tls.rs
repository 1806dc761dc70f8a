//! HTTPS: the certificate and private key from PEM files, loaded again whenever the files change.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};
use sha2::{Digest, Sha256};
use tokio::{sync::watch, time::sleep};
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
    /// The certificate and the key do not match, or are of a kind that is not supported.
    #[error("certificate and private key cannot be used together")]
    Pair(#[source] rustls::Error),
}

/// The certificate that new connections are accepted with. Clones follow the same files.
#[derive(Clone)]
pub(crate) struct Tls {
    current: watch::Receiver<TlsAcceptor>,
}

/// The PEM files of a certificate and its key.
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// What the files contained at one moment: equal digests mean equal contents.
type FilesDigest = [u8; 32];

impl Tls {
    /// Reads the certificate and the key, and from then on looks for changes of the files at each interval.
    /// New connections use the new pair; a pair that cannot be used is logged, and the previous one stays in
    /// use. The checks end when all clones are gone.
    pub(crate) async fn load(certificate: &Path, key: &Path, interval: Duration) -> Result<Self, TlsError> {
        let files = Files { certificate: certificate.to_owned(), key: key.to_owned() };
        // Before the files are read: a change in between is then found at the first check.
        let digest = files.digest().await;
        let (sender, current) = watch::channel(files.acceptor()?);
        tokio::spawn(reload(files, digest, interval, sender));
        Ok(Self { current })
    }

    /// Returns what the next connection is accepted with.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.current.borrow().clone()
    }
}

async fn reload(files: Files, mut seen: FilesDigest, interval: Duration, sender: watch::Sender<TlsAcceptor>) {
    loop {
        tokio::select! {
            () = sleep(interval) => {}
            () = sender.closed() => return,
        }
        let digest = files.digest().await;
        if digest == seen {
            continue;
        }
        seen = digest;
        match files.acceptor() {
            Ok(acceptor) => {
                sender.send_replace(acceptor);
                tracing::info!(certificate = %files.certificate.display(), "the TLS certificate was reloaded");
            }
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "the changed TLS files cannot be used; the previous certificate stays in use"
            ),
        }
    }
}

impl Files {
    /// Returns a digest of both files; a file that cannot be read counts as one more content.
    async fn digest(&self) -> FilesDigest {
        let mut digest = Sha256::new();
        for path in [&self.certificate, &self.key] {
            let content = tokio::fs::read(path).await.ok().map(Sha256::digest);
            digest.update([u8::from(content.is_some())]);
            digest.update(content.unwrap_or_default());
        }
        digest.finalize().into()
    }

    /// Reads both files. Connections are then accepted with TLS 1.2 or 1.3.
    fn acceptor(&self) -> Result<TlsAcceptor, TlsError> {
        let unreadable = |source| TlsError::Certificate { path: self.certificate.clone(), source };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&self.certificate)
            .map_err(unreadable)?
            .collect::<Result<_, _>>()
            .map_err(unreadable)?;
        if chain.is_empty() {
            return Err(unreadable(pem::Error::NoItemsFound));
        }
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|source| TlsError::Key { path: self.key.clone(), source })?;
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

        let acceptor = |certificate: &str, key: &str| {
            Files { certificate: path(certificate), key: path(key) }.acceptor()
        };
        assert!(acceptor("certificate.pem", "key.pem").is_ok());
        for (certificate, key, expected) in [
            ("absent.pem", "key.pem", "absent.pem"),
            ("empty.pem", "key.pem", "empty.pem"),
            ("certificate.pem", "empty.pem", "empty.pem"),
            ("certificate.pem", "certificate.pem", "private key from"),
            ("certificate.pem", "other.pem", "cannot be used together"),
        ] {
            let error = acceptor(certificate, key).err().unwrap().to_string();
            assert!(error.contains(expected), "{certificate} {key}: {error}");
        }
    }
}
