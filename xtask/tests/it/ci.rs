//! Tests of `cargo xtask ci`, with a program in place of cargo that records its arguments and fails.
#![cfg(unix)]

use frontdesk_testkit::program;
use insta::assert_snapshot;

use crate::Bench;

#[test]
fn the_first_failure_stops_the_run_and_gives_its_exit_code() {
    let bench = Bench::new();
    let cargo = bench.path("cargo");
    program::write(&cargo, b"#!/bin/sh\necho \"cargo $*\"\nexit 7\n");
    let output = bench.command(&["ci"]).env("CARGO", cargo).output().expect("the command starts");
    assert_snapshot!(bench.shown(&output), @r"
    exit: 7
    --- stdout
    cargo fmt --all --check
    --- stderr

    ==> 1/8 formatting: cargo fmt --all --check

    error: formatting failed

    hint: run `cargo fmt --all --check` to repeat it
    ");
}

#[test]
fn a_program_that_cannot_be_started_is_a_failure_with_its_cause() {
    let bench = Bench::new();
    let output =
        bench.command(&["ci"]).env("CARGO", bench.path("absent")).output().expect("the command starts");
    let shown = bench.shown(&output);
    assert!(shown.starts_with("exit: 1\n"), "{shown}");
    assert!(shown.contains("error: failed to start `cargo fmt --all --check`\n  Cause: "), "{shown}");
}
