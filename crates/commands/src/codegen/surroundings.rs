//! The workspace that an output folder is in, and packages on the disk.

use std::path::Path;

use anyhow::{Context, Result};
use frontdesk_disk::relative;
use fs_err as fs;
use toml::{Table, Value};

/// A manifest that declares a workspace.
#[derive(Debug)]
pub(super) struct Workspace {
    /// The folder of the manifest.
    root: std::path::PathBuf,
    manifest: Table,
}

/// Returns the workspace around a folder: that of the nearest manifest above it that declares one, unless it
/// excludes the folder.
pub(super) fn workspace_around(folder: &Path) -> Result<Option<Workspace>> {
    for root in folder.ancestors().skip(1) {
        let place = root.join("Cargo.toml");
        if !place.is_file() {
            continue;
        }
        let text = fs::read_to_string(&place)?;
        let manifest: Table = text.parse().with_context(|| format!("`{}` is not valid", place.display()))?;
        if !manifest.contains_key("workspace") {
            continue;
        }
        let workspace = Workspace { root: root.to_owned(), manifest };
        let excluded = workspace.paths("exclude").iter().any(|path| folder.starts_with(root.join(path)));
        // Cargo never looks for packages among its own output.
        let is_built = relative(root, folder).starts_with("target/");
        return Ok((!excluded && !is_built).then_some(workspace));
    }
    Ok(None)
}

impl Workspace {
    fn paths(&self, key: &str) -> Vec<&str> {
        let list = self.manifest["workspace"].get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns whether a folder is one of the members.
    fn has_member(&self, path: &str) -> bool {
        self.paths("members").iter().any(|pattern| {
            let (pattern, path): (Vec<&str>, Vec<&str>) =
                (pattern.split('/').collect(), path.split('/').collect());
            pattern.len() == path.len()
                && pattern.iter().zip(&path).all(|(pattern, part)| match pattern.split_once('*') {
                    Some((start, end)) => {
                        part.len() >= start.len() + end.len()
                            && part.starts_with(start)
                            && part.ends_with(end)
                    }
                    None => pattern == part,
                })
        })
    }
}

/// Returns what to add to the members of the workspace around the output folder; nothing if they are
/// complete.
pub(super) fn hint_for_members(out: &Path, folders: &[&str]) -> Result<String> {
    let Some(workspace) = workspace_around(out)? else { return Ok(String::new()) };
    let base = relative(&workspace.root, out);
    let paths = folders
        .iter()
        .map(|folder| if base == "." { (*folder).to_owned() } else { format!("{base}/{folder}") });
    let missing: Vec<String> =
        paths.filter(|path| !workspace.has_member(path)).map(|path| format!("\"{path}\"")).collect();
    if missing.is_empty() {
        return Ok(String::new());
    }
    Ok(format!(
        "\nhint: add to `members` of the workspace, unless a member depends on them: {}\n",
        missing.join(", ")
    ))
}

/// Returns the name of the package in a folder.
pub(super) fn package_at(folder: &Path) -> Result<String> {
    let place = folder.join("Cargo.toml");
    let manifest: Table = fs::read_to_string(&place)
        .context("`--runtime path=DIR` needs the folder of a package")?
        .parse()
        .with_context(|| format!("`{}` is not valid", place.display()))?;
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    name.map(str::to_owned).with_context(|| format!("`{}` is not the manifest of a package", place.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_around_a_folder_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        fs::write(
            root.join("Cargo.toml"),
            "[workspace]\nmembers = [\"crates/*\", \"api/model\"]\nexclude = [\"other\"]\n",
        )
        .expect("it can be written");
        fs::create_dir(root.join("api")).expect("it can be made");
        fs::write(root.join("api/Cargo.toml"), "[package]\nname = \"api\"\n").expect("it can be written");
        let hint = |path: &str| hint_for_members(&root.join(path), &["model", "client"]).expect("a hint");
        assert_eq!(hint("crates"), "");
        assert!(hint("api").ends_with("depends on them: \"api/client\"\n"), "{}", hint("api"));
        for apart in ["other/generated", "target/generated", "."] {
            let around = workspace_around(&root.join(apart).components().collect::<std::path::PathBuf>());
            assert!(around.expect("it can be read").is_none(), "{apart}");
        }
        assert_eq!(package_at(&root.join("api")).expect("a package"), "api");
        assert!(package_at(root).is_err());
    }
}
