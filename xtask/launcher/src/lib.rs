//! `cargo xtask`: builds the program that a command needs, and becomes it.
//!
//! - [`programs`]: builds programs of the workspace, and replaces this process by one.
//! - [`serve`]: `cargo xtask serve`, which builds the generator only if the contract has changed.
//! - [`checkout`]: whether the generated crates agree with the contract, according to Git.
//!
//! This package has no dependencies, so it builds in a second. The programs are built with the features that
//! the whole workspace selects: whatever `cargo xtask serve` has compiled is not compiled again by
//! `cargo test --workspace`, or the other way around.

pub mod checkout;
pub mod programs;
pub mod serve;

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::programs::Program;

/// Runs the command with these arguments, which begin with its name. Returns only if the command could not be
/// started.
pub fn run(arguments: &[OsString]) -> io::Result<ExitCode> {
    let root = root()?;
    match arguments.split_first() {
        Some((command, rest)) if command == "serve" && !wants_help(rest) => serve::run(&root, rest),
        _ => Program::XTASK.build_and_become(&root, arguments),
    }
}

/// Whether the first argument asks for the help of `cargo xtask serve` itself.
fn wants_help(arguments: &[OsString]) -> bool {
    arguments.first().is_some_and(|argument| argument == "--help" || argument == "-h")
}

/// Returns the root of the workspace.
///
/// Cargo passes the folder of the package to programs that it runs; otherwise the path at build time is used.
fn root() -> io::Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.ends_with("xtask/launcher"))
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    package
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .ok_or_else(|| io::Error::other("the package `xtask-launcher` is not inside of a workspace"))
}
