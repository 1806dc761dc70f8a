//! Sources of this repository's crates, as files that leave it under another name.
//!
//! - [`runtime`]: the library that generated code calls, with the patterns of schemas as a module, as one
//!   package that depends on nothing of this repository.
//! - [`generator`]: the crates of the commands, and those that they call, as members of another workspace.
//! - [`workspace_dependencies`]: the lines of a workspace's manifest that they need.
//!
//! The texts are embedded while this crate is built, so a program that contains it needs no checkout. Tests
//! are left out.

mod manifest;
mod source;

/// Paths and texts.
type Sources = &'static [(&'static str, &'static str)];

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// A file under its path within the package or the repository.
pub type File = (String, String);

/// Returns the files of the runtime as the package `NAME-runtime`; `name` is in kebab case.
///
/// In the manifest, the line `{package}` stands for version, edition and other metadata.
pub fn runtime(name: &str) -> Vec<File> {
    let mut files = vec![
        ("Cargo.toml".to_owned(), manifest::runtime(name)),
        ("README.md".to_owned(), source::renamed(README, name)),
    ];
    for (path, text) in RUNTIME.iter().filter(|(path, _)| *path != "Cargo.toml") {
        let text = match *path {
            "src/lib.rs" => source::with_patterns(text),
            _ => (*text).to_owned(),
        };
        files.push(((*path).to_owned(), vendored(&text, name)));
    }
    for (path, text) in PATTERN.iter().filter(|(path, _)| path.starts_with("src/")) {
        let path = match *path {
            "src/lib.rs" => "src/patterns.rs".to_owned(),
            path => path.replacen("src/", "src/patterns/", 1),
        };
        files.push((path, vendored(text, name)));
    }
    files.sort_unstable();
    files
}

/// Returns the files of the commands, the generator and the runtime as members of another workspace, in
/// `crates/`; `name` is the prefix of their packages in kebab case.
pub fn generator(name: &str) -> Vec<File> {
    let crates = [
        ("codegen", CODEGEN),
        ("commands", COMMANDS),
        ("contract", CONTRACT),
        ("disk", DISK),
        ("document", DOCUMENT),
        ("mock", MOCK),
        ("pattern", PATTERN),
        ("runtime", RUNTIME),
    ];
    let mut files = Vec::new();
    for (folder, sources) in crates {
        for (path, text) in sources {
            let text = match *path {
                "Cargo.toml" => source::renamed(&manifest::without_tests(text), name),
                _ if folder == "codegen" => {
                    let text = source::without_tests(text).replace("frontdesk_runtime", PLACEHOLDER);
                    source::renamed(&text, name)
                }
                _ => source::renamed(&source::without_tests(text), name),
            };
            files.push((format!("crates/{folder}/{path}"), text));
        }
        // Under another name, imports have another order; these files are not for editing.
        files.push((format!("crates/{folder}/rustfmt.toml"), "disable_all_formatting = true\n".to_owned()));
    }
    files
}

/// Returns the lines of `[workspace.dependencies]` for packages of registries that these manifests inherit,
/// and no others.
pub fn workspace_dependencies<'a>(manifests: impl Iterator<Item = &'a str>) -> String {
    manifest::inherited(manifests)
}

/// Returns a configuration file of this repository: `clippy.toml`, `rust-toolchain.toml`, `rustfmt.toml`, or
/// the lints of the workspace under `lints`.
pub fn configuration(path: &str) -> Option<String> {
    if path == "lints" {
        return Some(manifest::lints());
    }
    ROOT.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
}

/// A source of the runtime as its users get it.
fn vendored(text: &str, name: &str) -> String {
    // Patterns are a module of the vendored runtime; `pattern` is a macro there.
    let text = source::without_tests(text).replace("frontdesk_pattern::", "crate::patterns::");
    source::renamed(&text, name)
}

/// The runtime as emitters of the vendored generator name it, before its name in the output is filled in. It
/// is as long as the name here and has its place in any order, so that the layout of generated code is the
/// same.
const PLACEHOLDER: &str = "frontends_runtime";

const README: &str = "\
# frontdesk-runtime

The library that the generated crates call: types of fields that the standard library lacks, encoding and decoding, validation,
routing, and the transport of clients. It has no part that is specific to one interface. The generated crates re-export it as
`runtime`, so programs need not depend on it.

Licensed under MIT or Apache-2.0, at your option.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn text<'f>(files: &'f [File], path: &str) -> &'f str {
        &files.iter().find(|(known, _)| known == path).unwrap_or_else(|| panic!("no {path}")).1
    }

    #[test]
    fn a_vendored_runtime_names_only_its_user() {
        for (path, text) in runtime("pet-store").iter().chain(&generator("pet-store")) {
            assert!(!text.to_lowercase().contains("frontdesk"), "{path}:\n{text}");
            assert!(!text.contains("cfg(test)"), "{path}:\n{text}");
            assert!(!path.contains("tests"), "{path}");
        }
    }

    #[test]
    fn a_vendored_runtime_is_complete() {
        let files = runtime("pet-store");
        let manifest: toml::Table =
            text(&files, "Cargo.toml").replace("{package}", "").parse().expect("it is TOML");
        assert_eq!(manifest["package"]["name"].as_str(), Some("pet-store-runtime"));
        assert!(!text(&files, "Cargo.toml").contains("workspace"), "it inherits nothing");
        assert_eq!(manifest["dependencies"]["fancy-regex"]["optional"].as_bool(), Some(true));
        assert!(text(&files, "src/lib.rs").contains("pub mod patterns;"));
        assert!(text(&files, "src/check/pattern.rs").contains("crate::patterns::Pattern"));
        assert!(text(&files, "src/patterns.rs").contains("mod translate;"));
        for path in ["LICENSE-MIT", "LICENSE-APACHE", "src/patterns/translate.rs"] {
            assert!(!text(&files, path).is_empty());
        }
    }

    #[test]
    fn a_workspace_declares_what_its_members_inherit() {
        let files = generator("shop");
        let manifests = files.iter().filter(|(path, _)| path.ends_with("Cargo.toml"));
        let lines = workspace_dependencies(manifests.map(|(_, text)| text.as_str()));
        let table: toml::Table = lines.parse().expect("it is TOML");
        assert!(table.contains_key("syn") && table.contains_key("axum"), "{lines}");
        assert!(!table.contains_key("sqlx") && !table.contains_key("insta"), "{lines}");
    }
}
