//! The files: their sizes, their imports, and the vendored module.

use std::collections::BTreeSet;
use std::io::Read;

use flate2::read::GzDecoder;
use frontdesk_web::{Look, PanelPage, files, gzip, loader, panel};
use sha2::{Digest, Sha256};

/// The most bytes that a website loads for the button, compressed.
const LOADER_BUDGET: usize = 4_000;
/// The most bytes that the first opening of the chat loads, compressed.
const PANEL_BUDGET: usize = 35_000;

const LIT: &str = include_str!("../vendor/lit/README.md");

/// The paths that a page names below `/web/HASH/`.
fn named(html: &str) -> BTreeSet<&str> {
    html.split("../../web/").skip(1).filter_map(|rest| rest.split_once('/')?.1.split('"').next()).collect()
}

#[test]
fn the_widget_is_small() {
    let look = Look {
        key: "7d0d2c1e-3a51-4f0e-9d55-0b1f6a1c8e21",
        title: "Fern & Fable",
        button_text: Some("Ask us anything"),
        color: "#2f5d3a",
        is_at_start: false,
    };
    let size = gzip(&loader(&look)).len();
    assert!(size <= LOADER_BUDGET, "the loader has {size} bytes");

    let (html, _) = panel(&PanelPage { title: "Fern & Fable", language: Some("en"), origins: &[] });
    let loaded = named(&html);
    // One of the languages is loaded beside what the page names.
    let size =
        |path: &str| frontdesk_web::file(path).unwrap_or_else(|| panic!("{path} is missing")).gzip().len();
    let modules: usize = loaded.iter().filter(|path| !path.ends_with("LICENSE")).map(|path| size(path)).sum();
    let texts =
        files().filter(|file| file.path.starts_with("widget/texts/")).map(|file| file.gzip().len()).max();
    let whole = gzip(&html).len() + modules + texts.expect("there are texts");
    assert!(whole <= PANEL_BUDGET, "the panel has {whole} bytes");
}

#[test]
fn everything_that_is_imported_is_there_and_preloaded() {
    let (html, _) = panel(&PanelPage { title: "", language: None, origins: &[] });
    for path in named(&html) {
        assert!(frontdesk_web::file(path).is_some(), "{path} is named by the page, but is missing");
    }
    assert!(html.contains("/client/visitors.js\">"), "{html}");
    assert_eq!(files().filter(|file| file.path.starts_with("widget/texts/")).count(), 8);
    let unused: Vec<_> = files()
        .map(|file| file.path)
        .filter(|path| path.starts_with("client/") && path.contains("chatbots"))
        .collect();
    assert!(unused.is_empty(), "{unused:?} is for programs with an API key");
}

#[test]
fn a_file_is_the_same_when_it_is_decompressed() {
    for file in files() {
        let mut text = String::new();
        GzDecoder::new(file.gzip()).read_to_string(&mut text).unwrap();
        assert_eq!(text, file.text, "{}", file.path);
    }
}

#[test]
fn every_language_has_every_text() {
    let keys = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.split_once(": '"));
        lines.map(|(key, _)| key.to_owned()).collect()
    };
    let english = keys(&frontdesk_web::file("widget/texts/en.js").unwrap().text);
    assert!(english.len() > 30, "{english:?}");
    for file in files().filter(|file| file.path.starts_with("widget/texts/")) {
        assert_eq!(keys(&file.text), english, "{}", file.path);
    }
    let views = &frontdesk_web::file("widget/views.js").unwrap().text;
    for used in views.split("texts.").skip(1) {
        let key: String = used.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(key.is_empty() || key == "js" || english.contains(&key), "`texts.{key}` is missing");
    }
}

#[test]
fn nothing_interprets_markup() {
    for file in files().filter(|file| file.path.starts_with("widget/") || file.path.starts_with("shared/")) {
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "unsafeHTML",
            "srcdoc",
            "eval(",
        ] {
            assert!(!file.text.contains(sink), "{} uses {sink}", file.path);
        }
    }
}

#[test]
fn lit_is_the_module_that_was_vendored() {
    let text = &frontdesk_web::file("vendor/lit/lit.js").unwrap().text;
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(LIT.contains(&digest), "the README does not have {digest}");
    assert!(text.contains("createPolicy(\"lit-html\""), "the policy of the pages names another one");
}
