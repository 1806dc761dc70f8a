//! What `--help` says, and what happens to arguments that are not understood.

use insta::assert_snapshot;

use crate::Bench;

#[test]
fn help_lists_the_commands() {
    assert_snapshot!(Bench::new().run(&["--help"]), @"");
}

#[test]
fn help_of_codegen_documents_the_exit_codes() {
    assert_snapshot!(Bench::new().run(&["codegen", "--help"]), @"");
}

/// Exit code 2 is kept for refused documents.
#[test]
fn wrong_usage_is_a_failure_of_the_tool() {
    let bench = Bench::new();
    assert_snapshot!(bench.run(&["codegen", "--spec", "pets.yaml"]), @"");
    assert_snapshot!(
        bench.run(&["codegen", "--spec", "pets.yaml", "--out", "out", "--name", "Pet Store"]),
        @""
    );
    for arguments in [&["codgen"] as &[&str], &["codegen", "--out", "out"], &["codegen", "--name", "a"], &[]]
    {
        let told = bench.run(arguments);
        assert!(told.starts_with("exit: 1\n"), "{arguments:?}: {told}");
    }
}
