//! Paths that do not depend on the current folder or the system.

use std::io;
use std::path::{Component, Path, PathBuf};

/// Resolves links, `.` and `..`, even if the last components of the path do not exist.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path).map_err(|error| {
        io::Error::new(error.kind(), format!("`{}` is not a valid path: {error}", path.display()))
    })?;
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
pub fn relative(from: &Path, to: &Path) -> String {
    let path = pathdiff::diff_paths(to, from).unwrap_or_else(|| to.to_owned());
    if path.as_os_str().is_empty() { ".".to_owned() } else { slashed(&path) }
}

/// Returns the path with `/` as separator, without `.` components.
pub fn slashed(path: &Path) -> String {
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
}
