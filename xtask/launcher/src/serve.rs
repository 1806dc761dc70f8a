//! `cargo xtask serve`: updates the generated crates if the contract has changed, then runs the service with
//! demo data.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::checkout;
use crate::programs::Program;

/// Generates the crates if necessary, then builds the service and becomes it.
pub fn run(root: &Path, arguments: &[OsString]) -> io::Result<ExitCode> {
    if !checkout::generated_crates_are_current(root) {
        writeln!(
            io::stderr(),
            "The contract may have changed since the crates were generated; updating them."
        )?;
        if let Err(code) = Program::XTASK.build(root)? {
            return Ok(code);
        }
        let status = Program::XTASK.command(root)?.arg("codegen").status()?;
        if !status.success() {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
        }
    }
    start(root, arguments)
}

/// Builds the service and becomes it.
pub fn start(root: &Path, arguments: &[OsString]) -> io::Result<ExitCode> {
    let separator = usize::from(arguments.first().is_some_and(|argument| argument == "--"));
    let mut all: Vec<OsString> = vec!["serve".into(), "--demo".into()];
    all.extend_from_slice(&arguments[separator..]);
    std::env::set_current_dir(root)?;
    Program::SERVICE.build_and_become(root, &all)
}
