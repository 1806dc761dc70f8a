//! The `frontdesk` binary once more, in this package: Cargo builds it before the end-to-end tests run and
//! tells them where it is, which it does for no binary of another package.

use std::process::ExitCode;

fn main() -> ExitCode {
    frontdesk_service::cli::main()
}
