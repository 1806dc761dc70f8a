//! Tests that each id of the contracts has a schema that says what it identifies, and so is a type in the
//! crates.

use std::path::Path;

use serde_json::Value;

/// UUIDs that are no ids, or ids of things of several kinds.
const OTHERS: [&str; 4] = [
    // The resource that has the value, whatever it is.
    "/components/schemas/ConflictError/properties/existing_id",
    // A contact, a team member or a chatbot.
    "/components/schemas/MessageAuthor/properties/id",
    // Made by the page of a visitor, to send a message again.
    "/components/schemas/NewVisitorMessage/properties/client_message_id",
    // Whatever was changed.
    "/components/schemas/AuditEntry/properties/subject_id",
];

#[test]
fn ids_have_schemas_that_say_what_they_identify() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is a folder of the workspace");
    for bundle in ["generated/openapi.json", "generated/console/openapi.json"] {
        let text =
            std::fs::read_to_string(root.join(bundle)).unwrap_or_else(|error| panic!("{bundle}: {error}"));
        let document: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{bundle}: {error}"));
        let mut found = Vec::new();
        collect(&document, "", &mut found);
        assert!(found.iter().any(|place| place.ends_with("/AccountId")), "{bundle}: {found:?}");
        for place in found {
            let name = place.strip_prefix("/components/schemas/").unwrap_or("/");
            let is_named = name.ends_with("Id") && !name.contains('/');
            let holder = place.trim_end_matches("/schema").to_lowercase();
            let is_secret = holder.ends_with("key") || holder.ends_with("token");
            assert!(
                is_named || is_secret || OTHERS.contains(&&*place),
                "{bundle}: {place} has to refer to a schema such as `DealId`"
            );
        }
    }
}

/// Collects the places of all schemas of UUIDs.
fn collect(node: &Value, place: &str, found: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            if members.get("format").is_some_and(|format| format == "uuid") {
                found.push(place.to_owned());
            }
            for (name, member) in members {
                collect(member, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, place, found)),
        _ => {}
    }
}
