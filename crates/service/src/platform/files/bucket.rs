//! The storage of uploaded files in a bucket of a service with the interface of Amazon S3.

use std::{sync::Arc, time::Duration};

use object_store::{ClientOptions, ObjectStore, RetryConfig, aws::AmazonS3Builder};

use crate::platform::config::S3;

/// Time limit of one request: that of 25 MB over a line of two megabits a second.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Time limit of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a request is repeated, and for how long at most: a visitor or an owner waits for it.
const RETRIES: usize = 3;
const RETRY_TIMEOUT: Duration = Duration::from_secs(40);

/// Returns the bucket, without a request.
pub(super) fn open(s3: &S3) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    // The client of this library takes the provider of the process. One that is installed already stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let options = ClientOptions::new().with_timeout(TIMEOUT).with_connect_timeout(CONNECT_TIMEOUT);
    let retry = RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_TIMEOUT, ..RetryConfig::default() };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(s3.bucket.clone().unwrap_or_default())
        .with_region(&s3.region)
        .with_access_key_id(s3.access_key_id.clone().unwrap_or_default())
        .with_secret_access_key(
            s3.secret_access_key.as_ref().map(|secret| secret.expose().clone()).unwrap_or_default(),
        )
        .with_client_options(options)
        .with_retry(retry);
    if let Some(endpoint) = &s3.endpoint {
        // The operator chooses the address, so plain HTTP is a decision of theirs, for a service on the same
        // network.
        builder = builder
            .with_allow_http(endpoint.scheme() == "http")
            .with_endpoint(endpoint.as_str().trim_end_matches('/'));
    }
    Ok(Arc::new(builder.build()?))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bytes::Bytes;
    use frontdesk_store::Redacted;
    use uuid::Uuid;

    use crate::platform::{config::Config, files::FileStorage};

    /// Returns the storage in the bucket `frontdesk` of the service at `FRONTDESK_TEST_S3_URL`, or says that
    /// the test is skipped.
    fn storage(secret: &str) -> Option<FileStorage> {
        let Ok(url) = std::env::var("FRONTDESK_TEST_S3_URL") else {
            // Straight to the stream, which the test harness does not capture.
            writeln!(std::io::stderr(), "skipped: files in a bucket (FRONTDESK_TEST_S3_URL is not set)")
                .unwrap();
            return None;
        };
        let mut config = Config::default();
        config.files.s3.bucket = Some("frontdesk".to_owned());
        config.files.s3.endpoint = Some(url.parse().unwrap());
        config.files.s3.access_key_id = Some("test".to_owned());
        config.files.s3.secret_access_key = Some(Redacted::new(secret.to_owned()));
        Some(FileStorage::open(&config))
    }

    #[tokio::test]
    async fn objects_are_kept_in_a_bucket_until_they_are_deleted() {
        let Some(storage) = storage("secret") else { return };
        let key = FileStorage::key(Uuid::nil(), Uuid::nil(), Uuid::now_v7());
        assert_eq!(storage.get(&key).await.unwrap(), None);
        storage.put(&key, Bytes::from_static(b"text")).await.unwrap();
        assert_eq!(storage.get(&key).await.unwrap(), Some(Bytes::from_static(b"text")));
        storage.put(&key, Bytes::new()).await.unwrap();
        assert_eq!(storage.get(&key).await.unwrap(), Some(Bytes::new()));
        storage.delete(&key).await.unwrap();
        storage.delete(&key).await.unwrap();
        assert_eq!(storage.get(&key).await.unwrap(), None);
    }

    #[tokio::test]
    async fn secrets_are_not_shown() {
        let mut config = Config::default();
        config.files.s3.bucket = Some("frontdesk".to_owned());
        config.files.s3.endpoint = Some("http://127.0.0.1:9".parse().unwrap());
        config.files.s3.access_key_id = Some("test".to_owned());
        config.files.s3.secret_access_key = Some(Redacted::new("hunter2".to_owned()));
        let storage = FileStorage::open(&config);
        let error = storage.put("a/b", Bytes::new()).await.unwrap_err();
        assert!(!format!("{error} {error:?} {storage:?}").contains("hunter2"));
    }
}
