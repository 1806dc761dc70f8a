//! Tests of `--help` and of invalid arguments.

use insta::assert_snapshot;

use crate::Bench;

#[test]
fn help_lists_the_commands() {
    assert_snapshot!(Bench::new().run(&["--help"]), @r"
    exit: 0
    --- stdout
    Development commands of this repository

    Usage: cargo xtask <COMMAND>

    Commands:
      codegen  Generate the model, server and client crates from the OpenAPI document
      new      Lay out a new repository: a contract, its generated crates, a service, tests and CI
      compat   Compare the document with an earlier one and report breaking changes
      lint     Check the document against the lint rules
      release  Freeze the document as a released version, if it is compatible with the previous one
      explain  Explain a diagnostic code, and what to do about it
      docs     Write the reference page, which a browser can open without a server
      mock     Serve a document as a mock: validate requests, and respond with examples or generated
               values
      serve    Update the generated crates, then run the service with demo data
      eval     Measure search and answers on labeled websites, or train the extractive writer on them
      corpus   Generate crates from every document of a folder, and check them
      tidy     Check the repository: directions of imports, paths and numbers in documents, width and
               words of prose
      ci       Run the checks of continuous integration, in the same order, until one fails
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
    Generate the model, server and client crates from the OpenAPI document

    Usage: cargo xtask codegen [OPTIONS]

    Options:
          --check              Write nothing; report files that are not up to date
          --strict             Reject defects that otherwise only produce a warning
          --report             Write nothing; report how many operations are fully typed
          --spec <FILE>        OpenAPI document (YAML or JSON) to use instead of spec/v1/openapi.yaml. A
                               file `codegen.toml` beside it may give the other options
          --out <DIR>          Output folder for the crates generated from FILE; the generator owns all
                               its files
          --name <NAME>        Prefix of the names of the crates generated from FILE, in kebab case:
                               `pets` gives `pets-model`
          --map <ADDRESS=DIR>  Folder with copies of the files whose URLs begin with ADDRESS, such as
                               `https://example.com/schemas/=../schemas`; may be repeated
          --only <CRATES>      Generate only these packages: `model`, `server`, `client`, `javascript`.
                               The model is among them if one of the other crates is, because they need
                               it
          --runtime <WHERE>    The library that generated code calls: `vendored` into the output,
                               `path=DIR`, `version=1.2` of the package NAME-runtime,
                               `version=1.2,package=PACKAGE`, or `workspace`
          --workspace <MODE>   `own`: the output is a workspace; `member`: its crates are members of the
                               workspace around it; `inherit`: they also inherit metadata, lints and
                               dependencies. Default: `member` inside of a workspace, otherwise `own`
      -h, --help               Print help

    Exit codes:
      0  the files were written or were already up to date
      1  the tool failed
      2  the document was rejected; nothing was written
      4  files are not up to date (with --check)
    ");
}

/// Exit code 2 is reserved for rejected documents.
#[test]
fn wrong_usage_is_a_failure_of_the_tool() {
    let bench = Bench::new();
    assert_snapshot!(bench.run(&["codegen", "--spec", "pets.yaml"]), @r#"
    exit: 1
    --- stderr
    error: `--out` is missing; give it, or write `out = "…"` to `codegen.toml`
    "#);
    assert_snapshot!(
        bench.run(&["codegen", "--spec", "pets.yaml", "--out", "out", "--name", "Pet Store"]),
        @r"
        exit: 1
        --- stderr
        error: invalid value 'Pet Store' for '--name <NAME>': use lower-case letters, digits and single hyphens, beginning with a letter, such as `pet-store`

        For more information, try '--help'.
        "
    );
    for arguments in [&["codgen"] as &[&str], &["codegen", "--out", "out"], &["codegen", "--name", "a"], &[]]
    {
        let shown = bench.run(arguments);
        assert!(shown.starts_with("exit: 1\n"), "{arguments:?}: {shown}");
    }
}
