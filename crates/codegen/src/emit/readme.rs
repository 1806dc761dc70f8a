//! The READMEs of the output folder and of its crates, and the setting that keeps formatters off.

use super::{RUNTIME, client, model::Plain, overview, server, title};
use crate::{
    Layout, Options, RuntimeDependency,
    ir::{Api, Shape},
    package::Package,
    render::{Origin, RenderError},
};

/// What the README of a client says of TLS and HTTP/2.
const TRANSPORT: &str = "
TLS is rustls with the certificates of the system (the feature `rustls`, which is on by default), or the library of the
system with the feature `native-tls`. The feature `http2` adds HTTP/2. `http_client` of the builder takes a client of
reqwest with proxies, certificates or a connection pool of your own.
";

/// What the README of a client says of errors.
const ERRORS: &str = "
`ApiError` is one error for all operations, with the code, the message and the fields that a response states. `?`
converts the error of each operation to it.
";

/// What accompanies the crates.
pub(crate) fn accompanying(
    api: &Api,
    options: &Options,
    package: &Package,
) -> Result<Vec<(String, String)>, RenderError> {
    let mut files = vec![("README.md".to_owned(), overview_of_folder(api, options))];
    if !options.crates.model {
        return Ok(files);
    }
    files.push((
        "rustfmt.toml".to_owned(),
        "# The generator owns the layout of this folder.\ndisable_all_formatting = true\n".to_owned(),
    ));
    if options.layout == Layout::Inherit {
        return Ok(files);
    }
    let mut readme = |kind: &str, noun: &str, dependencies: String, example: Option<String>| {
        let mark = Origin::of(options).mark();
        let (name, title) = (&api.name, package.title.as_deref().unwrap_or(title(api)));
        let mut text =
            format!("<!-- {mark} -->\n# {name}-{kind}\n\n{noun} of the {title} {}.\n\n", api.version);
        text.push_str(&overview(api));
        text.push_str(&format!("```toml\n[dependencies]\n{dependencies}```\n"));
        if let Some(example) = example {
            text.push_str(&format!("\n```rust\n{example}```\n"));
        }
        if kind == "client" {
            text.push_str(ERRORS);
            if let Some(example) = client::error_example(api) {
                text.push_str(&format!("\n```rust\n{example}```\n"));
            }
            text.push_str(TRANSPORT);
        }
        if let Some(license) = &package.license {
            text.push_str(&format!("\nLicence: {license}\n"));
        }
        files.push((format!("{kind}/README.md"), text));
    };
    let own = |kind: &str| format!("{}-{kind} = \"{}\"\n", api.name, package.version);
    let tokio = |features: &str| format!("tokio = {{ version = \"1\", features = [{features}] }}\n");
    readme("model", "Types", format!("{}serde_json = \"1\"\n", own("model")), model_example(api));
    if options.crates.server {
        let dependencies = own("server") + &tokio("\"macros\", \"net\", \"rt-multi-thread\"");
        readme("server", "Server", dependencies, server::example(api)?);
    }
    if options.crates.client {
        let dependencies = own("client") + &tokio("\"macros\", \"rt-multi-thread\"");
        readme("client", "Client", dependencies, Some(client::program(api)));
    }
    Ok(files)
}

fn overview_of_folder(api: &Api, options: &Options) -> String {
    let (source, title, version, name) = (&api.source, &api.title, &api.version, &api.name);
    let mark = Origin::of(options).mark();
    let how = if options.names_emitters {
        "To change it, change the document, or the emitter that each\n\
         file's header names, and run the command in the header again."
    } else {
        "To change it, change the document or the options, and\n\
         run the command in the header of each file again."
    };
    let mut text = format!(
        "<!-- {mark} -->\n\
         # {title} {version}\n\n\
         Everything in this folder is made from `{source}`. {how}\n\n\
         | path | what it is |\n|---|---|\n",
    );
    if options.crates.model {
        text.push_str(&format!("| `model/` | `{name}-model`: types, operations and their errors |\n"));
    }
    if options.crates.server {
        text.push_str(&format!(
            "| `server/` | `{name}-server`: traits to implement, router, authenticator |\n"
        ));
    }
    if options.crates.client {
        text.push_str(&format!("| `client/` | `{name}-client`: one method per operation |\n"));
    }
    if options.javascript.is_some() {
        text.push_str("| `javascript/` | the client for JavaScript: one function per operation |\n");
    }
    if options.crates.model && matches!(options.runtime, RuntimeDependency::Vendored(_)) {
        text.push_str(&format!("| `runtime/` | `{name}-runtime`: the library that generated code calls |\n"));
    }
    text.push_str("| `openapi.yaml`, `openapi.json` | the document in one file |\n");
    if options.crates.model {
        text.push_str("| `rustfmt.toml` | keeps formatters off: the generator owns the layout |\n");
    }
    text
}

/// A value of the first type that operations answer with, read from JSON.
fn model_example(api: &Api) -> Option<String> {
    let plain = Plain::of(api);
    let (_, def) = api.types.iter().enumerate().find(|(index, def)| {
        matches!(def.shape, Shape::Struct(_))
            && def.usage.response
            && !def.deprecated
            && plain.is_plain(crate::ir::TypeId(*index))
    })?;
    let (model, name) = (super::model_crate(api), &def.name);
    let text = format!(
        "use {model}::{name};\n\n\
         fn read(text: &str) -> Result<{name}, serde_json::Error> {{\n    serde_json::from_str(text)\n}}\n"
    );
    Some(text.replace(RUNTIME, &format!("{model}::runtime")))
}
