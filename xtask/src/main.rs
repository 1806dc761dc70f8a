//! `cargo xtask`: the development commands of this repository.

use std::process::ExitCode;

/// Generation allocates millions of small tokens; the system allocator took a third of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    xtask::run(std::env::args_os())
}
