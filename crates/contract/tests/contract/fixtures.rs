//! Tests on the generator's fixtures: every one is read without diagnostics, and each of its schemas has
//! instances.

use std::path::{Path, PathBuf};

use frontdesk_contract::{Direction, Instances, Oracle, sent_schemas};
use frontdesk_document::Document;

use crate::folder::Folder;

#[test]
fn every_schema_of_the_fixtures_has_instances() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ok");
    let mut folders: Vec<PathBuf> =
        fs_err::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= 6, "{folders:?}");
    for folder in folders {
        let (document, problems) = Document::read("openapi.yaml", &Folder(folder.clone()));
        assert!(problems.is_empty(), "{}", problems.render(problems.sources(), false));
        let document = document.unwrap();
        for direction in [Direction::Request, Direction::Response] {
            let places: Vec<_> =
                sent_schemas(&document).into_iter().filter(|place| place.is_sent(direction)).collect();
            let oracle = Oracle::new(places.iter().map(|place| place.schema), direction).unwrap();
            let instances = Instances::new(&oracle);
            for place in places {
                // Enough seeds that every branch and every optional member occurs.
                for seed in 0..12 {
                    let value = instances.valid(place.schema, seed);
                    let value = value.unwrap_or_else(|reason| panic!("{}: {reason}", folder.display()));
                    for mutant in instances.invalid(place.schema, &value, seed, 10) {
                        assert!(!oracle.is_valid(place.schema, &mutant.value), "{mutant:?}");
                    }
                }
            }
        }
    }
}
