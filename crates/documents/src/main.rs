//! The child process of `Extractor`, as a program.

use std::{
    io::{stdin, stdout},
    process::ExitCode,
};

fn main() -> ExitCode {
    match frontdesk_documents::run_child(stdin().lock(), stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
