//! Generated files other than Rust: manifests and the README of the output folder.

use super::{Source, Text, title};
use crate::{RuntimeDependency, ir::Api};
use std::fmt::Write;

const EMITTER: &str = "crates/codegen/src/emit/manifest.rs";

/// Adds the manifests.
pub(super) fn emit(api: &Api, runtime: &RuntimeDependency, sources: &mut Vec<Source<'_>>) {
    // Receivers of events verify them.
    let client = if api.webhooks.is_empty() { "client" } else { "client\", \"webhooks" };
    let crates = [
        (
            "model",
            format!("Types of the {}", title(api)),
            format!(
                "\n[features]\n{}# What servers need: checks of request bodies, and constructors of answers.\nserver = [\"frontdesk-runtime/validate\"]\n",
                features(api, false)
            ),
            vec![("frontdesk-runtime", "")],
        ),
        (
            "server",
            format!("Server of the {}", title(api)),
            forwarding(api),
            vec![("MODEL", "server"), ("frontdesk-runtime", "server")],
        ),
        (
            "client",
            format!("Client of the {}", title(api)),
            forwarding(api),
            vec![("MODEL", ""), ("frontdesk-runtime", client), ("serde_json", "")],
        ),
    ];
    for (kind, description, features, dependencies) in crates {
        let mut text =
            format!("[package]\nname = \"{}-{kind}\"\ndescription = {}\n", api.name, quoted(&description));
        match runtime {
            RuntimeDependency::Workspace => text.push_str(
                "version.workspace = true\nedition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n",
            ),
            RuntimeDependency::Path(_) => text.push_str("version = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"1.95\"\npublish = false\n"),
        }
        // Without its path, a library whose source is deleted would keep cargo from loading the workspace, and so from
        // running the generator that restores it.
        text.push_str("\n[lib]\npath = \"src/lib.rs\"\n");
        text.push_str(&features);
        text.push_str("\n[dependencies]\n");
        let mut lines: Vec<String> =
            dependencies.iter().map(|(name, feature)| dependency(api, name, feature, runtime)).collect();
        lines.sort();
        text.extend(lines);
        sources.push(Source {
            path: format!("{kind}/Cargo.toml"),
            emitter: EMITTER,
            text: Text::Plain(text),
        });
    }
    if matches!(runtime, RuntimeDependency::Path(_)) {
        let text =
            "[workspace]\nresolver = \"3\"\nmembers = [\"client\", \"model\", \"server\"]\n".to_owned();
        sources.push(Source { path: "Cargo.toml".to_owned(), emitter: EMITTER, text: Text::Plain(text) });
    }
}

/// A string of TOML, which knows the escapes of JSON and no others, and has one more character to be escaped.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// One feature a group, all of them on by default; nothing where the document has none.
fn features(api: &Api, forward: bool) -> String {
    if !api.features {
        return String::new();
    }
    let names: Vec<String> = api.groups.iter().map(crate::ir::Group::feature).collect();
    let mut text =
        "default = [\"all\"]\n# Every operation, and schemas that no operation reaches.\n".to_owned();
    let mut all: Vec<String> = names.iter().map(|name| format!("    {},\n", quoted(name))).collect();
    if forward {
        all.push(format!("    \"{}-model/all\",\n", api.name));
    }
    let _ =
        writeln!(text, "all = [\n{}]\n# The operations of one tag each, and what they need.", all.concat());
    for name in names {
        let key = if name.is_ascii() { name.clone() } else { quoted(&name) };
        if forward {
            let _ = writeln!(text, "{key} = [{}]", quoted(&format!("{}-model/{name}", api.name)));
        } else {
            let _ = writeln!(text, "{key} = []");
        }
    }
    text
}

/// The features of a crate that passes them on to the model.
fn forwarding(api: &Api) -> String {
    let features = features(api, true);
    if features.is_empty() { features } else { format!("\n[features]\n{features}") }
}

fn dependency(api: &Api, name: &str, feature: &str, runtime: &RuntimeDependency) -> String {
    let package = if name == "MODEL" { format!("{}-model", api.name) } else { name.to_owned() };
    let mut keys = match (runtime, name) {
        (RuntimeDependency::Workspace, _) => "workspace = true".to_owned(),
        (RuntimeDependency::Path(_), "MODEL") => "path = \"../model\"".to_owned(),
        (RuntimeDependency::Path(path), "frontdesk-runtime") => format!("path = {:?}", format!("../{path}")),
        (RuntimeDependency::Path(_), _) if feature.is_empty() => return format!("{package} = \"1\"\n"),
        (RuntimeDependency::Path(_), _) => "version = \"1\"".to_owned(),
    };
    // A workspace states this where it names the model, and nowhere else.
    if api.features && name == "MODEL" && matches!(runtime, RuntimeDependency::Path(_)) {
        keys.push_str(", default-features = false");
    }
    if !feature.is_empty() {
        let _ = write!(keys, ", features = [\"{feature}\"]");
    }
    if keys == "workspace = true" {
        format!("{package}.workspace = true\n")
    } else {
        format!("{package} = {{ {keys} }}\n")
    }
}

/// What accompanies the crates: the README of the output folder, and the setting that keeps formatters off it.
pub(crate) fn accompanying(api: &Api) -> Vec<(&'static str, String)> {
    let readme = format!(
        "<!-- @generated by `cargo xtask codegen` from {source}; do not edit. -->\n\
         # {title} {version}\n\n\
         Everything in this folder is made from `{source}`. To change it, change the document, or the emitter that each\n\
         file's header names, and run the command in the header again.\n\n\
         | path | what it is |\n|---|---|\n\
         | `model/` | `{name}-model`: types, operations and their errors |\n\
         | `server/` | `{name}-server`: traits to implement, router, authenticator |\n\
         | `client/` | `{name}-client`: one method per operation |\n\
         | `openapi.yaml`, `openapi.json` | the document in one file |\n\
         | `rustfmt.toml` | keeps formatters off: the generator owns the layout |\n",
        source = api.source,
        title = api.title,
        version = api.version,
        name = api.name,
    );
    vec![
        ("README.md", readme),
        (
            "rustfmt.toml",
            "# The generator owns the layout of this folder.\ndisable_all_formatting = true\n".to_owned(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn every_text_is_a_string_of_a_manifest() {
        for text in
            ["plain", "größe", "\u{93e}", "\"\\/\u{8}\t\n\r", "\u{0}\u{1b}\u{7f}\u{85}\u{2028}\u{feff}😀"]
        {
            let line = format!("{} = {}", quoted(text), quoted(text));
            let table: toml::Table = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(table[text].as_str(), Some(text));
        }
    }
}
