//! The `frontdesk` binary; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    frontdesk_service::cli::main()
}
