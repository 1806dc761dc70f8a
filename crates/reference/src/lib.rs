//! The reference page: an OpenAPI document as files of HTML, script and style that need no network.
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
//! The page is drawn by [Scalar](https://github.com/scalar/scalar), a copy of which is in `vendor/scalar`. It knows nothing
//! of the keys that our documents have beside those of OpenAPI, so it is given a document in which `display` has said
//! in descriptions what they tell. Everything else of the document stays as it is.
//!
//! - `json`: JSON that keeps its order.
//! - `display`: the document as the page shows it.
//! - `assets`: the files beside the page.
//! - `page`: the page itself, and the policy that it is held to.

mod assets;
mod display;
mod json;
mod page;

pub use self::assets::{Asset, Content};
pub use self::page::{POLICY, Page, PageError, page};
