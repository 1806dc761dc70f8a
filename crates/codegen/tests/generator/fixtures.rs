//! Fixtures: reading their folders, and updating their expected output.

use std::path::{Path, PathBuf};

use frontdesk_codegen::fileset::{MemoryDisk, Plan, State};
use frontdesk_codegen::{Generated, Options, generate};
use frontdesk_document::{Document, MemoryLoader};

/// Renews what fixtures expect in place of comparing with it.
pub(crate) const BLESS: &str = "FRONTDESK_BLESS=1 cargo test -p frontdesk-codegen --test generator";

/// Whether [`BLESS`] was run.
pub(crate) fn blessing() -> bool {
    std::env::var_os("FRONTDESK_BLESS").is_some()
}

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate is two folders deep")
        .to_owned()
}

/// The folder of all fixtures.
pub(crate) fn root() -> PathBuf {
    workspace().join("tests/fixtures")
}

/// The names of the folders in a folder, in order.
pub(crate) fn folders(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

/// Every file below a folder: its path with `/` between the parts, and its text.
pub(crate) fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, folder)) = open.pop() {
        for entry in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                open.push((format!("{path}/"), entry.path()));
            } else {
                let text = fs_err::read_to_string(entry.path()).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort_unstable();
    found
}

/// The documents of a folder, under their paths relative to it.
pub(crate) fn loader(folder: &Path) -> MemoryLoader {
    files(folder).into_iter().filter(|(path, _)| is_document(path)).collect()
}

fn is_document(path: &str) -> bool {
    !path.contains('/') && matches!(path.rsplit('.').next(), Some("yaml" | "json"))
}

/// Crates of this name, as members of this workspace.
pub(crate) fn options(name: &str, source: &str) -> Options {
    Options::of_workspace(name, source)
}

/// A document of one file, which the reader takes.
pub(crate) fn document(text: &str) -> Document {
    read("openapi.yaml", &MemoryLoader::new().with("openapi.yaml", text))
}

/// A document that the reader takes.
pub(crate) fn read(path: &str, loader: &MemoryLoader) -> Document {
    let (document, diagnostics) = Document::read(path, loader);
    document.unwrap_or_else(|| panic!("{}", diagnostics.render(diagnostics.sources(), false)))
}

/// What is made of a document that the generator takes.
pub(crate) fn generated(document: &Document, options: &Options) -> Generated {
    generate(document, options).unwrap_or_else(|error| panic!("{error}\n{error:?}"))
}

/// A folder as a plan sees it. Writing to it changes nothing on the disk.
pub(crate) fn view(folder: &Path) -> MemoryDisk {
    let files = if folder.exists() { files(folder) } else { Vec::new() };
    files.into_iter().fold(MemoryDisk::new(), |disk, (path, text)| disk.with(path, text))
}

/// Makes a folder what the plan says.
pub(crate) fn write(plan: &Plan, folder: &Path) {
    for entry in plan.entries() {
        let place = folder.join(&entry.path);
        match &entry.state {
            State::Fresh => {}
            State::Stale { text, .. } | State::Missing { text } => {
                fs_err::create_dir_all(place.parent().unwrap()).unwrap();
                fs_err::write(place, text).unwrap();
            }
            State::Orphan => fs_err::remove_file(place).unwrap(),
        }
    }
}
