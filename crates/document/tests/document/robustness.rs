//! Inputs that nobody would write: whatever the text, reading ends with a document or with problems.

use frontdesk_document::{Document, Limits, MemoryLoader};

use crate::{document, loader, root};

/// A document that uses every feature of the reader.
const SAMPLE: &str = "\u{FEFF}# comment\nopenapi: 3.0.3\ninfo:\n  title: \"Pets \\u00e9\\x41\"\n  version: '1''0'\n  description: |+\n    a\n\n    b\n\n\
paths:\n  /pets/{id}:\n    parameters:\n      - {name: id, in: path, required: true, schema: {$ref: '#/components/schemas/Id'}}\n    \
get:\n      responses:\n        200: &ok\n          description: >-\n            é 😀\n            folded\n          content:\n            \
? application/json\n            : schema: {allOf: [{$ref: \"#/components/schemas/Pet\"}, {type: object}]}\n        default: {<<: *ok, description: other}\n\
components:\n  schemas:\n    Id: !!map {type: integer, minimum: 0x1, maximum: .5e+3}\n    Pet:\n      type: object\n      \
properties: {self: {$ref: '#/components/schemas/Pet'}, 'n': {nullable: true, enum: [~, on, 1.0]}}\n";

const SAMPLE_JSON: &str = r##"{"openapi": "3.0.3", "info": {"title": "é\ud83d\ude00\"\\", "version": "1"}, "paths": {
  "/a": {"get": {"responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
  {"$ref": "#/components/schemas/A"}}}}}}}}, "components": {"schemas": {"A": {"type": "integer", "minimum": -1.5E-3,
  "default": null, "enum": [1, 2.0, true, false, []]}}}}"##;

/// Reads, and shows what was found, since rendering must not fail either.
fn read(path: &str, text: &str) -> bool {
    let (document, diagnostics) = Document::read(path, &loader(&[(path, text)]));
    let shown = diagnostics.render(diagnostics.sources(), true);
    assert_eq!(diagnostics.is_empty(), shown.is_empty());
    if let Some(document) = &document {
        let bundle = document.bundle();
        let yaml = bundle.to_yaml();
        let again = crate::document(&[("bundle.yaml", &yaml)]);
        assert_eq!(again.root().to_json(), bundle.to_value(), "{yaml}");
    }
    assert_eq!(document.is_none(), diagnostics.has_errors());
    document.is_some()
}

#[test]
fn the_samples_are_read_whole() {
    assert!(read("a.yaml", SAMPLE));
    assert!(read("a.json", SAMPLE_JSON));
}

#[test]
fn every_prefix_ends_in_a_document_or_problems() {
    for (path, sample) in [("a.yaml", SAMPLE), ("a.json", SAMPLE_JSON), ("a", SAMPLE_JSON)] {
        for (end, _) in sample.char_indices() {
            read(path, &sample[..end]);
        }
    }
}

/// A small generator of numbers (SplitMix64), so that runs are alike everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((value ^ (value >> 31)) % bound as u64).expect("the bound is a usize")
    }
}

#[test]
fn mutations_end_in_a_document_or_problems() {
    const SPICES: &[&str] = &[
        "\n",
        " ",
        "\t",
        "\r",
        ":",
        ": ",
        "- ",
        "? ",
        "#",
        " #",
        "&a ",
        "*a",
        "!",
        "!!int ",
        "!<x> ",
        "%",
        "@",
        "`",
        "|",
        ">",
        "|2-\n",
        "'",
        "\"",
        "\\",
        "\\u",
        "{",
        "}",
        "[",
        "]",
        ",",
        "---\n",
        "...\n",
        "<<: ",
        "~",
        "\0",
        "\u{85}",
        "\u{2028}",
        "\u{FEFF}",
        "é",
        "😀",
        "$ref: ",
        "'#/a~2'",
        "1e999",
        "0x",
        "-",
        "%YAML 1.2\n",
        "%TAG ! x\n",
    ];
    let mut numbers = Numbers(7);
    for (path, sample) in [("a.yaml", SAMPLE), ("a.json", SAMPLE_JSON)] {
        let boundaries: Vec<usize> = sample.char_indices().map(|(index, _)| index).collect();
        for _ in 0..3000 {
            let mut text = sample.to_owned();
            for _ in 0..=numbers.below(3) {
                let at = boundaries[numbers.below(boundaries.len())];
                let Some(position) = (at..=text.len()).find(|at| text.is_char_boundary(*at)) else {
                    continue;
                };
                match numbers.below(3) {
                    0 => text.insert_str(position, SPICES[numbers.below(SPICES.len())]),
                    1 => {
                        let end = (position + numbers.below(12)).min(text.len());
                        let end =
                            (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
                        text.replace_range(position..end, "");
                    }
                    _ => {
                        let end = (position + numbers.below(40)).min(text.len());
                        let end =
                            (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
                        let piece = text[position..end].to_owned();
                        text.insert_str(position, &piece);
                    }
                }
            }
            read(path, &text);
        }
    }
}

#[test]
fn depth_is_bounded_and_what_is_within_bounds_works() {
    let nested = |levels: usize| {
        let schema = r#"{"properties":{"a":"#.repeat(levels) + r#"{"type":"string"}"# + &"}}".repeat(levels);
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"T","version":"1"}},"paths":{{}},"components":{{"schemas":{{"A":{schema}}}}}}}"#
        )
    };
    let text = nested(126);
    let document = document(&[("a.json", &text)]);
    let bundle = document.bundle();
    assert!(bundle.conforms().is_ok());
    assert_eq!(bundle.to_value(), document.root().to_json());
    let yaml = bundle.to_yaml();
    assert_eq!(crate::document(&[("a.yaml", &yaml)]).root().to_json(), bundle.to_value());
    for text in [nested(127), nested(100_000), "[".repeat(1_000_000)] {
        let diagnostics = crate::problems(&[("a.json", &text)]);
        assert_eq!(diagnostics.iter().map(|problem| problem.code).collect::<Vec<_>>(), ["too-deep"]);
    }
    for text in [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "a:\n".repeat(3),
        (0..2000).map(|depth| " ".repeat(depth) + "a:\n").collect(),
    ] {
        assert!(crate::problems(&[("a.yaml", &text)]).has_errors());
    }
}

#[test]
fn aliases_of_aliases_are_bounded() {
    let levels: Vec<String> =
        (1..64).map(|level| format!("x-{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)).collect();
    let text = root("paths: {}\nx-0: &a0 [lol, lol]\n") + &levels.concat();
    let diagnostics = crate::problems(&[("a.yaml", &text)]);
    assert_eq!(diagnostics.iter().map(|problem| problem.code).collect::<Vec<_>>(), ["alias-expansion"]);
}

#[test]
fn path_items_that_call_back_to_themselves_end() {
    let item = |callee: &str| {
        format!(
            "/p:\n  post:\n    callbacks:\n      one: {{x: {{$ref: '{callee}#/~1p'}}}}\n      two: {{x: {{$ref: '{callee}#/~1p'}}}}\n    \
             responses: {{'204': {{description: ok}}}}\n"
        )
    };
    let mut files = vec![("root.yaml".to_owned(), root("paths: {/p: {$ref: '0.yaml#/~1p'}}"))];
    for index in 0..200 {
        let callee = if index == 199 { "0.yaml".to_owned() } else { format!("{}.yaml", index + 1) };
        files.push((format!("{index}.yaml"), item(&callee)));
    }
    let (document, _) = Document::read("root.yaml", &files.into_iter().collect::<MemoryLoader>());
    let bundle = document.unwrap().bundle();
    assert_eq!(bundle.diagnostics().iter().map(|problem| problem.code).collect::<Vec<_>>(), ["too-deep"]);
    assert!(bundle.to_json().len() < 100_000);
}

#[test]
fn pointers_through_pointers_end() {
    let chain: Vec<String> = (0..200)
        .map(|index| {
            format!(
                "    S{index}: {{$ref: '#/components/schemas/S{}/properties/a/properties/b'}}\n",
                index + 1
            )
        })
        .collect();
    let chain = chain.concat();
    let text = root(&format!("paths: {{}}\ncomponents:\n  schemas:\n{chain}"));
    assert!(crate::strict_problems(&[("a.yaml", &text)]).has_errors());
    assert!(!crate::problems(&[("a.yaml", &text)]).has_errors());
}

#[test]
fn long_chains_of_references_are_followed() {
    let chain: Vec<String> = (0..5000)
        .map(|index| format!("    S{index}: {{$ref: '#/components/schemas/S{}'}}\n", index + 1))
        .collect();
    let chain = chain.concat();
    let text = root(&format!("paths: {{}}\ncomponents:\n  schemas:\n{chain}    S5000: {{type: string}}\n"));
    let document = document(&[("a.yaml", &text)]);
    let first = document
        .root()
        .get("components")
        .and_then(|components| components.get("schemas")?.get("S0"))
        .unwrap();
    assert_eq!(first.resolve().unwrap().pointer(), "#/components/schemas/S5000");
}

#[test]
fn limits_hold() {
    let text = root("paths: {/a: {$ref: b.yaml}, /b: {$ref: c.yaml}}");
    let files = loader(&[("a.yaml", &text), ("b.yaml", "get: {}"), ("c.yaml", "get: {}")]);
    let codes = |limits: Limits| {
        let (_, diagnostics) = Document::read_within("a.yaml", &files, limits);
        diagnostics.iter().map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(Limits::default()), Vec::<&str>::new());
    assert_eq!(codes(Limits { max_file_bytes: 50, ..Limits::default() }), ["file-too-large"]);
    assert_eq!(codes(Limits { max_files: 2, ..Limits::default() }), ["file-too-large"]);
    assert_eq!(codes(Limits { max_depth: 1, ..Limits::default() }), ["too-deep"]);
}
