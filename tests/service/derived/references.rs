//! Fields of bodies and query parameters that hold ids of resources.

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::contract::{Contract, Node, Operation};

/// Fields with special rules, which `isolation::foreign_ids` tests: an unknown conversation id begins a new
/// conversation, the interface has no operations on domains, tags are given by name, a token identifies no
/// resource, and the messages of a thread have no operations of their own.
const OWN_RULES: [(&str, &str); 9] = [
    ("sendMessage", "conversation_id"),
    ("sendMessage", "domain_id"),
    ("sendMessage", "source_tags"),
    ("sendMessage", "contact.jwt"),
    ("createVisitorSession", "jwt"),
    ("createVisitorSession", "domain_id"),
    ("retrievePassages", "source_tags"),
    ("listThreadMessages", "before"),
    ("listThreadMessages", "after"),
];

/// Fields whose names say what a resource is for instead of its kind: the operation, or all of them, the
/// field, and the path parameter that names the same kind of resource.
const ROLES: [(Option<&str>, &str, &str); 4] = [
    (None, "owner_id", "team_member_id"),
    (None, "assignee_id", "team_member_id"),
    (Some("deleteDealStatus"), "move_to", "deal_status_id"),
    (Some("deleteDealRow"), "move_to", "deal_row_id"),
];

/// The field that names an account. The interface has no operations on accounts, so no path has a parameter
/// for it.
pub(crate) const ACCOUNT: &str = "account_id";

/// A field of a body that holds ids of one kind of resource.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    steps: Vec<Step>,
    /// The path parameter that names the same kind of resource.
    pub(crate) resource: &'static str,
}

#[derive(Clone, Debug)]
enum Step {
    Member(&'static str),
    Each,
}

/// Returns the references in the body of an operation.
pub(crate) fn in_body(contract: &Contract, operation: &Operation) -> Vec<Reference> {
    let mut found = Vec::new();
    if let Some(body) = &operation.body {
        walk(contract, operation, body.schema, &mut Vec::new(), &mut found);
    }
    found
}

/// Returns the query parameters that hold ids, each with the path parameter that names the same kind of
/// resource.
pub(crate) fn in_query(contract: &Contract, operation: &Operation) -> Vec<(&'static str, &'static str)> {
    let held = operation.query.iter().filter(|parameter| holds_ids(parameter.name, parameter.schema));
    let held = held.filter(|parameter| !OWN_RULES.contains(&(operation.id, parameter.name)));
    held.map(|parameter| (parameter.name, resource(contract, operation, parameter.name, parameter.name)))
        .collect()
}

#[test]
fn fields_with_rules_of_their_own_exist() {
    let contract = super::contract::contract();
    for (operation, path) in OWN_RULES {
        let operation_of = contract.operation(operation);
        if operation_of.query.iter().any(|parameter| parameter.name == path) {
            continue;
        }
        let body = operation_of.body.as_ref().unwrap();
        let mut schema = resolved(body.schema);
        for name in path.split('.') {
            let found = parts(schema).find_map(|part| part.get("properties")?.get(name));
            schema = resolved(found.unwrap_or_else(|| panic!("{operation} has no field {path}")));
        }
    }
}

fn walk(
    contract: &Contract,
    operation: &Operation,
    schema: Node,
    steps: &mut Vec<Step>,
    found: &mut Vec<Reference>,
) {
    // Only recursive schemas are deeper.
    if steps.len() > 12 {
        return;
    }
    for part in parts(schema) {
        if let Some(items) = part.get("items") {
            steps.push(Step::Each);
            walk(contract, operation, items, steps, found);
            steps.pop();
        }
        for (name, property) in part.get("properties").into_iter().flat_map(NodeRef::members) {
            steps.push(Step::Member(name));
            let path = dotted(steps);
            if OWN_RULES.contains(&(operation.id, &path)) {
                // `isolation::foreign_ids` tests it.
            } else if holds_ids(name, property) {
                let resource = resource(contract, operation, &path, name);
                let mut steps = steps.clone();
                if parts(property).any(|part| part.get("items").is_some()) {
                    steps.push(Step::Each);
                }
                found.push(Reference { steps, resource });
            } else {
                walk(contract, operation, property, steps, found);
            }
            steps.pop();
        }
    }
}

/// Returns whether a field with this name and schema holds ids.
fn holds_ids(name: &str, schema: Node) -> bool {
    let is = |key: &str, word: &str| {
        parts(schema).any(|part| {
            let items = part.get("items").into_iter().flat_map(parts);
            std::iter::once(part)
                .chain(items)
                .any(|part| part.get(key).and_then(NodeRef::as_str) == Some(word))
        })
    };
    is("format", "uuid")
        || (name.ends_with("_id") || name.ends_with("_ids")) && is("type", "integer")
        || name.ends_with("_tags")
        || name == "jwt"
}

/// Returns the path parameter that names the same kind of resource: the one that the field's name ends with.
fn resource(contract: &Contract, operation: &Operation, path: &str, name: &str) -> &'static str {
    let role =
        ROLES.iter().find(|(only, field, _)| *field == name && only.is_none_or(|id| id == operation.id));
    let name = role.map_or(name, |(_, _, resource)| resource);
    if name == ACCOUNT {
        return ACCOUNT;
    }
    let single = if name.ends_with("_ids") { &name[..name.len() - 1] } else { name };
    let known = contract.operations.iter().flat_map(|operation| &operation.path_parameters);
    let fitting = known.filter(|known| single == **known || single.ends_with(&format!("_{known}")));
    fitting.max_by_key(|known| known.len()).unwrap_or_else(|| {
        panic!(
            "{}: it is unknown what `{path}` identifies. Let its name end with a path parameter, or, if a test of its own \
             covers the field, add it to OWN_RULES.",
            operation.id
        )
    })
}

impl Reference {
    /// Replaces the ids in this field, if the body has it.
    pub(crate) fn fill(&self, body: &mut Value, id: &str) {
        fn fill(value: &mut Value, steps: &[Step], id: &str) {
            match (steps, value) {
                ([], value) if value.is_string() => *value = Value::from(id),
                ([Step::Member(name), rest @ ..], Value::Object(members)) => {
                    if let Some(member) = members.get_mut(*name) {
                        fill(member, rest, id);
                    }
                }
                ([Step::Each], Value::Array(entries)) => {
                    // A list must not repeat an id.
                    entries.truncate(1);
                    for entry in entries {
                        fill(entry, &[], id);
                    }
                }
                ([Step::Each, rest @ ..], Value::Array(entries)) => {
                    for entry in entries {
                        fill(entry, rest, id);
                    }
                }
                _ => {}
            }
        }
        fill(body, &self.steps, id);
    }

    /// Returns the body with this id in the field, appended if the field is a list, and the key of the field
    /// under `errors`. Returns `None` if the body lacks the field.
    pub(crate) fn put(&self, body: &Value, id: &str) -> Option<(Value, String)> {
        fn put(value: &mut Value, steps: &[Step], id: &str, path: &mut Vec<String>) -> Option<()> {
            match (steps, value) {
                ([], value) => *value = Value::from(id),
                ([Step::Member(name), rest @ ..], Value::Object(members)) => {
                    path.push((*name).to_owned());
                    put(members.get_mut(*name)?, rest, id, path)?;
                }
                ([Step::Each], Value::Array(entries)) => {
                    path.push(entries.len().to_string());
                    entries.push(Value::from(id));
                }
                ([Step::Each, rest @ ..], Value::Array(entries)) => {
                    path.push("0".to_owned());
                    put(entries.first_mut()?, rest, id, path)?;
                }
                _ => return None,
            }
            Some(())
        }
        let (mut body, mut path) = (body.clone(), Vec::new());
        put(&mut body, &self.steps, id, &mut path)?;
        Some((body, path.join(".")))
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&dotted(&self.steps))
    }
}

fn dotted(steps: &[Step]) -> String {
    let names = steps.iter().filter_map(|step| match step {
        Step::Member(name) => Some(*name),
        Step::Each => None,
    });
    names.collect::<Vec<_>>().join(".")
}

fn resolved(node: Node) -> Node {
    node.resolve().unwrap()
}

/// Returns a schema, the members of its `allOf`, and the one of its `anyOf` beside `null`.
fn parts(schema: Node) -> impl Iterator<Item = Node> {
    let schema = resolved(schema);
    let members = ["allOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword));
    let all: Vec<Node> =
        members.flat_map(NodeRef::items).filter(|member| !is_null(*member)).map(resolved).collect();
    std::iter::once(schema).chain(all)
}

/// Returns whether a schema allows nothing but `null`.
pub(super) fn is_null(schema: Node) -> bool {
    let values: Option<Vec<Node>> = schema.get("enum").map(|values| values.items().collect());
    values.is_some_and(|values| !values.is_empty() && values.iter().all(|value| value.is_null()))
}
