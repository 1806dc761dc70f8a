//! Paths of the workspace, independent of the current folder.

use std::env;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

/// The path of the workspace's document, relative to its root.
pub(crate) const SPEC: &str = "spec/v1/openapi.yaml";

/// Returns the root of the workspace.
///
///
///
/// `cargo` passes the folder of the package to programs that it runs; otherwise the path at build time is used.
pub(crate) fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.file_name().is_some_and(|name| name == env!("CARGO_PKG_NAME")))
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let root = package.parent().context("the package has no parent folder")?;
    fs_err::canonicalize(root).context("the workspace has moved since this program was built; build it again")
}

/// Resolves links, `.` and `..`, even if the last components of the path do not exist.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf> {
    let absolute =
        std::path::absolute(path).with_context(|| format!("`{}` is not a valid path", path.display()))?;
    let mut known = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                known.pop();
            }
            part => {
                known.push(part);
                if let Ok(resolved) = known.canonicalize() {
                    known = resolved;
                }
            }
        }
    }
    Ok(known)
}

/// Returns the relative path from a folder to a file or folder, with `/` on every system. Both arguments are
/// canonical.
pub(crate) fn relative(from: &Path, to: &Path) -> String {
    let path = pathdiff::diff_paths(to, from).unwrap_or_else(|| to.to_owned());
    if path.as_os_str().is_empty() { ".".to_owned() } else { slashed(&path) }
}

/// Returns the path with `/` as separator, without `.` components.
pub(crate) fn slashed(path: &Path) -> String {
    if path.is_absolute() {
        return path.display().to_string().replace('\\', "/");
    }
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_do_not_exist_yet_are_resolved_too() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let real = folder.path().canonicalize().expect("it exists");
        assert_eq!(canonical(&folder.path().join("a/./b/../c")).expect("a path"), real.join("a/c"));
        assert_eq!(relative(&real.join("a/b"), &real.join("c.yaml")), "../../c.yaml");
        assert_eq!(relative(&real, &real), ".");
        assert_eq!(slashed(Path::new("./a/./b.yaml")), "a/b.yaml");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().expect("a root").join("Cargo.lock").is_file());
    }
}
