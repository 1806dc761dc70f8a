//! `new`: lays out a new repository of this shape.
//!
//! The generator is part of the new repository, under its name, because it is published nowhere: an empty
//! folder and the registry of crates are all that the build needs. `--generator` refers to it elsewhere
//! instead.

use std::env;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use frontdesk_codegen::{Layout, Options, RuntimeDependency, generate};
use frontdesk_disk::{Folder, canonical, relative, slashed};
use frontdesk_document::{Document, MemoryLoader};
use frontdesk_vendored as vendored;
use fs_err as fs;

use crate::command_line::{GeneratorSource, NewArguments};
use frontdesk_commands::command_line::crate_name;
use frontdesk_commands::{Exit, terminal};

const SPEC: &str = "spec/v1/openapi.yaml";

/// The crates that a new repository refers to if it does not contain the generator.
const TOOLS: [&str; 2] = ["commands", "runtime"];

/// The crates of the generator in a new repository that contains it.
const CRATES: [&str; 8] =
    ["codegen", "commands", "contract", "disk", "document", "mock", "pattern", "runtime"];

/// The prefix of the crates of a generator that is elsewhere.
const TOOL: &str = "frontdesk";

/// The files that are written for every repository, with their paths.
const TEMPLATES: [(&str, &str); 14] = [
    (".cargo/config.toml", include_str!("../templates/new/cargo-config.toml")),
    (".github/workflows/ci.yml", include_str!("../templates/new/ci.yml")),
    (".gitignore", include_str!("../templates/new/gitignore")),
    ("CHANGELOG.md", include_str!("../templates/new/CHANGELOG.md")),
    ("Cargo.toml", include_str!("../templates/new/Cargo.toml.template")),
    ("README.md", include_str!("../templates/new/README.md")),
    ("crates/service/Cargo.toml", include_str!("../templates/new/service/Cargo.toml.template")),
    ("crates/service/src/api.rs", include_str!("../templates/new/service/src/api.rs")),
    ("crates/service/src/lib.rs", include_str!("../templates/new/service/src/lib.rs")),
    ("crates/service/src/main.rs", include_str!("../templates/new/service/src/main.rs")),
    ("crates/service/tests/contract.rs", include_str!("../templates/new/service/tests/contract.rs")),
    (SPEC, include_str!("../templates/new/spec/openapi.yaml")),
    ("xtask/Cargo.toml", include_str!("../templates/new/xtask/Cargo.toml.template")),
    ("xtask/src/main.rs", include_str!("../templates/new/xtask/src/main.rs")),
];

/// Lays out the repository in a folder that is empty or does not exist, and reports what to do next.
pub fn run(arguments: &NewArguments) -> Result<Exit> {
    let folder = slashed(&arguments.folder);
    let place = canonical(&env::current_dir()?.join(&arguments.folder))?;
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => name_of(&place).with_context(|| {
            format!("the name of the folder `{folder}` cannot be that of crates; give one with `--name`, in kebab case")
        })?,
    };
    if place.exists() {
        let mut entries =
            fs::read_dir(&place).with_context(|| format!("`{folder}` is not a folder that can be read"))?;
        let used = entries.find(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name() != ".git"));
        ensure!(used.is_none(), "`{folder}` is not empty; choose another folder");
    }
    let generator = match &arguments.generator {
        GeneratorSource::Path(path) => {
            let checkout = canonical(&env::current_dir()?.join(path))?;
            ensure!(
                checkout.join("crates/codegen").is_dir(),
                "`{path}` is not a checkout with the generator in `crates/codegen`"
            );
            GeneratorSource::Path(relative(&place, &checkout))
        }
        other => other.clone(),
    };
    let files = files(&name, &generator)?;
    let texts: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Folder::new(&place)
        .write(&texts)
        .map_err(|(path, error)| anyhow!(error).context(format!("failed to write `{folder}/{path}`")))?;
    terminal::say(&format!(
        "     Created {folder} ({} files)\n\nhint: `cd {folder}`, then `cargo xtask serve` or `cargo test`; the first build takes a few minutes\n",
        files.len()
    ))?;
    Ok(Exit::Done)
}

/// Returns the name of the repository in a folder, if crates can have it as a prefix.
fn name_of(place: &Path) -> Option<String> {
    let name = place.file_name()?.to_str()?;
    crate_name(name).ok()
}

/// Returns the files of the repository, with their paths.
fn files(name: &str, generator: &GeneratorSource) -> Result<Vec<(String, String)>> {
    let tool = match generator {
        GeneratorSource::Vendored => name,
        _ => TOOL,
    };
    let mut files: Vec<(String, String)> =
        TEMPLATES.iter().map(|(path, text)| ((*path).to_owned(), named(text, name, tool))).collect();
    for path in ["rust-toolchain.toml", "rustfmt.toml", "clippy.toml"] {
        files.extend(vendored::configuration(path).map(|text| (path.to_owned(), text)));
    }
    if *generator == GeneratorSource::Vendored {
        files.extend(vendored::generator(name));
    }
    let generated = generated(name, tool, &files)?;
    files.extend(generated);
    complete(&mut files, tool, generator);
    Ok(files)
}

/// Fills in the names: `@name@` is that of the repository, `@tool@` that of the generator's crates.
fn named(text: &str, name: &str, tool: &str) -> String {
    text.replace("@name@", name)
        .replace("@snake@", &name.replace('-', "_"))
        .replace("@tool@", tool)
        .replace("@tool_snake@", &tool.replace('-', "_"))
}

/// Returns the crates generated from the contract: what `cargo xtask codegen` writes in the new repository.
fn generated(name: &str, tool: &str, files: &[(String, String)]) -> Result<Vec<(String, String)>> {
    let text = files.iter().find(|(path, _)| path == SPEC).map(|(_, text)| text.clone());
    let loader = MemoryLoader::new().with(SPEC, text.context("there is a contract")?);
    let (document, problems) = Document::read(SPEC, &loader);
    let document = document.with_context(|| problems.render(problems.sources(), false))?;
    let mut options = Options::of_workspace(name, SPEC);
    debug_assert!(options.layout == Layout::Inherit, "the crates inherit their dependencies");
    options.runtime =
        RuntimeDependency::Version { version: "*".to_owned(), package: format!("{tool}-runtime") };
    let generated = generate(&document, &options)?;
    let files = generated.files.into_iter();
    Ok(files.map(|(path, text)| (format!("generated/{path}"), text)).collect())
}

/// Fills in the dependencies of the root manifest on other packages.
fn complete(files: &mut [(String, String)], tool: &str, generator: &GeneratorSource) {
    let own = match generator {
        GeneratorSource::Vendored => {
            CRATES.map(|folder| format!("{tool}-{folder} = {{ path = \"crates/{folder}\" }}")).to_vec()
        }
        other => TOOLS.map(|folder| format!("{tool}-{folder} = {}", other.dependency(folder))).to_vec(),
    };
    let manifests = files.iter().filter(|(path, _)| path.ends_with("Cargo.toml"));
    let packages = vendored::workspace_dependencies(manifests.map(|(_, text)| text.as_str()));
    let lints = vendored::configuration("lints").unwrap_or_default();
    for (path, text) in files {
        if path == "Cargo.toml" {
            *text = text
                .replace("@generator@", &own.join("\n"))
                .replace("@packages@", packages.trim_end())
                .replace("@lints@", &format!("\n{}", lints.trim_end()));
        }
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_commands::codegen::Target;
    use frontdesk_commands::{Program, Repository};

    use super::*;

    #[test]
    fn a_new_repository_names_only_itself() {
        for (path, text) in files("pet-store", &GeneratorSource::Vendored).expect("the files") {
            assert!(!text.to_lowercase().contains("frontdesk"), "{path}");
            assert!(!text.contains(env!("CARGO_MANIFEST_DIR")), "{path}");
            assert!(!text.contains("@name@") && !text.contains("@tool"), "{path}");
            if Path::new(&path).extension().is_some_and(|ending| ending == "toml") {
                assert!(text.parse::<toml::Table>().is_ok(), "{path}:\n{text}");
            }
        }
    }

    /// The program of the new repository has the settings of [`Repository::new`].
    #[test]
    fn the_generated_crates_are_what_the_new_repository_generates() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Generated code names the runtime of the generator that makes it: here that of this one.
        let source = GeneratorSource::Git("https://example.com/tool.git".to_owned());
        let files = files("shop", &source).expect("the files");
        let texts: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Folder::new(folder.path()).write(&texts).expect("they can be written");
        let root = folder.path().canonicalize().expect("it exists");
        let repository = Some(Repository::new(root, "shop"));
        let program = Program { command: "cargo xtask", repository, runtime: None };
        let target = Target::of_repository(&program).expect("the contract is there");
        assert!(target.is_fresh().expect("the crates can be read"));
    }

    #[test]
    fn the_generator_may_be_elsewhere() {
        let source = GeneratorSource::Git("https://example.com/tool.git".to_owned());
        let files = files("shop", &source).expect("the files");
        let text = |path: &str| &files.iter().find(|(known, _)| known == path).expect("it is there").1;
        assert!(
            text("Cargo.toml").contains("frontdesk-commands = { git = \"https://example.com/tool.git\" }"),
            "{}",
            text("Cargo.toml")
        );
        assert!(text("generated/model/Cargo.toml").contains("frontdesk-runtime.workspace = true"));
        assert!(!files.iter().any(|(path, _)| path.starts_with("crates/codegen")));
    }

    #[test]
    fn the_name_is_that_of_the_folder() {
        assert_eq!(name_of(Path::new("/home/me/pet-store")).as_deref(), Some("pet-store"));
        for unfit in ["/home/me/Pet Store", "/home/me/2pets", "/"] {
            assert_eq!(name_of(Path::new(unfit)), None, "{unfit}");
        }
    }
}
