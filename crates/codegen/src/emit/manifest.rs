//! Generated manifests, and the files of a vendored runtime.

use super::{Source, Text, client, features::WEBHOOKS, title};
use crate::{Layout, Options, RuntimeDependency, VendoredFile, ir::Api, package::Package};
use std::fmt::Write;

const EMITTER: &str = "crates/codegen/src/emit/manifest.rs";

/// The features of the runtime that convert values to types of other libraries.
const CONVERSIONS: [&str; 4] = ["chrono", "jiff", "rust_decimal", "time"];

/// The feature of clients that is on by default.
const TLS: &str = "rustls";

/// One generated crate, as its manifest describes it.
struct Crate<'a> {
    kind: &'a str,
    /// What it is of the interface: "Client of the …".
    noun: &'a str,
    categories: &'a [&'a str],
    features: String,
    /// Whether its docs have examples that `cargo test` compiles. Otherwise it would read the crate for
    /// nothing.
    has_examples: bool,
    /// Names and features; `MODEL` is the model of this document.
    dependencies: Vec<(&'a str, &'a str)>,
}

/// Returns the manifests, and the vendored runtime.
pub(super) fn emit<'a>(api: &Api, options: &Options, package: &Package) -> Vec<Source<'a>> {
    let runtime = options.runtime_package();
    // Receivers of events verify them.
    let verification = has_events(api).then(|| format!("{runtime}/{WEBHOOKS}"));
    let crates = [
        Crate {
            kind: "model",
            noun: "Types",
            categories: &["api-bindings", "data-structures"],
            features: format!(
                "\n[features]\n{}# What servers need: checks of request bodies, and constructors of answers.\nserver = [\"{runtime}/validate\"]\n{}",
                features(api, options, &Kind::Model),
                fixed(
                    api,
                    &CONVERSIONS.map(|name| (name, format!("\"{runtime}/{name}\""))),
                    "Conversions of times and decimal numbers to the types of these libraries."
                )
            ),
            has_examples: false,
            dependencies: vec![("RUNTIME", "")],
        },
        Crate {
            kind: "server",
            noun: "Server",
            categories: &["web-programming::http-server"],
            features: forwarding(api, options),
            has_examples: false,
            dependencies: vec![("MODEL", "server"), ("RUNTIME", "server")],
        },
        Crate {
            kind: "client",
            noun: "Client",
            categories: &["api-bindings", "web-programming::http-client"],
            features: format!(
                "\n[features]\n{}{}{}{}",
                features(api, options, &Kind::Client { verification }),
                fixed(
                    api,
                    &["rustls", "native-tls", "http2"].map(|name| (name, format!("\"{runtime}/{name}\""))),
                    "TLS by rustls, or by the library of the system; and HTTP/2."
                ),
                fixed(
                    api,
                    &[("test-util", format!("\"{}-model/server\", \"{runtime}/test-util\"", api.name))],
                    "For tests: constructors of responses, and a service that fakes single operations."
                ),
                fixed(
                    api,
                    &[("tracing", format!("\"{runtime}/tracing\""))],
                    "A span for each call, named as OpenTelemetry's conventions say."
                )
            ),
            has_examples: client::has_compiled_example(api),
            dependencies: vec![("MODEL", ""), ("RUNTIME", "client")],
        },
    ];
    let folders = options.crates.folders();
    let mut sources: Vec<Source<'a>> = crates
        .into_iter()
        .filter(|made| folders.contains(&made.kind))
        .map(|made| Source {
            path: format!("{}/Cargo.toml", made.kind),
            emitter: EMITTER,
            text: Text::Plain(manifest(api, options, package, &made)),
        })
        .collect();
    let mut members = folders;
    if let RuntimeDependency::Vendored(files) = &options.runtime {
        members.push("runtime");
        sources.extend(files.iter().map(|file| vendored(file, options, package)));
    }
    if options.layout == Layout::Own {
        members.sort_unstable();
        let members: Vec<String> = members.into_iter().map(quoted).collect();
        let text = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", "));
        sources.push(Source { path: "Cargo.toml".to_owned(), emitter: EMITTER, text: Text::Plain(text) });
    }
    sources
}

fn manifest(api: &Api, options: &Options, package: &Package, made: &Crate<'_>) -> String {
    let description = format!("{} of the {}", made.noun, package.title.as_deref().unwrap_or(title(api)));
    let mut text =
        format!("[package]\nname = \"{}-{}\"\ndescription = {}\n", api.name, made.kind, quoted(&description));
    if options.layout == Layout::Inherit {
        text.push_str(
            "version.workspace = true\nedition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n",
        );
    } else {
        if api.version != package.version && !api.version.is_empty() {
            let _ = writeln!(text, "# The document's version is {}.", quoted(&api.version));
        }
        text.push_str(&common(package));
        if let Some(license) = &package.license {
            let _ = writeln!(text, "license = {}", quoted(license));
        }
        text.push_str("readme = \"README.md\"\n");
        let categories = match &package.categories {
            Some(categories) => categories.iter().map(String::as_str).collect(),
            None => made.categories.to_vec(),
        };
        list(&mut text, "categories", &categories);
        if api.features {
            text.push_str("\n[package.metadata.docs.rs]\nall-features = true\n");
        }
    }
    // Without its path, a library whose source is deleted would keep cargo from loading the workspace, and so
    // from running the generator that restores it.
    text.push_str("\n[lib]\npath = \"src/lib.rs\"\n");
    text.push_str("# There are no tests in it. Without this line, `cargo test` would compile it a second time.\ntest = false\n");
    if !made.has_examples {
        text.push_str("doctest = false\n");
    }
    text.push_str(&made.features);
    text.push_str("\n[dependencies]\n");
    let mut lines: Vec<String> = made
        .dependencies
        .iter()
        .map(|(name, feature)| dependency(api, name, feature, options, package))
        .chain(further(options))
        .collect();
    lines.sort();
    text.extend(lines);
    text
}

/// The lines of `[package]` that all packages of a run have in common.
fn common(package: &Package) -> String {
    let mut text = format!(
        "version = {}\nedition = \"2024\"\nrust-version = {}\n",
        quoted(&package.version),
        quoted(&package.rust_version)
    );
    list(&mut text, "authors", &package.authors.iter().map(String::as_str).collect::<Vec<_>>());
    for (key, value) in [("repository", &package.repository), ("homepage", &package.homepage)] {
        if let Some(value) = value {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
    }
    list(&mut text, "keywords", &package.keywords.iter().map(String::as_str).collect::<Vec<_>>());
    if !package.publish {
        text.push_str("publish = false\n");
    }
    text
}

fn list(text: &mut String, key: &str, values: &[&str]) {
    if !values.is_empty() {
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        let _ = writeln!(text, "{key} = [{}]", values.join(", "));
    }
}

/// A file of the runtime, with the mark where its format has comments.
fn vendored<'a>(file: &VendoredFile, options: &Options, package: &Package) -> Source<'a> {
    let mark = format!(
        "{} by `{}`, a copy of the library that generated code calls; do not edit.",
        crate::fileset::GENERATED_MARK,
        options.command
    );
    let mut text = file.text.clone();
    if file.path == "Cargo.toml" {
        text = text.replace("{package}\n", &common(package));
    }
    let text = match file.path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => format!("// {mark}\n\n{text}"),
        Some("toml") => format!("# {mark}\n\n{text}"),
        Some("md") => format!("<!-- {mark} -->\n{text}"),
        _ => text,
    };
    Source { path: format!("runtime/{}", file.path), emitter: EMITTER, text: Text::Ready(text) }
}

/// A string of TOML, which knows the escapes of JSON and no others, and has one more character to be escaped.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// Which crate features are for.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Model,
    Server,
    Client {
        /// The feature of the runtime that events need, if the service sends any.
        verification: Option<String>,
    },
}

impl Kind {
    /// Those that are on by default whatever the document has.
    fn defaults(&self) -> Vec<&str> {
        match self {
            Self::Client { .. } => vec![TLS],
            Self::Model | Self::Server => Vec::new(),
        }
    }

    /// What a feature enables: that of the model with the same name, and this.
    fn enabled(&self, api: &Api, name: &str, further: Option<&String>) -> String {
        let of_model = (*self != Self::Model && api.features).then(|| format!("{}-model/{name}", api.name));
        let enabled: Vec<String> = of_model.iter().chain(further).map(|name| quoted(name)).collect();
        let key = if name.is_ascii() { name.to_owned() } else { quoted(name) };
        format!("{key} = [{}]\n", enabled.join(", "))
    }
}

fn has_events(api: &Api) -> bool {
    !api.webhooks.is_empty()
}

/// One feature a group and one for events, all of them on by default; no features of groups where the
/// document has none.
fn features(api: &Api, options: &Options, kind: &Kind) -> String {
    let verification = match kind {
        Kind::Client { verification } => verification.as_ref(),
        Kind::Model | Kind::Server => None,
    };
    let mut events = String::new();
    if has_events(api) && (api.features || verification.is_some()) {
        let enabled = kind.enabled(api, WEBHOOKS, verification);
        events = format!("# The events that the service sends.\n{enabled}");
    }
    let mut default = kind.defaults();
    if !api.features {
        if !events.is_empty() {
            default.push(WEBHOOKS);
        }
        let default: Vec<String> = default.into_iter().map(quoted).collect();
        let default =
            if default.is_empty() { String::new() } else { format!("default = [{}]\n", default.join(", ")) };
        return default + &events;
    }
    let names: Vec<String> = api.groups.iter().map(crate::ir::Group::feature).collect();
    let groups = match &options.default_features {
        Some(features) => features.iter().map(String::as_str).collect(),
        None => vec!["all"],
    };
    let default: Vec<String> = groups.into_iter().chain(default).map(quoted).collect();
    let default = default.join(", ");
    let mut text =
        format!("default = [{default}]\n# Every operation, every event, and schemas that neither reaches.\n");
    let with_events = names.iter().map(String::as_str).chain(has_events(api).then_some(WEBHOOKS));
    let mut all: Vec<String> = with_events.map(|name| format!("    {},\n", quoted(name))).collect();
    if *kind != Kind::Model {
        all.push(format!("    \"{}-model/all\",\n", api.name));
    }
    let _ =
        writeln!(text, "all = [\n{}]\n# The operations of one tag each, and what they need.", all.concat());
    text.extend(names.iter().map(|name| kind.enabled(api, name, None)));
    text + &events
}

/// Features that crates of every document have, unless a group has the name.
fn fixed(api: &Api, features: &[(&str, String)], comment: &str) -> String {
    let taken = |name: &str| api.features && api.groups.iter().any(|group| group.feature() == name);
    let lines: String = features
        .iter()
        .filter(|(name, _)| !taken(name))
        .map(|(name, enabled)| format!("{name} = [{enabled}]\n"))
        .collect();
    if lines.is_empty() { lines } else { format!("# {comment}\n{lines}") }
}

/// The features of a crate that passes them on to the model.
fn forwarding(api: &Api, options: &Options) -> String {
    let features = features(api, options, &Kind::Server);
    if features.is_empty() { features } else { format!("\n[features]\n{features}") }
}

/// A dependency of a generated crate on one that the generator knows.
fn dependency(api: &Api, name: &str, feature: &str, options: &Options, package: &Package) -> String {
    let key = match name {
        "MODEL" => format!("{}-model", api.name),
        "RUNTIME" => options.runtime_package(),
        name => name.to_owned(),
    };
    let inherited = options.layout == Layout::Inherit;
    let own = |folder: &str| format!("path = \"../{folder}\", version = \"={}\"", package.version);
    let mut keys = match (name, &options.runtime) {
        _ if inherited => "workspace = true".to_owned(),
        ("MODEL", _) => own("model"),
        ("RUNTIME", RuntimeDependency::Workspace) => "workspace = true".to_owned(),
        ("RUNTIME", RuntimeDependency::Vendored(_)) => own("runtime"),
        ("RUNTIME", RuntimeDependency::Path { path, .. }) => {
            format!("path = {}", quoted(&format!("../{path}")))
        }
        ("RUNTIME", RuntimeDependency::Version { version, .. }) => format!("version = {}", quoted(version)),
        _ => "version = \"1\"".to_owned(),
    };
    // A workspace states this where it names the model, and nowhere else.
    if api.features && name == "MODEL" && !inherited {
        keys.push_str(", default-features = false");
    }
    if !feature.is_empty() {
        let _ = write!(keys, ", features = [\"{feature}\"]");
    }
    match keys.as_str() {
        "workspace = true" => format!("{key}.workspace = true\n"),
        "version = \"1\"" => format!("{key} = \"1\"\n"),
        keys => format!("{key} = {{ {keys} }}\n"),
    }
}

/// The dependencies that the options ask for.
fn further(options: &Options) -> impl Iterator<Item = String> {
    options.dependencies.iter().map(|(name, dependency)| {
        let path = dependency.path.as_ref().map(|path| ("path".to_owned(), quoted(&format!("../{path}"))));
        let keys = path.into_iter().chain(dependency.keys.iter().cloned());
        let keys: Vec<String> = keys.map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{name} = {{ {} }}\n", keys.join(", "))
    })
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
