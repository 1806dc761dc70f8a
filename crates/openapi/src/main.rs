//! `frontdesk-openapi`: the commands for any OpenAPI document.

use std::process::ExitCode;

use frontdesk_openapi::PROGRAM;
use frontdesk_openapi::command_line::{CommandLine, without_repository};

/// Generation allocates millions of small tokens; the system allocator took a third of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    frontdesk_commands::main(&PROGRAM, std::env::args_os(), without_repository, |CommandLine { command }| {
        frontdesk_openapi::run(&PROGRAM, &command)
    })
}
