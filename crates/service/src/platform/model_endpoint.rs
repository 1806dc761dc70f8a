//! [`ModelEndpoint`]: an OpenAI-compatible endpoint with an outbound client of its own.

use frontdesk_assistant::ApiKey;
use frontdesk_outbound::{Fetched, Form, Limits, Outbound, OutboundError, Policy};
use frontdesk_store::Redacted;
use http::{
    HeaderName, HeaderValue,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use ipnet::IpNet;
use serde_json::Value;
use url::Url;

/// Why the endpoint of a model cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelEndpointError {
    /// The API key cannot be sent in a header.
    #[error("`{setting}` has characters that an HTTP header cannot carry; check that it was copied whole")]
    Key {
        /// The setting with the key.
        setting: &'static str,
    },
    /// The client for its requests cannot be created.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
}

/// One operation of an OpenAI-compatible endpoint.
#[derive(Debug)]
pub(crate) struct ModelEndpoint {
    url: Url,
    api_key: Option<ApiKey>,
    outbound: Outbound,
}

impl ModelEndpoint {
    /// Returns the operation at `path` below the base URL, without a request. Its client reaches public
    /// addresses on the port of the base URL, and the allowed networks.
    pub(crate) fn open(
        base: &Url,
        path: &[&str],
        allow_networks: &[IpNet],
        api_key: Option<ApiKey>,
    ) -> Result<Self, OutboundError> {
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        Ok(Self { url, api_key, outbound: outbound(Some(base), allow_networks)? })
    }

    /// Posts JSON, and returns the response of any status.
    pub(crate) async fn post_json(&self, body: &Value, limits: &Limits) -> Result<Fetched, OutboundError> {
        let headers: Vec<_> = self.authorization().collect();
        self.outbound.post_json(&self.url, &headers, body, limits).await
    }

    /// Posts a form, and returns the response of any status.
    pub(crate) async fn post_form(&self, form: Form, limits: &Limits) -> Result<Fetched, OutboundError> {
        let mut headers = vec![(CONTENT_TYPE, form.content_type)];
        headers.extend(self.authorization());
        self.outbound.post_and_read(&self.url, &headers, form.body, limits).await
    }

    fn authorization(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        self.api_key.iter().map(|key| (AUTHORIZATION, key.bearer()))
    }
}

/// Returns the outbound client of a model or a search engine. Each has its own, so that networks opened for
/// it stay closed to the crawler and to the others.
pub(crate) fn outbound(base: Option<&Url>, allow_networks: &[IpNet]) -> Result<Outbound, OutboundError> {
    Outbound::new(Policy {
        allow: allow_networks.to_vec(),
        ports: base.and_then(Url::port_or_known_default).into_iter().collect(),
        ..Policy::new(concat!("Frontdesk/", env!("CARGO_PKG_VERSION")))
    })
}

/// Returns the API key that `setting` has, if it is set.
pub(crate) fn api_key(
    key: Option<&Redacted<String>>,
    setting: &'static str,
) -> Result<Option<ApiKey>, ModelEndpointError> {
    key.map(|key| ApiKey::new(key.expose()).ok_or(ModelEndpointError::Key { setting })).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operation_lies_below_the_base_url() {
        for (base, expected) in [
            ("https://api.example/v1", "https://api.example/v1/audio/transcriptions"),
            ("https://api.example/v1/", "https://api.example/v1/audio/transcriptions"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/audio/transcriptions"),
            ("https://x.example/a?api-version=2", "https://x.example/a/audio/transcriptions?api-version=2"),
        ] {
            let endpoint =
                ModelEndpoint::open(&base.parse().unwrap(), &["audio", "transcriptions"], &[], None).unwrap();
            assert_eq!(endpoint.url.as_str(), expected);
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = api_key(Some(&Redacted::new("sk-s3cret".to_owned())), "files.vision.api_key").unwrap();
        let base = "https://api.example/v1".parse().unwrap();
        let endpoint = ModelEndpoint::open(&base, &["chat"], &[], key).unwrap();
        assert!(!format!("{endpoint:?} {endpoint:#?}").contains("s3cret"));
        let error =
            api_key(Some(&Redacted::new("sk-s3cret\n".to_owned())), "files.vision.api_key").unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("files.vision.api_key") && !shown.contains("s3cret"), "{shown}");
    }
}
