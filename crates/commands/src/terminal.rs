//! Output of the commands to standard error and standard output.

use std::env;
use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};

use crate::program::Program;

/// Returns whether standard error shows colors: it is a terminal, and `NO_COLOR` (no-color.org) is not set.
pub fn color() -> bool {
    io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes text to standard error.
pub fn say(text: &str) -> Result<()> {
    unless_unread(io::stderr().lock().write_all(text.as_bytes())).context("failed to write to standard error")
}

/// Writes data to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    unless_unread(written).context("failed to write to standard output")
}

/// Ignores a closed pipe, as with `head`: it does not change the outcome of the command.
fn unless_unread(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Reports an error and its causes. If that fails too, nothing is left to do.
pub fn report(program: &Program, error: &anyhow::Error) {
    let mut text = format!("error: {error}\n");
    for cause in error.chain().skip(1) {
        text = format!("{text}  Cause: {cause}\n");
    }
    let _ = io::stderr().lock().write_all(program.named(&text).as_bytes());
}
