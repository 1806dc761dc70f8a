//! Lists the files that [`frontdesk_web`](src/lib.rs) embeds: the entries, and every module that they import.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The files that pages name, as paths below `/web/HASH/`.
const ENTRIES: [&str; 3] = ["widget/panel.js", "widget/panel.css", "vendor/lit/LICENSE"];

/// Where the modules below this path are: the client of the interface, as it is generated.
const CLIENT: &str = "client/";
const GENERATED: &str = "generated/javascript";

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let workspace = own.join("../..").canonicalize()?;
    let mut files = BTreeSet::new();
    for entry in ENTRIES {
        collect(&own, &workspace, entry, true, &mut files)?;
    }
    let mut preloaded = BTreeSet::new();
    collect(&own, &workspace, ENTRIES[0], false, &mut preloaded)?;

    let mut code = String::from("const EMBEDDED: &[(&str, &str)] = &[\n");
    for path in &files {
        let place = place(&own, &workspace, path);
        println!("cargo::rerun-if-changed={}", place.display());
        writeln!(code, "    ({path:?}, include_str!({:?})),", place.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str(
        "];\n/// The modules that the panel needs before it can begin.\nconst PANEL_MODULES: &[&str] = &[\n",
    );
    for path in &preloaded {
        writeln!(code, "    {path:?},").map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("files.rs"), code)
}

/// Returns where a file is.
fn place(own: &Path, workspace: &Path, path: &str) -> PathBuf {
    match path.strip_prefix(CLIENT) {
        Some(path) => workspace.join(GENERATED).join(path),
        None => own.join(path),
    }
}

/// Adds a file and the modules that it imports; with `later`, also those that it imports when they are
/// needed.
fn collect(
    own: &Path,
    workspace: &Path,
    path: &str,
    later: bool,
    files: &mut BTreeSet<String>,
) -> io::Result<()> {
    if !files.insert(path.to_owned()) || Path::new(path).extension().is_none_or(|it| it != "js") {
        return Ok(());
    }
    let place = place(own, workspace, path);
    let text = fs::read_to_string(&place)
        .map_err(|error| io::Error::other(format!("{} cannot be read: {error}", place.display())))?;
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['*', '/'])) {
        let now = ["from '", "import '"].iter().filter_map(|before| line.split(before).nth(1));
        let dynamic = line.split("import('").nth(1).filter(|_| later);
        for rest in now.chain(dynamic) {
            if let Some((specifier, _)) = rest.split_once('\'').filter(|(name, _)| name.starts_with('.')) {
                collect(own, workspace, &resolved(path, specifier), later, files)?;
            }
        }
    }
    Ok(())
}

/// Returns the path that a relative specifier means in a module.
fn resolved(importer: &str, specifier: &str) -> String {
    let mut segments: Vec<&str> = importer.split('/').collect();
    segments.pop();
    for segment in specifier.split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    segments.join("/")
}
