//! Lowering of the events that a service sends: `x-webhooks` of the document, and callbacks of operations.

use super::{Lowering, docs, names, payloads::BodyName, text};
use crate::ir::Webhook;
use frontdesk_document::{Diagnostic, NodeRef, Operation, PathItem};

impl<'d> Lowering<'d, '_> {
    /// The events that the document lists for itself; those of callbacks are there already.
    pub(super) fn lower_webhooks(&mut self) {
        let document = self.document;
        for item in document.webhooks() {
            self.events(item.key.text, item, None, false);
        }
        if let Some((span, count)) = self.skipped {
            let events = if count == 1 { "an event".to_owned() } else { format!("{count} events") };
            self.problems.push(
                Diagnostic::warning(
                    "part-ignored",
                    span,
                    format!("the parameters of {events} are not generated; the bodies are"),
                )
                .hint("put into the body what a receiver has to know"),
            );
        }
    }

    /// The events that an operation subscribes to.
    pub(super) fn lower_callbacks(&mut self, operation: Operation<'d>, id: &str) {
        for callback in operation.callbacks() {
            let items: Vec<_> = callback.path_items().collect();
            let several = items.len() > 1;
            for item in items {
                self.events(callback.name, item, Some(id), several);
            }
        }
    }

    /// One event for each method of a path item.
    fn events(&mut self, wire: &str, item: PathItem<'d>, operation: Option<&str>, several: bool) {
        let calls: Vec<Operation<'d>> = item.operations().collect();
        let several = several || calls.len() > 1;
        for call in calls {
            let (method, node) = (call.method, call.node);
            let own = text(node, "x-rust-name").or_else(|| text(node, "operationId").filter(|_| several));
            let wanted = match own {
                Some(name) => names::pascal(name),
                None if several => names::pascal(&format!("{wire} {method}")),
                None => names::pascal(wire),
            };
            // Callbacks of several operations often have one name, such as `onEvent`.
            let rust = match operation {
                Some(id) if self.webhooks.iter().any(|webhook| webhook.rust == wanted) => {
                    self.event_names.take(&names::inline(&names::pascal(id), &wanted), "Event")
                }
                _ => self.event_names.take(&wanted, "Event"),
            };
            let base = if rust.ends_with("Event") { rust.clone() } else { format!("{rust}Event") };
            let payload = call.body().and_then(|body| {
                let name = BodyName { choice: format!("{base}Body"), inline: base.clone() };
                self.payload(body.get("content")?, &name)
            });
            let parameters = node.get("parameters").or_else(|| item.node.get("parameters"));
            if let Some(parameters) = parameters.filter(|list| !list.is_empty()) {
                let (_, count) = self.skipped.get_or_insert((parameters.key_span(), 0));
                *count += 1;
            }
            self.webhooks.push(Webhook {
                wire: wire.to_owned(),
                rust,
                operation: operation.map(str::to_owned),
                docs: docs(node).or_else(|| {
                    text(node, "summary").map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
                }),
                method: method.to_ascii_uppercase(),
                payload,
                signature: parameters.and_then(signature),
            });
        }
    }
}

/// The header among parameters that holds a signature of another kind than Standard Webhooks'.
fn signature(parameters: NodeRef<'_>) -> Option<String> {
    let headers = parameters
        .items()
        .filter_map(|parameter| parameter.resolve().ok())
        .filter(|parameter| text(*parameter, "in") == Some("header"));
    let names: Vec<&str> = headers.filter_map(|header| text(header, "name")).collect();
    if names.iter().any(|name| name.eq_ignore_ascii_case("webhook-signature")) {
        return None;
    }
    // A service that changes from one digest to another sends both for a time, the better one last.
    let signed = names.iter().rfind(|name| name.to_ascii_lowercase().contains("signature"));
    signed.map(|name| (*name).to_owned())
}
