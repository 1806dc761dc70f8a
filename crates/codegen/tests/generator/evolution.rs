//! What a change of the contract changes in the crates made from it: exactly the files that it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use frontdesk_codegen::fileset::FileSet;
use frontdesk_document::MemoryLoader;

use crate::fixtures::{generated, options, read, workspace};

const ROOT: &str = "openapi.yaml";

/// A released version of the contract: small, and never edited.
static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    let path = workspace().join("spec/v1/released/1.1.0.yaml");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
});

/// What is generated from it.
static BEFORE: LazyLock<FileSet> = LazyLock::new(|| files(&DOCUMENT));

fn files(document: &str) -> FileSet {
    let loader = MemoryLoader::new().with(ROOT, document);
    generated(&read(ROOT, &loader), &options("frontdesk", ROOT)).files
}

/// The Rust files that differ after an edit of the document, with the lines that went and came; the bundles
/// differ with every edit. The text that is replaced must occur once.
fn changes(old: &str, new: &str) -> BTreeMap<String, String> {
    assert_eq!(DOCUMENT.matches(old).count(), 1, "`{old}`");
    let (before, after) = (&*BEFORE, files(&DOCUMENT.replace(old, new)));
    let mut changed = BTreeMap::new();
    let paths = before.iter().map(|(path, _)| path).chain(after.iter().map(|(path, _)| path));
    for path in paths {
        let (old, new) = (before.get(path).unwrap_or_default(), after.get(path).unwrap_or_default());
        if old != new {
            let diff = similar::TextDiff::from_lines(old, new);
            let lines: String = diff
                .iter_all_changes()
                .filter(|change| change.tag() != similar::ChangeTag::Equal)
                .map(|change| format!("{}{}", change.tag(), change.value()))
                .collect();
            changed.insert(path.to_owned(), lines);
        }
    }
    for bundle in ["openapi.json", "openapi.yaml"] {
        assert!(changed.remove(bundle).is_some(), "the edit did not reach {bundle}");
    }
    changed
}

fn paths(changed: &BTreeMap<String, String>) -> Vec<&str> {
    changed.keys().map(String::as_str).collect()
}

/// Returns the words of a difference that are no longer there. The members of a table share lines, so a new
/// one moves others.
fn taken_away(lines: &str) -> Vec<&str> {
    let words = |sign: char| {
        lines.lines().filter_map(move |line| line.strip_prefix(sign)).flat_map(str::split_whitespace)
    };
    let there: BTreeSet<&str> = words('+').collect();
    words('-').filter(|word| !there.contains(word)).collect()
}

#[test]
fn a_higher_maximum_changes_one_check() {
    let changed = changes(
        "          maxLength: 250\n          description: Text of the message.",
        "          maxLength: 500\n          description: Text of the message.",
    );
    assert_eq!(paths(&changed), ["model/src/schemas/messages/new_message.rs"]);
    insta::assert_snapshot!(changed["model/src/schemas/messages/new_message.rs"]);
}

#[test]
fn an_optional_field_of_an_answer_is_one_field_that_breaks_no_client() {
    let changed = changes(
        "          description: The answer. Empty after a person has taken over.\n",
        "          description: The answer. Empty after a person has taken over.\n        language:\n          type: string\n          description: The language of the answer.\n",
    );
    assert_eq!(paths(&changed), ["model/src/schemas/messages/answer.rs"]);
    let lines = &changed["model/src/schemas/messages/answer.rs"];
    assert!(lines.contains("+    pub language: Option<String>,"), "{lines}");
    assert_eq!(taken_away(lines), Vec::<&str>::new(), "{lines}");
    // Servers may build the struct with a literal, and then notice the field.
    let attribute = "#[cfg_attr(not(feature = \"server\"), non_exhaustive)]";
    assert!(BEFORE.get("model/src/schemas/messages/answer.rs").unwrap().contains(attribute));
}

#[test]
fn an_optional_field_of_a_request_is_one_setter_that_breaks_no_caller() {
    let changed = changes(
        "          description: Text of the message.\n",
        "          description: Text of the message.\n        language:\n          type: string\n          maxLength: 8\n          description: The language to answer in.\n",
    );
    assert_eq!(paths(&changed), ["model/src/schemas/messages/new_message.rs"]);
    let lines = &changed["model/src/schemas/messages/new_message.rs"];
    assert_eq!(taken_away(lines), Vec::<&str>::new(), "{lines}");
    insta::assert_snapshot!(lines);
}

#[test]
fn a_new_operation_is_a_method_that_every_server_must_write() {
    let changed = changes(
        "  \"/api/v1/chatbots/{chatbot_id}/messages\":\n",
        "  /api/v1/chatbots/{chatbot_id}/pause:
    post:
      operationId: pauseChatbot
      tags: [messages]
      summary: Pause a chatbot
      parameters:
        - $ref: '#/components/parameters/ChatbotId'
      responses:
        '204':
          description: The chatbot is paused.
        '404':
          $ref: '#/components/responses/NotFound'
  \"/api/v1/chatbots/{chatbot_id}/messages\":\n",
    );
    assert_eq!(
        paths(&changed),
        [
            "client/src/messages.rs",
            "model/src/operations.rs",
            "model/src/operations/messages.rs",
            "server/src/lib.rs",
            "server/src/messages.rs"
        ]
    );
    let lines = &changed["server/src/messages.rs"];
    // A signature without a body: an implementation that lacks it does not compile.
    let signature = lines.split("fn pause_chatbot(").nth(1).unwrap_or_else(|| panic!("{lines}"));
    let end = signature.find([';', '{']).map(|at| &signature[at..=at]);
    assert_eq!(end, Some(";"), "{lines}");
    assert!(changed["client/src/messages.rs"].contains("+    pub fn pause_chatbot(self, chatbot_id: Uuid)"));
}

#[test]
fn a_new_error_is_a_variant_of_one_operation() {
    let changed = changes(
        "        \"429\":\n          $ref: \"#/components/responses/ReplyRateLimited\"\n",
        "        \"409\":\n          $ref: \"#/components/responses/BadRequest\"\n        \"429\":\n          $ref: \"#/components/responses/ReplyRateLimited\"\n",
    );
    assert_eq!(paths(&changed), ["model/src/operations/messages.rs"]);
    // Two statuses carry the response now, so its type alone no longer tells the status.
    insta::assert_snapshot!(changed["model/src/operations/messages.rs"]);
}

#[test]
fn prose_changes_comments_only() {
    let changed = changes(
        "      description: \"Lists every chatbot that the caller can access, in one response.\"\n",
        "      description: Lists all chatbots of the caller.\n",
    );
    assert_eq!(paths(&changed), ["client/src/chatbots.rs", "server/src/chatbots.rs"]);
    for lines in changed.values() {
        assert!(lines.lines().all(|line| line[1..].trim_start().starts_with("///")), "{lines}");
    }
}
