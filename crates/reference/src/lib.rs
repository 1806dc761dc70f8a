//! The reference page: an OpenAPI document as HTML, script and style files that need no network.
//!
//! ```
//! let document = r#"{
//!     "openapi": "3.0.3",
//!     "info": {"title": "Pets", "version": "1.0.0"},
//!     "paths": {"/pets": {"get": {"x-provenance": "given", "responses": {"204": {"description": "None."}}}}}
//! }"#;
//! let page = frontdesk_reference::page(document)?;
//! assert!(page.html.starts_with("<!doctype html>") && page.html.contains("<title>Pets 1.0.0</title>"));
//! assert!(page.assets.iter().all(|asset| page.html.contains(asset.path)));
//! # Ok::<(), frontdesk_reference::PageError>(())
//! ```
//!
//! [Scalar](https://github.com/scalar/scalar), of which `vendor/scalar` holds a copy, renders the page. It
//! does not know the extension keys of our documents. Therefore it receives a display document, in whose
//! descriptions `display` has added what these keys mean. Everything else of the document is unchanged.
//!
//! - `json`: JSON that keeps its order.
//! - `display`: the display document.
//! - `policy`: the access policy of an operation in words.
//! - `assets`: the files that the page loads.
//! - `page`: the page and its Content-Security-Policy.

mod assets;
mod display;
mod json;
mod page;
mod policy;

pub use self::assets::{Asset, Content};
pub use self::page::{POLICY, Page, PageError, page};
