//! What a change of the contract changes in the crates made from it: exactly the files that it is about.

use std::collections::BTreeMap;

use frontdesk_codegen::fileset::FileSet;
use frontdesk_document::MemoryLoader;

use crate::fixtures::{self, generated, options, read, workspace};

const ROOT: &str = "openapi.yaml";

/// The contract's files after an edit of one of them; the text that is replaced must occur once.
fn edited(file: &str, old: &str, new: &str) -> MemoryLoader {
    fixtures::files(&workspace().join("spec/v1"))
        .into_iter()
        .map(|(path, text)| {
            if path != file {
                return (path, text);
            }
            assert_eq!(text.matches(old).count(), 1, "`{old}` in {path}");
            (path, text.replace(old, new))
        })
        .collect()
}

fn files(loader: &MemoryLoader) -> FileSet {
    generated(&read(ROOT, loader), &options("frontdesk", "spec/v1/openapi.yaml")).files
}

/// The Rust files that differ, with the lines that went and came; the bundles differ with every edit.
fn changes(file: &str, old: &str, new: &str) -> BTreeMap<String, String> {
    let before = files(&fixtures::loader(&workspace().join("spec/v1")));
    let after = files(&edited(file, old, new));
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

#[test]
fn a_higher_maximum_changes_one_check() {
    let changed = changes(
        "messages.yaml",
        "          maxLength: 250\n          description: Text of the message.",
        "          maxLength: 500\n          description: Text of the message.",
    );
    assert_eq!(paths(&changed), ["model/src/schemas/new/new_message.rs"]);
    insta::assert_snapshot!(changed["model/src/schemas/new/new_message.rs"]);
}

#[test]
fn an_optional_field_of_an_answer_is_one_field_that_breaks_no_client() {
    let changed = changes(
        "messages.yaml",
        "          description: The answer. Empty after a person has taken over.\n",
        "          description: The answer. Empty after a person has taken over.\n        language:\n          type: string\n          description: The language of the answer.\n",
    );
    assert_eq!(paths(&changed), ["model/src/schemas/answer/answer.rs"]);
    let lines = &changed["model/src/schemas/answer/answer.rs"];
    assert!(lines.contains("+    pub language: Option<String>,"), "{lines}");
    assert!(!lines.lines().any(|line| line.starts_with('-')), "something is taken away:\n{lines}");
    // Servers may build the struct with a literal, and then notice the field.
    let answer = files(&fixtures::loader(&workspace().join("spec/v1")));
    let attribute = "#[cfg_attr(not(feature = \"server\"), non_exhaustive)]";
    assert!(answer.get("model/src/schemas/answer/answer.rs").unwrap().contains(attribute));
}

#[test]
fn an_optional_field_of_a_request_is_one_setter_that_breaks_no_caller() {
    let changed = changes(
        "messages.yaml",
        "          description: Text of the message.\n",
        "          description: Text of the message.\n        language:\n          type: string\n          maxLength: 8\n          description: The language to answer in.\n",
    );
    assert_eq!(paths(&changed), ["model/src/schemas/new/new_message.rs"]);
    let lines = &changed["model/src/schemas/new/new_message.rs"];
    assert!(!lines.lines().any(|line| line.starts_with('-')), "something is taken away:\n{lines}");
    insta::assert_snapshot!(lines);
}

#[test]
fn a_new_operation_is_a_method_that_every_server_must_write() {
    let changed = changes(
        "openapi.yaml",
        "  /api/v1/chatbots/{chatbot_id}/messages:\n",
        "  /api/v1/chatbots/{chatbot_id}/pause:
    post:
      operationId: pauseChatbot
      tags: [messages]
      summary: Pause a chatbot
      parameters:
        - $ref: './common.yaml#/components/parameters/ChatbotId'
      responses:
        '204':
          description: The chatbot is paused.
        '404':
          $ref: './common.yaml#/components/responses/NotFound'
  /api/v1/chatbots/{chatbot_id}/messages:\n",
    );
    assert_eq!(
        paths(&changed),
        [
            "client/src/messages.rs",
            "model/src/operations/messages.rs",
            "model/src/operations/table_.rs",
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
        "messages.yaml",
        "        '429':\n          $ref: '#/components/responses/ReplyRateLimited'\n",
        "        '409':\n          $ref: './common.yaml#/components/responses/BadRequest'\n        '429':\n          $ref: '#/components/responses/ReplyRateLimited'\n",
    );
    assert_eq!(
        paths(&changed),
        ["client/src/messages.rs", "model/src/operations/messages.rs", "server/src/messages.rs"]
    );
    // Two statuses carry the response now, so its type alone no longer tells the status.
    insta::assert_snapshot!(changed["model/src/operations/messages.rs"]);
}

#[test]
fn prose_changes_comments_only() {
    let changed = changes(
        "chatbots.yaml",
        "      description: Lists every chatbot that the caller can access, in one response.\n",
        "      description: Lists all chatbots of the caller.\n",
    );
    assert_eq!(paths(&changed), ["client/src/chatbots.rs", "server/src/chatbots.rs"]);
    for lines in changed.values() {
        assert!(lines.lines().all(|line| line[1..].trim_start().starts_with("///")), "{lines}");
    }
}
