//! Answers about six small invented sites in five languages, in `tests/strangers`, by the writer as it is
//! built.
//!
//! The sites and the questions are by somebody who did not know how answers are found: as owners write, and
//! as visitors type, with slips, without accents, in other words than the site's. No weights are trained on
//! them, though rules were mended with their help. The shares are lower than elsewhere, and a change that
//! helps only the questions of its author does not raise them.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::path::{Path, PathBuf};

use frontdesk_embedding::Model;
use frontdesk_evaluation::judge::judge;
use frontdesk_evaluation::measures::Share;
use frontdesk_evaluation::samples::{Origin, Searching, samples};
use frontdesk_evaluation::training::answers_as_built;

/// Least share of the questions with an answer that get it, a little below what is reached.
const RIGHT: f64 = 0.56;

/// Greatest share of the questions with an answer that are refused.
const WRONGLY_REFUSED: f64 = 0.37;

/// Least share of the questions without an answer that are refused.
const RIGHTLY_REFUSED: f64 = 0.8;

#[tokio::test]
async fn questions_of_strangers_are_answered_and_refused() {
    let model = Model::bundled().unwrap();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strangers");
    let searching =
        Searching { model: &model, has_vectors: true, cache: &cache, training: None, assistant: None };
    let samples = samples(&sites(), searching).await.unwrap();
    let answers: Vec<_> = answers_as_built(&samples).into_iter().map(|(_, answer)| answer).collect();
    let (mut right, mut wrongly, mut rightly) = (Share::default(), Share::default(), Share::default());
    for (sample, answer) in samples.iter().zip(&answers) {
        if sample.origin != Origin::Labeled {
            continue;
        }
        if sample.question.answerable {
            let verdict = judge(&sample.question, answer);
            right.add(verdict.has_fact && !verdict.has_forbidden);
            wrongly.add(answer.refused);
        } else {
            rightly.add(answer.refused);
        }
    }
    let figures = format!("right: {right:?}, wrongly refused: {wrongly:?}, rightly refused: {rightly:?}");
    assert!(right.value().unwrap() >= RIGHT, "{figures}");
    assert!(wrongly.value().unwrap() <= WRONGLY_REFUSED, "{figures}");
    assert!(rightly.value().unwrap() >= RIGHTLY_REFUSED, "{figures}");
}

/// Returns the folders of all sites.
fn sites() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strangers");
    let mut sites: Vec<PathBuf> =
        fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sites.sort();
    sites
}
