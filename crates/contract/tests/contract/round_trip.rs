//! Tests of generated types against their schemas: valid instances are decoded and encoded unchanged, and the
//! check of bodies agrees with the oracle.
//!
//! The types are those of the fixtures whose crates are members of the workspace;
//! `cargo xtask corpus --round-trip` tests the types of any document.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::collections::BTreeMap;
use std::path::Path;

use frontdesk_contract::{Direction, Instances, Oracle, json_equality, sent_schemas};
use frontdesk_document::{Document, NodeRef};
use frontdesk_runtime::check::{Validate, check_json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::folder::Folder;

/// Returns the document in a folder of the workspace.
fn read(folder: &str) -> Document {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let (document, problems) = Document::read("openapi.yaml", &Folder(folder));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

/// Returns every component schema that bodies refer to, by name, with the other schemas in its file.
fn components(document: &Document) -> BTreeMap<&str, NodeRef<'_>> {
    let mut found = BTreeMap::new();
    for place in sent_schemas(document) {
        let Ok(target) = place.schema.resolve() else { continue };
        if target.pointer().starts_with("#/components/schemas/") {
            let siblings = target.parent().into_iter().flat_map(NodeRef::entries);
            found.extend(siblings.map(|(name, schema)| (name.text, schema)));
        }
    }
    found
}

/// Decodes and encodes a type.
type Echo = fn(&str) -> Result<Value, String>;
/// Runs the check of bodies.
type Check = fn(&str) -> Result<(), String>;

fn echo<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    // Whether `null` is allowed depends on where a type is used, not on the type.
    let value: Option<T> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // A value that is not converted through text would show single precision as double precision.
    let text = serde_json::to_string(&value).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn check<T: DeserializeOwned + Validate>(text: &str) -> Result<(), String> {
    check_json::<T>(text.as_bytes()).map(drop).map_err(|error| error.to_string())
}

/// Tests the types of a document. Returns the keywords for which oracle and check disagree.
fn compare(folder: &str, direction: Direction, types: &[(&str, Echo, Option<Check>)]) -> Vec<String> {
    let document = read(folder);
    let components = components(&document);
    let oracle = Oracle::new(components.values().copied(), direction).unwrap();
    let instances = Instances::new(&oracle);
    let mut disagreements = Vec::new();
    for (component, echo, check) in types {
        let schema = components[component];
        for seed in 0..40 {
            let value = instances.valid(schema, seed).unwrap_or_else(|reason| panic!("{reason}"));
            let text = value.to_string();
            match echo(&text) {
                Ok(back) if json_equality::difference(&value, &back).is_none() => {}
                Ok(back) => disagreements.push(format!("{component}: {text} comes back as {back}")),
                Err(error) => disagreements.push(format!("{component}: {text} is not read: {error}")),
            }
            let Some(check) = check.filter(|_| !value.is_null()) else { continue };
            if let Err(error) = check(&text) {
                disagreements.push(format!("{component}: {text} is refused: {error}"));
            }
            for mutant in instances.invalid(schema, &value, seed, 20) {
                if check(&mutant.value.to_string()).is_ok() {
                    disagreements.push(format!(
                        "{component}: `{}` at `{}` is not seen in {}",
                        mutant.keyword, mutant.pointer, mutant.value
                    ));
                }
            }
        }
    }
    disagreements
}

macro_rules! types {
    ($($module:ident { $($name:ident),* })*) => { [$($((stringify!($name), echo::<$module::$name> as Echo, None)),*),*] };
}

macro_rules! checked {
    ($($module:ident { $($name:ident),* })*) => {
        [$($((stringify!($name), echo::<$module::$name> as Echo, Some(check::<$module::$name> as Check))),*),*]
    };
}

#[test]
fn request_values_are_decoded_and_checked() {
    let types = checked! { widgets_model { NewWidget, WidgetPatch, Part, Circle } };
    let found = compare("tests/fixtures/ok/widgets", Direction::Request, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
}

#[test]
fn response_values_are_decoded_and_encoded() {
    let types = types! { widgets_model { Widget, Problem, State, Finish, Size, Part } };
    let found = compare("tests/fixtures/ok/widgets", Direction::Response, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
    let found =
        compare("tests/fixtures/ok/minimal", Direction::Response, &types! { minimal_model { Greeting } });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_contract_of_the_service_is_read_and_checked() {
    let types = checked! {
        frontdesk_model {
            ChatbotUpdate, ContactInfo, Instruction, NewChatbot, NewMessage, NewReply, QuickButton, ThreadMessage
        }
    };
    let found = compare("spec/v1", Direction::Request, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
}

#[test]
fn unions_are_read_as_the_branch_that_they_are() {
    let types = checked! { widgets_model { Everything, Choice, Square } };
    let found = compare("tests/fixtures/ok/widgets", Direction::Request, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
}
