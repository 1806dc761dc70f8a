//! The OpenAPI document of the interface, as this build embeds it.

/// The OpenAPI document of the interface, in JSON.
pub(super) const OPENAPI_JSON: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../generated/openapi.json"));

/// The same in YAML.
pub(super) const OPENAPI_YAML: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../generated/openapi.yaml"));
