//! Sends instances of two real documents through the types generated from them, as a small
//! `cargo xtask corpus --round-trip`, so that every test run detects types that lose data.
//!
//! `FRONTDESK_CORPUS` names the folder of documents; without it, the test is skipped with a message.

use std::path::PathBuf;

use frontdesk_commands::Exit;
use xtask::command_line::CorpusArguments;
use xtask::corpus;

/// Unions with and without discriminators, and objects with additional members.
const DOCUMENTS: [&str; 2] = ["ogen-discriminator-mapping", "readme-additional-props"];

#[test]
fn instances_come_back_as_they_went() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        let mut error = std::io::stderr().lock();
        let _ = std::io::Write::write_all(
            &mut error,
            b"SKIPPED: FRONTDESK_CORPUS is not set; set it to a folder of OpenAPI documents\n",
        );
        return;
    };
    let arguments = CorpusArguments {
        folder,
        check: false,
        round_trip: true,
        differential: false,
        only: DOCUMENTS.map(str::to_owned).to_vec(),
        jobs: 2,
        // The folder is kept between runs, so that the runtime crate is compiled once.
        out: Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("round-trip")),
    };
    let exit = corpus::run(&arguments).expect("the documents can be read and the drivers compiled");
    assert_eq!(exit, Exit::Done, "the differences stand beside the crates");
}
