//! The backends: one for each language that packages are generated in, and the stages that each adds to those
//! that all of them share.
//!
//! | backend | names | emitters | text | in the output |
//! |---|---|---|---|---|
//! | all | `lower`: ids, wire names and labels of the document | | | `openapi.yaml`, `openapi.json`, `README.md` |
//! | `rust` | `lower`, in the IR | `emit/model`, `emit/server`, `emit/client` | `render`: tokens | `model`, `server`, `client`, `runtime` |
//! | `javascript` | `emit/javascript/names` | `emit/javascript` | `emit/javascript/text` | `javascript` |
//!
//! A backend reads the IR and nothing else of the document. What it needs to know of the document that the IR
//! does not say is added to the IR, as the document writes it.

use crate::{Layout, Options, RuntimeDependency, emit, ir::Api, package::Package, render::RenderError};

/// Paths below the output folder, and texts.
type Files = Vec<(String, String)>;

/// A language that packages are generated in.
pub(crate) struct Backend {
    /// Whether a run has it.
    pub(crate) is_chosen: fn(&Options) -> bool,
    /// Its places below the output folder, with these options.
    pub(crate) places: fn(&Options) -> Vec<&'static str>,
    /// All places that it has with some options.
    pub(crate) possible_places: &'static [&'static str],
    /// Its files, in a fixed order.
    pub(crate) emit: fn(&Api, &Options, &Package) -> Result<Files, RenderError>,
}

/// Every backend.
pub(crate) const BACKENDS: [Backend; 2] = [
    Backend {
        is_chosen: |options| options.crates.model,
        places: rust_places,
        possible_places: &["model", "server", "client", "runtime", "Cargo.toml"],
        emit: emit::emit,
    },
    Backend {
        is_chosen: |options| options.javascript.is_some(),
        places: |_| vec![emit::javascript::FOLDER],
        possible_places: &[emit::javascript::FOLDER],
        emit: |api, options, package| Ok(emit::javascript::emit(api, options, package)),
    },
];

fn rust_places(options: &Options) -> Vec<&'static str> {
    let mut places = options.crates.folders();
    places.push("rustfmt.toml");
    if matches!(options.runtime, RuntimeDependency::Vendored(_)) {
        places.push("runtime");
    }
    if options.layout == Layout::Own {
        places.push("Cargo.toml");
    }
    places
}
