//! The workspace that this program belongs to, independent of the current folder.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use frontdesk_commands::{Program, Repository};
use frontdesk_openapi::PROGRAM;

/// The prefix of the names of this workspace's generated crates.
const NAME: &str = "frontdesk";

/// The path of the console's contract, relative to the root.
pub(crate) const CONSOLE_SPEC: &str = "spec/console/v1/openapi.yaml";

/// Returns `cargo xtask` as the program of this workspace and its first contract, the interface.
pub fn program() -> Result<Program> {
    Ok(of(Repository { has_conventions: true, has_javascript: true, ..Repository::new(root()?, NAME) }))
}

/// Returns `cargo xtask` as the program of each of this workspace's contracts.
pub fn programs() -> Result<Vec<Program>> {
    let console = Repository {
        spec: CONSOLE_SPEC,
        out: "generated/console",
        has_conventions: true,
        has_javascript: true,
        ..Repository::new(root()?, "frontdesk-console")
    };
    Ok(vec![program()?, of(console)])
}

fn of(repository: Repository) -> Program {
    Program { command: "cargo xtask", repository: Some(repository), ..PROGRAM }
}

/// Returns the root of the workspace.
///
/// `cargo` passes the folder of the package to programs that it runs; otherwise the path at build time is
/// used.
pub fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.file_name().is_some_and(|name| name == env!("CARGO_PKG_NAME")))
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let root = package.parent().context("the package has no parent folder")?;
    fs_err::canonicalize(root).context("the workspace has moved since this program was built; build it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().expect("a root").join("Cargo.lock").is_file());
    }
}
