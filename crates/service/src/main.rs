//! The `frontdesk` binary; everything it does is in the library.

use std::process::ExitCode;

/// A message makes thousands of small texts; the allocator of the C library took an eighth of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    frontdesk_service::cli::main()
}
