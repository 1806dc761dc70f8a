//! Statuses with which the router of a generated server refuses requests, and that the operation does not
//! declare.

use std::collections::BTreeSet;

use frontdesk_document::{NodeRef, Operation};

use super::finding::Drafts;
use super::rules::ROUTER_STATUS_UNDECLARED;
use super::survey::{Survey, flag, object, text};
use crate::oracle::kind;

/// Keywords by which a text in a path or a query may be refused.
const RULES: [&str; 6] = ["enum", "format", "pattern", "minLength", "maxLength", "const"];

/// Checks every operation that a server has.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let root = survey.document.root();
    for operation in &survey.operations {
        let declared: Vec<&str> = operation.responses().map(|(status, _)| status.text).collect();
        let is_declared = |status: u16| {
            declared.iter().any(|code| {
                let code = code.trim().to_ascii_lowercase();
                code == "default" || code == status.to_string() || code == format!("{}xx", status / 100)
            })
        };
        let missing: Vec<String> = statuses(operation, root)
            .into_iter()
            .filter(|status| !is_declared(*status))
            .map(|status| status.to_string())
            .collect();
        if missing.is_empty() {
            continue;
        }
        let place = operation.node.get("responses").unwrap_or(operation.node);
        let message = format!(
            "{} does not declare {}, which a generated server sends",
            operation.name(),
            missing.join(", ")
        );
        let hint = "declare them, or `4XX` or `default`, so that their bodies are those of the interface";
        drafts.report(ROUTER_STATUS_UNDECLARED, place, message, hint);
    }
}

/// Returns the statuses of the refusals that need no authenticator's decision. That a path has no such method
/// (405) and that there is no such path are not responses of an operation. An `Accept` that excludes all
/// media types is refused (406) only by operations that declare it.
fn statuses(operation: &Operation<'_>, root: NodeRef<'_>) -> BTreeSet<u16> {
    let mut statuses = BTreeSet::new();
    let security = operation.node.get("security").or_else(|| root.get("security"));
    let mut requirements = security.into_iter().flat_map(NodeRef::items).peekable();
    if requirements.peek().is_some() && requirements.all(|requirement| !requirement.is_empty()) {
        statuses.insert(401);
    }
    for parameter in operation.distinct_parameters().map(|parameter| parameter.node) {
        match text(parameter, "in") {
            Some("path") if is_limited(parameter) => drop(statuses.insert(404)),
            Some("query" | "header" | "cookie") if flag(parameter, "required") || is_limited(parameter) => {
                statuses.insert(422);
            }
            _ => {}
        }
    }
    if let Some(body) = operation.body() {
        let contents: Vec<(&str, NodeRef<'_>)> =
            body.get("content").into_iter().flat_map(NodeRef::members).collect();
        // Nothing of a body of bytes is read before the handler, and it needs no media type.
        let is_read = |(media_type, _): &(&str, NodeRef<'_>)| *media_type != "application/octet-stream";
        if contents.iter().any(is_read) {
            statuses.extend([400, 413, 415, 422]);
        }
    }
    statuses
}

/// Returns whether not every text is a value of a parameter.
fn is_limited(parameter: NodeRef<'_>) -> bool {
    let Some(schema) = parameter.get("schema").and_then(object) else { return false };
    kind(schema).is_some_and(|kind| kind != "string")
        || RULES.iter().any(|keyword| schema.get(keyword).is_some())
        || ["allOf", "oneOf", "anyOf"].iter().any(|keyword| schema.get(keyword).is_some())
}
