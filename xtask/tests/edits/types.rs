//! What users of TypeScript notice of each edit. The snapshot is read in review: whether code that compiled
//! still does can be judged line by line.

use std::fmt::Write as _;
use std::sync::OnceLock;

use frontdesk_codegen::Options;
use frontdesk_codegen::interface::declarations::difference::differences;
use frontdesk_codegen::interface::{Declarations, Weight};
use frontdesk_document::Document;

use super::{NAME, edits};

/// The maximum number of differences of an edit in the snapshot.
const SHOWN: usize = 12;

fn declarations(document: &Document) -> Declarations {
    Declarations::of(document, &Options::of_workspace(NAME, "the document")).expect("the generator takes it")
}

#[test]
fn types_of_the_javascript_client_differ_as_pinned() {
    static CONTRACT: OnceLock<Declarations> = OnceLock::new();
    let mut shown = String::new();
    for kind in ["breaking", "harmless"] {
        for (name, edit) in edits(kind) {
            let (base, revision) = edit.documents().expect("the edit applies");
            let of_base = || declarations(&base);
            let before =
                if edit.adds_to_the_contract() { of_base() } else { CONTRACT.get_or_init(of_base).clone() };
            let found = differences(&before, &declarations(&revision));
            let _ = writeln!(shown, "{kind}/{name}");
            for difference in found.iter().take(SHOWN) {
                let weight = if difference.weight == Weight::Breaking { "breaking" } else { "added" };
                let text = difference.text.strip_prefix("javascript: ").unwrap_or(&difference.text);
                let _ = writeln!(shown, "  {weight}: {text}");
            }
            if found.len() > SHOWN {
                let _ = writeln!(shown, "  and {} more", found.len() - SHOWN);
            }
        }
    }
    insta::assert_snapshot!(shown);
}
