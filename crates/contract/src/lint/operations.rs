//! Operations: descriptions, errors, bodies and links.

use std::collections::HashSet;

use frontdesk_document::{NodeRef, Operation};

use super::finding::Drafts;
use super::rules::{BODY_IGNORED, ERROR_RESPONSE_MISSING, INLINE_ERROR, LINK_TARGET, OPERATION_DESCRIPTION};
use super::survey::{Survey, has_text, text};

/// Checks operations and links. The generator reports missing success responses.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for operation in &survey.operations {
        let name = operation.name();
        if !has_text(operation.node, "summary") && !has_text(operation.node, "description") {
            let message = format!("{name} has neither `summary` nor `description`");
            drafts.report(OPERATION_DESCRIPTION, operation.node, message, "describe what it does");
        }
        for (status, response) in errors(operation) {
            if !response.reference().is_some_and(|target| target.contains("/components/responses/")) {
                let message = format!("{name} describes its response {status} inline");
                let hint = "move it to `components.responses`, and refer to it";
                drafts.report(INLINE_ERROR, response, message, hint);
            }
        }
        let body = operation.node.get("requestBody");
        if let Some(body) = body.filter(|_| matches!(operation.method, "get" | "head" | "trace")) {
            let message = format!("{name} has a body, which HTTP does not define for this method");
            drafts.report(BODY_IGNORED, body, message, "use query parameters, or POST");
        }
    }
    error_responses(survey, drafts);
    links(survey, drafts);
}

/// Returns the error responses of an operation.
fn errors<'d>(operation: &Operation<'d>) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    let is_error = |status: &str| status.starts_with(['4', '5']) || status == "default";
    operation
        .responses()
        .map(|(status, response)| (status.text, response))
        .filter(move |(status, _)| is_error(status))
}

fn error_responses<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    const HINT: &str = "add its 4xx responses, or `default`";
    // The generator reports operations without any response.
    let bare = |operation: &&Operation<'d>| {
        operation.responses().next().is_some() && errors(operation).next().is_none()
    };
    let found: Vec<&Operation<'d>> = survey.operations.iter().filter(bare).collect();
    // A document without any errors is reported once.
    if let Some(paths) = survey
        .document
        .root()
        .get("paths")
        .filter(|_| found.len() > 1 && found.len() == survey.operations.len())
    {
        let message = format!("none of the {} operations declares an error", found.len());
        drafts.report(ERROR_RESPONSE_MISSING, paths, message, HINT);
        return;
    }
    for operation in found {
        let place = operation.node.get("responses").unwrap_or(operation.node);
        drafts.report(ERROR_RESPONSE_MISSING, place, format!("{} declares no error", operation.name()), HINT);
    }
}

fn links<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let operations = survey.operations.iter().map(|it| it.node).chain(survey.events.iter().copied());
    let known: HashSet<&str> = operations.filter_map(|node| text(node, "operationId")).collect();
    for link in &survey.links {
        let message = match (text(*link, "operationId"), text(*link, "operationRef")) {
            (Some(_), Some(_)) => "the link has both `operationId` and `operationRef`".to_owned(),
            (None, None) => "the link has neither `operationId` nor `operationRef`".to_owned(),
            (Some(id), None) if !known.contains(id) => format!("there is no operation `{id}`"),
            _ => continue,
        };
        drafts.report(
            LINK_TARGET,
            *link,
            message,
            "write the `operationId` of an operation of this document",
        );
    }
}
