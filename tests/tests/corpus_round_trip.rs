//! Sends instances of two real documents through the types that are made of them: `cargo xtask corpus --round-trip` in
//! small, so that a change that makes a type lossy is seen wherever tests run.
//!
//! The folder of documents is named by `FRONTDESK_CORPUS`; without it, the test says so and is skipped.

use std::path::PathBuf;

use xtask::command_line::CorpusArguments;
use xtask::{Exit, corpus};

/// Unions with and without tags, and objects with further members.
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
        only: DOCUMENTS.map(str::to_owned).to_vec(),
        jobs: 2,
        // Kept between runs, so that the engine is compiled once.
        out: Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("round-trip")),
    };
    let exit = corpus::run(&arguments).expect("the documents can be read and the drivers compiled");
    assert_eq!(exit, Exit::Done, "the differences stand beside the crates");
}
