//! Generated types against the schemas they are made of: what is valid is read and written again as it was, and the
//! check of bodies says of each instance what the oracle says.
//!
//! The types are those of the fixtures whose crates are members of the workspace; `cargo xtask corpus --round-trip` does the
//! same for the types of any document.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "documents/folder.rs"]
mod folder;

use std::collections::BTreeMap;
use std::path::Path;

use frontdesk_contract::{Instances, Oracle, Side, meaning, places};
use frontdesk_document::{Document, NodeRef};
use frontdesk_runtime::check::{Validate, check_json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use folder::Folder;

/// The document in a folder of the workspace.
fn read(folder: &str) -> Document {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let (document, problems) = Document::read("openapi.yaml", &Folder(folder));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

/// Every component schema that a body leads to, by its name, with those that stand next to it in its file.
fn components(document: &Document) -> BTreeMap<&str, NodeRef<'_>> {
    let mut found = BTreeMap::new();
    for place in places(document) {
        let Ok(target) = place.schema.resolve() else { continue };
        if target.pointer().starts_with("#/components/schemas/") {
            let siblings = target.parent().into_iter().flat_map(NodeRef::entries);
            found.extend(siblings.map(|(name, schema)| (name.text, schema)));
        }
    }
    found
}

/// Text to a type and back.
type Echo = fn(&str) -> Result<Value, String>;
/// What the check of bodies finds.
type Check = fn(&str) -> Result<(), String>;

fn echo<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    // Whether `null` may stand for a type is a property of the place, not of the type.
    let value: Option<T> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // A value made without text would show single precision as double precision.
    let text = serde_json::to_string(&value).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn check<T: DeserializeOwned + Validate>(text: &str) -> Result<(), String> {
    check_json::<T>(text.as_bytes()).map(drop).map_err(|error| error.to_string())
}

/// Holds the types of a document to its schemas. Where oracle and check disagree, the keyword is returned.
fn compare(folder: &str, side: Side, types: &[(&str, Echo, Option<Check>)]) -> Vec<String> {
    let document = read(folder);
    let components = components(&document);
    let oracle = Oracle::new(components.values().copied(), side).unwrap();
    let instances = Instances::new(&oracle);
    let mut disagreements = Vec::new();
    for (component, echo, check) in types {
        let schema = components[component];
        for seed in 0..40 {
            let value = instances.valid(schema, seed).unwrap_or_else(|reason| panic!("{reason}"));
            let text = value.to_string();
            match echo(&text) {
                Ok(back) if meaning::difference(&value, &back).is_none() => {}
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
fn what_requests_carry_is_read_and_checked() {
    let types = checked! { widgets_model { NewWidget, WidgetPatch, Part, Circle } };
    let found = compare("tests/fixtures/ok/widgets", Side::Request, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
}

#[test]
fn what_answers_carry_is_read_and_written() {
    let types = types! { widgets_model { Widget, Problem, State, Finish, Size, Part } };
    let found = compare("tests/fixtures/ok/widgets", Side::Response, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
    let found = compare("tests/fixtures/ok/minimal", Side::Response, &types! { minimal_model { Greeting } });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_contract_of_the_service_is_read_and_checked() {
    let types = checked! {
        frontdesk_model {
            ChatbotUpdate, ContactInfo, Instruction, NewChatbot, NewMessage, NewReply, QuickButton, ThreadMessage
        }
    };
    let found = compare("spec/v1", Side::Request, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
}

#[test]
fn unions_are_read_as_the_branch_that_they_are() {
    let types = checked! { widgets_model { Everything, Choice, Square } };
    let found = compare("tests/fixtures/ok/widgets", Side::Request, &types);
    assert!(found.is_empty(), "{} in all:\n{}", found.len(), found[..found.len().min(25)].join("\n"));
}
