//! Lists the sources that [`vendored`](src/lib.rs) embeds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The crates whose sources are embedded.
const CRATES: [&str; 8] =
    ["codegen", "commands", "contract", "disk", "document", "mock", "pattern", "runtime"];

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let workspace = own.join("../..").canonicalize()?;
    let mut code = String::new();
    for name in CRATES {
        let folder = workspace.join("crates").join(name);
        let mut paths = vec!["Cargo.toml".to_owned()];
        paths.extend(
            ["LICENSE-APACHE", "LICENSE-MIT"]
                .map(str::to_owned)
                .into_iter()
                .filter(|path| folder.join(path).exists()),
        );
        sources(&folder, "src", &mut paths)?;
        paths.sort_unstable();
        for path in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", folder.join(path).display());
        }
        list(&mut code, name, &folder, &paths);
    }
    let root = ["Cargo.toml", "clippy.toml", "rust-toolchain.toml", "rustfmt.toml"].map(str::to_owned);
    for path in &root {
        println!("cargo::rerun-if-changed={}", workspace.join(path).display());
    }
    list(&mut code, "root", &workspace, &root);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("sources.rs"), code)
}

/// Adds the sources in a folder, without files of tests.
fn sources(root: &Path, folder: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            if !path.ends_with("/tests") {
                sources(root, &path, paths)?;
            }
        } else if entry
            .path()
            .extension()
            .is_some_and(|ending| ["js", "rs", "ts"].iter().any(|known| ending == *known))
            && !path.ends_with("/tests.rs")
        {
            paths.push(path);
        }
    }
    Ok(())
}

/// Writes a constant with the paths and the texts of files.
fn list(code: &mut String, name: &str, folder: &Path, paths: &[String]) {
    let _ = writeln!(code, "const {}: Sources = &[", name.to_uppercase());
    for path in paths {
        let place = folder.join(path).display().to_string();
        let _ = writeln!(code, "    ({path:?}, include_str!({place:?})),");
    }
    let _ = writeln!(code, "];");
}
