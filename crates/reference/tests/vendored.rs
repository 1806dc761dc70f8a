//! Comparison of the vendored files with their README.

use sha2::{Digest, Sha256};

const README: &str = include_str!("../vendor/scalar/README.md");

#[test]
fn the_script_is_the_one_that_was_released() {
    let page = frontdesk_reference::page(r#"{"info": {"title": "Pets"}}"#).unwrap();
    let script = page.assets.iter().find(|asset| asset.path == "docs/scalar.js").unwrap().content.text();
    let digest: String = Sha256::digest(script.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(README.contains(&digest), "the README does not have {digest}");
    let version = README.split_once("| version | ").unwrap().1.split_once(" |").unwrap().0;
    assert!(script.contains(&format!("`{version}`")), "the script is not of version {version}");
}
