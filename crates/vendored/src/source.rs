//! Rust sources under another name and without their tests.

/// Every name that is replaced, as Rust spells it, and what comes behind the name of its user instead.
/// Manifests and prose have hyphens in it. Nothing else in the sources names this repository.
const RENAMED: [(&str, &str); 8] = [
    // A program may use the SDKs of several documents, each of which is published with a runtime of its own.
    ("frontdesk_runtime", "runtime"),
    // The others are members of a new repository, whose owners may change and publish them.
    ("frontdesk_pattern", "pattern"),
    ("frontdesk_document", "document"),
    ("frontdesk_codegen", "codegen"),
    ("frontdesk_commands", "commands"),
    ("frontdesk_contract", "contract"),
    ("frontdesk_mock", "mock"),
    ("frontdesk_disk", "disk"),
];

/// Replaces the names of this repository's packages by those that they have for `name`, which is in kebab
/// case.
pub(crate) fn renamed(text: &str, name: &str) -> String {
    let snake = name.replace('-', "_");
    RENAMED.iter().fold(text.to_owned(), |text, (own, suffix)| {
        text.replace(own, &format!("{snake}_{suffix}"))
            .replace(&own.replace('_', "-"), &format!("{name}-{suffix}"))
    })
}

/// Declares the module of patterns in the root of the runtime.
pub(crate) fn with_patterns(text: &str) -> String {
    text.replacen(
        "pub mod codec;\n",
        "pub mod codec;\n\n#[cfg(feature = \"validate\")]\npub mod patterns;\n",
        1,
    )
}

/// Leaves out every item that is compiled for tests only, with its docs. Such items are at the root of their
/// file.
pub(crate) fn without_tests(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            kept.push(line);
            continue;
        }
        while kept.last().is_some_and(|line| line.starts_with("///") || line.starts_with("#[")) {
            kept.pop();
        }
        // An item ends with its first line, or where its braces are closed at the beginning of a line.
        let first = lines.by_ref().find(|line| !line.starts_with("#[")).unwrap_or_default();
        if !first.ends_with(';') && !first.ends_with('}') {
            let _ = lines.by_ref().find(|line| *line == "}");
        }
        if kept.last().is_some_and(|line| line.is_empty()) {
            kept.pop();
        }
    }
    let mut text = kept.join("\n");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_tests_are_left_out() {
        let text = "mod a;\n#[cfg(test)]\nmod tests;\nmod b;\n\n/// Docs.\n#[cfg(test)]\nfn only() {\n    {\n    }\n}\n\nfn kept() {}\n\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        assert_eq!(without_tests(text), "mod a;\nmod b;\n\nfn kept() {}\n");
    }

    #[test]
    fn names_keep_their_spelling() {
        let text = "use frontdesk_runtime::A; // `frontdesk-runtime`, `frontdesk_document`, front desk";
        assert_eq!(
            renamed(text, "pet-store"),
            "use pet_store_runtime::A; // `pet-store-runtime`, `pet_store_document`, front desk"
        );
    }
}
