//! Secrets: the pepper, API keys, and what is stored encrypted.
//!
//! - `pepper`: the secret that API keys are hashed with and secrets are encrypted with, and its rotation.
//! - `keys`: API keys as text, and their creation.
//! - `visitor_tokens`: tokens of the sessions of visitors as text.
//! - `passkeys`: challenges for passkeys, and what browsers respond.
//! - `second_factors`: secrets and codes of authenticator apps, and recovery codes.
//! - `encryption`: the cipher, and the identity secrets of domains; `of_channels`, `of_webhooks`: the secrets
//!   of channels and endpoints.

pub(crate) mod encryption;
pub(crate) mod keys;
pub(crate) mod of_channels;
pub(crate) mod of_webhooks;
pub(crate) mod passkeys;
pub(crate) mod passwords;
pub(crate) mod people_tokens;
pub(crate) mod pepper;
pub(crate) mod second_factors;
pub(crate) mod visitor_tokens;
