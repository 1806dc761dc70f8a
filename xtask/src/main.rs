//! `cargo xtask`: the commands of the workshop.

use std::process::ExitCode;

/// Generation makes millions of small tokens; the system's allocator took a third of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    xtask::run(std::env::args_os())
}
