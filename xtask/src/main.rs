//! `cargo xtask`: the commands of the workshop.

use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::run(std::env::args_os())
}
