//! What `--help` says, and what happens to arguments that are not understood.

use insta::assert_snapshot;

use crate::Bench;

#[test]
fn help_lists_the_commands() {
    assert_snapshot!(Bench::new().run(&["--help"]), @r"
    exit: 0
    --- stdout
    Commands of the workshop

    Usage: cargo xtask <COMMAND>

    Commands:
      codegen  Write the model, server and client crates from the OpenAPI document
      compat   Compare the document with an earlier one, and tell what breaks for whom
      lint     Hold the document to the rules that it is written by
      release  Freeze the document as a released version, if it keeps the promises of the last one
      explain  Tell what a diagnostic code means and what to do about it
      docs     Write the reference page, which a browser can open without a server
      mock     Serve a document: judge requests, and answer with its examples or with generated values
      serve    Bring the generated crates up to date, then run the service with demo data
      corpus   Generate from every document of a folder, and check the crates that come of it
      ci       Run what continuous integration runs, in the same order, until something fails
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn help_of_codegen_documents_the_exit_codes() {
    assert_snapshot!(Bench::new().run(&["codegen", "--help"]), @r"
    exit: 0
    --- stdout
    Write the model, server and client crates from the OpenAPI document

    Usage: cargo xtask codegen [OPTIONS]

    Options:
          --check              Write nothing; tell what is not fresh
          --strict             Refuse defects of the document that have a sensible reading, instead of
                               warning of them
          --report             Write nothing; tell how many operations are fully typed
          --spec <FILE>        Another OpenAPI document than spec/v1/openapi.yaml, YAML or JSON
          --out <DIR>          Folder for the crates made from FILE, which then belongs to the tool
          --name <NAME>        First part of the names of the crates made from FILE, in kebab case:
                               `pets` gives `pets-model`
          --map <ADDRESS=DIR>  Folder with copies of the files whose addresses begin with ADDRESS, such
                               as `https://example.com/schemas/=../schemas`; may be given several times
      -h, --help               Print help

    Exit codes:
      0  the files are written, or were fresh
      1  the tool failed
      2  the document was refused; nothing is written
      4  files are not fresh (with --check)
    ");
}

/// Exit code 2 is kept for refused documents.
#[test]
fn wrong_usage_is_a_failure_of_the_tool() {
    let bench = Bench::new();
    assert_snapshot!(bench.run(&["codegen", "--spec", "pets.yaml"]), @r"
    exit: 1
    --- stderr
    error: the following required arguments were not provided:
      --out <DIR>
      --name <NAME>

    Usage: cargo xtask codegen --spec <FILE> --out <DIR> --name <NAME>

    For more information, try '--help'.
    ");
    assert_snapshot!(
        bench.run(&["codegen", "--spec", "pets.yaml", "--out", "out", "--name", "Pet Store"]),
        @r"
        exit: 1
        --- stderr
        error: invalid value 'Pet Store' for '--name <NAME>': write lower-case letters, digits and single hyphens, a letter first, such as `pet-store`

        For more information, try '--help'.
        "
    );
    for arguments in [&["codgen"] as &[&str], &["codegen", "--out", "out"], &["codegen", "--name", "a"], &[]]
    {
        let told = bench.run(arguments);
        assert!(told.starts_with("exit: 1\n"), "{arguments:?}: {told}");
    }
}
