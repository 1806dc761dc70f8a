//! Tests of `cargo xtask explain`.

use std::process::Stdio;

use insta::assert_snapshot;

use crate::Bench;

#[test]
fn every_listed_code_is_explained() {
    let bench = Bench::new();
    let output = bench.command(&["explain"]).output().expect("the command starts");
    let list = String::from_utf8(output.stdout).expect("codes are text");
    assert!(list.lines().count() > 10, "{list}");
    for code in list.lines().take(3).chain(list.lines().last()) {
        let shown = bench.run(&["explain", code]);
        assert!(shown.starts_with(&format!("exit: 0\n--- stdout\n{code}\n\n")), "{shown}");
        let copied = bench.run(&["explain", &format!("error[{code}]:")]);
        assert_eq!(copied, shown);
    }
}

#[test]
fn a_warning_explains_its_effect() {
    let bench = Bench::new();
    assert!(bench.run(&["explain", "duplicate-operation-id"]).contains("refused with `--strict`"));
    // Its former name.
    assert!(bench.run(&["explain", "doubled-operation-id"]).contains("duplicate-operation-id\n\n"));
    assert!(!bench.run(&["explain", "unsupported-version"]).contains("A warning"));
}

#[test]
fn an_unknown_code_fails_with_a_suggestion() {
    let bench = Bench::new();
    assert_snapshot!(bench.run(&["explain", "unresolved-refrence"]), @r"
    exit: 1
    --- stderr
    error: there is no code `unresolved-refrence`; did you mean `unresolved-reference`?
    ");
    assert_snapshot!(bench.run(&["explain", "qqq"]), @r"
    exit: 1
    --- stderr
    error: there is no code `qqq`; `cargo xtask explain` lists all codes
    ");
}

/// As if the output were piped to `head`.
#[test]
fn a_closed_pipe_is_not_a_failure() {
    let bench = Bench::new();
    let (reader, writer) = std::io::pipe().expect("the system has pipes");
    drop(reader);
    let output = bench
        .command(&["explain"])
        .stdout(Stdio::from(writer))
        .stderr(Stdio::piped())
        .output()
        .expect("the command starts");
    assert_eq!(bench.shown(&output), "exit: 0\n");
}
