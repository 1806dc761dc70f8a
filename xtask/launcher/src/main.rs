//! `cargo xtask`: see the library.

use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    xtask_launcher::run(&arguments).unwrap_or_else(|error| {
        // Nothing is left to do if the error cannot be printed.
        let _ = writeln!(io::stderr(), "error: {error}");
        ExitCode::FAILURE
    })
}
