//! [`Invocation`]: how a page starts the program, as a shell understands it.

use std::{fmt, fs, path::Path, process::Command};

use frontdesk_testkit::program;

use super::page::Page;
use crate::process;

/// Stands for the program while a page is read: notes its arguments and its environment.
const RECORDER: &str = r#"#!/bin/sh
{ printf '%s\0' "$@"; printf '\001\0'; env -0; printf '\002\0'; } >> "$RECORD"
"#;

/// One start of the program.
pub(super) struct Invocation {
    pub(super) arguments: Vec<String>,
    /// The settings in its environment.
    variables: Vec<(String, String)>,
}

impl fmt::Display for Invocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "frontdesk {}", self.arguments.join(" "))
    }
}

impl Invocation {
    /// Returns whether it connects to a database or cache that exists in the guide only.
    pub(super) fn needs_another_server(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument.starts_with("postgres://") || argument.starts_with("redis://"))
    }

    /// Returns the command that does the same in a folder. A service listens on a free port instead of a
    /// fixed one.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut arguments = self.arguments.clone();
        if arguments[0] == "serve" {
            match arguments.iter().position(|argument| argument == "--listen") {
                Some(flag) => {
                    let host = arguments[flag + 1].split(':').next().unwrap().to_owned();
                    arguments[flag + 1] = format!("{host}:0");
                }
                None => arguments.extend(["--listen".to_owned(), "127.0.0.1:0".to_owned()]),
            }
        }
        let mut command = process::bare_command(folder);
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Returns every start of the program on a page, with these variables set before.
pub(super) fn recorded(page: &Page, folder: &Path, variables: &[(&'static str, String)]) -> Vec<Invocation> {
    let programs = tempfile::tempdir().unwrap();
    let (program, record) = (programs.path().join("frontdesk"), programs.path().join("record"));
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FRONTDESK_")) {
        shell.env_remove(name);
    }
    program::write(&program, RECORDER.as_bytes());
    let output = shell
        .args(["-euc", &page.script()])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .env("PATH", path)
        .env("RECORD", &record)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}: {}", page.name, String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(fs::read(&record).unwrap()).unwrap();
    text.split_terminator("\u{2}\0").map(invocation).collect()
}

fn invocation(record: &str) -> Invocation {
    let (arguments, environment) = record.split_once("\u{1}\0").unwrap();
    let settings = environment.split_terminator('\0').filter_map(|entry| entry.split_once('='));
    Invocation {
        arguments: arguments.split_terminator('\0').map(str::to_owned).collect(),
        variables: settings
            .filter(|(name, _)| name.starts_with("FRONTDESK_"))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    }
}
