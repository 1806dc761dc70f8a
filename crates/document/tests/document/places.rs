//! Every value and key knows where it is written.

use frontdesk_document::NodeRef;

use crate::{document, root};

/// Place, excerpt and pointer of every value below a node, in document order.
fn outline(node: NodeRef<'_>, lines: &mut Vec<String>) {
    let (span, source) = (
        node.span(),
        node.document().sources().get(node.span().file).expect("the file is part of the document"),
    );
    let key = node
        .key()
        .map(|key| format!("{}-{} {:?} = ", key.span.start, key.span.end, &source.text()[key.span.range()]));
    lines.push(format!(
        "{:<28} {}{}-{} {:?}",
        node.pointer(),
        key.unwrap_or_default(),
        span.start,
        span.end,
        &source.text()[span.range()]
    ));
    for (_, value) in node.entries() {
        outline(value, lines);
    }
    for item in node.items() {
        outline(item, lines);
    }
}

fn outline_of(text: &str, path: &str) -> String {
    let document = document(&[(path, text)]);
    let mut lines = Vec::new();
    outline(document.root().get("x-p").expect("the sample has it"), &mut lines);
    lines.join("\n")
}

#[test]
fn places_in_yaml() {
    let text = root(
        "paths: {}\nx-p:\n  plain: some text # comment\n  'quo''ted': \"é\\n😀\"\n  😀é: {a: [1, 2],\n    b: }\n  \
         block: |\n    first\n    second\n\n  list:\n  - a: 1\n    b:\n    - x\n  -\n    - y\n  empty:\n  \
         anchored: &a !!str twelve\n  alias: *a\n  last: >-\n    folded\n    text\n",
    );
    insta::assert_snapshot!(outline_of(&text, "a.yaml"));
}

#[test]
fn places_in_yaml_with_carriage_returns() {
    let text =
        root("paths: {}\nx-p:\n  a: é\n  b:\n    - |\n      x\n      y\n    - z\n").replace('\n', "\r\n");
    insta::assert_snapshot!(outline_of(&text, "a.yaml"));
}

#[test]
fn places_in_json() {
    let text = "\u{FEFF}{\"openapi\": \"3.0.3\", \"info\": {\"title\": \"é😀\", \"version\": \"1\"}, \"paths\": {},\n \
        \"x-p\": {\"é\\n\": [1, -2.5e3,\n\ttrue, null, \"😀\\u0041\"], \"\": {}, \"b\": []}\n}";
    insta::assert_snapshot!(outline_of(text, "a.json"));
}
