//! Lists the files that [`frontdesk_web`](src/lib.rs) embeds: the entries, and every module that they import.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The modules with which a page begins, and the constant that lists what each of them needs for that.
const PAGES: [(&str, &str); 2] =
    [("widget/panel.js", "PANEL_MODULES"), ("console/main.js", "CONSOLE_MODULES")];

/// The other files that pages name, as paths below `/web/HASH/`.
const NAMED: [&str; 2] = ["widget/panel.css", "vendor/lit/LICENSE"];

/// The folder with the style sheets of the console.
const STYLES: &str = "console/styles";

/// Where the modules below some paths are: the clients of the two interfaces, as they are generated.
const GENERATED: [(&str, &str); 2] =
    [("client/", "generated/javascript"), ("console-client/", "generated/console/javascript")];

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let workspace = own.join("../..").canonicalize()?;
    let mut files = BTreeSet::new();
    let styles = styles(&own)?;
    let named = NAMED.into_iter().chain(styles.iter().map(String::as_str));
    for entry in PAGES.iter().map(|(entry, _)| *entry).chain(named) {
        collect(&own, &workspace, entry, true, &mut files)?;
    }

    let mut code = String::from("const EMBEDDED: &[(&str, &str)] = &[\n");
    for path in &files {
        let place = place(&own, &workspace, path);
        println!("cargo::rerun-if-changed={}", place.display());
        writeln!(code, "    ({path:?}, include_str!({:?})),", place.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    for (entry, list) in PAGES {
        let mut needed = BTreeSet::new();
        collect(&own, &workspace, entry, false, &mut needed)?;
        writeln!(code, "/// The modules that `{entry}` needs before it can begin.")
            .and_then(|()| writeln!(code, "const {list}: &[&str] = &{:?};", Vec::from_iter(&needed)))
            .map_err(io::Error::other)?;
    }
    writeln!(code, "/// The style sheets of the console.\nconst CONSOLE_STYLES: &[&str] = &{styles:?};")
        .map_err(io::Error::other)?;
    println!("cargo::rerun-if-changed={}", own.join(STYLES).display());
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("files.rs"), code)
}

/// Returns the paths of the style sheets of the console; what all pages share comes first.
fn styles(own: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(own.join(STYLES))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_by_key(|name| (name != "base.css", name.clone()));
    Ok(names.into_iter().map(|name| format!("{STYLES}/{name}")).collect())
}

/// Returns where a file is.
fn place(own: &Path, workspace: &Path, path: &str) -> PathBuf {
    let generated = GENERATED.iter().find_map(|(below, folder)| Some((*folder, path.strip_prefix(below)?)));
    generated.map_or_else(|| own.join(path), |(folder, path)| workspace.join(folder).join(path))
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
