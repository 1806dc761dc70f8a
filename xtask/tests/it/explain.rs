//! `cargo xtask explain`.

use std::process::Stdio;

use insta::assert_snapshot;

use crate::Bench;

#[test]
fn every_code_that_is_listed_is_explained() {
    let bench = Bench::new();
    let output = bench.command(&["explain"]).output().expect("the command starts");
    let list = String::from_utf8(output.stdout).expect("codes are text");
    assert!(list.lines().count() > 10, "{list}");
    for code in list.lines().take(3).chain(list.lines().last()) {
        let told = bench.run(&["explain", code]);
        assert!(told.starts_with(&format!("exit: 0\n--- stdout\n{code}\n\n")), "{told}");
        let copied = bench.run(&["explain", &format!("error[{code}]:")]);
        assert_eq!(copied, told);
    }
}

#[test]
fn a_warning_says_what_it_means_for_the_document() {
    let bench = Bench::new();
    assert!(bench.run(&["explain", "doubled-operation-id"]).contains("refused with `--strict`"));
    assert!(!bench.run(&["explain", "undefined-scheme"]).contains("A warning"));
}

#[test]
fn a_code_that_does_not_exist_is_a_failure_with_a_suggestion() {
    let bench = Bench::new();
    assert_snapshot!(bench.run(&["explain", "unresolved-refrence"]), @r"
    exit: 1
    --- stderr
    error: there is no code `unresolved-refrence`; did you mean `unresolved-reference`?
    ");
    assert_snapshot!(bench.run(&["explain", "qqq"]), @r"
    exit: 1
    --- stderr
    error: there is no code `qqq`; `cargo xtask explain` lists all
    ");
}

/// As when the output goes to `head`.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Bench::new();
    let (reader, writer) = std::io::pipe().expect("the system has pipes");
    drop(reader);
    let output = bench
        .command(&["explain"])
        .stdout(Stdio::from(writer))
        .stderr(Stdio::piped())
        .output()
        .expect("the command starts");
    assert_eq!(bench.told(&output), "exit: 0\n");
}
