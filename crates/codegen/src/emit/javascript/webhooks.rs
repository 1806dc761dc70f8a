//! The events that the service sends, for their receivers.

use super::{
    Context,
    text::{comment, literal, paragraphs, prose},
    types::{Writer, member},
};
use std::collections::BTreeSet;

/// The module of events, where the document has any.
pub(super) fn files(context: &Context<'_>) -> Vec<(String, String)> {
    let webhooks = &context.api.webhooks;
    if webhooks.is_empty() {
        return Vec::new();
    }
    let mut writer = Writer::new(context);
    let mut members = String::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for webhook in webhooks {
        let Some(ty) = webhook.payload.as_ref().and_then(|payload| writer.event(payload)) else { continue };
        // Callbacks of several operations often have one name.
        let mut name = match &webhook.operation {
            Some(operation) if taken.contains(&webhook.wire) => format!("{operation} {}", webhook.wire),
            _ => webhook.wire.clone(),
        };
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        let docs = paragraphs(&[&prose(webhook.docs.as_deref())]);
        members.push_str(&member(&name, false, &ty, &comment(&docs, &[], "  ")));
    }
    let types = format!(
        "/** The events by their names in the document. */\nexport interface WebhookEvents {{\n{members}}}\n\n\
         /** An event. Later versions may send others. */\nexport type WebhookEvent = WebhookEvents[keyof WebhookEvents];\n\n"
    );
    let header = context.header("webhooks");
    let signature = webhooks.iter().find_map(|webhook| webhook.signature.as_deref());
    let (code, functions) = match signature {
        None => (
            "export { receiveEvent as receive, verify } from './runtime/webhooks.js';\n".to_owned(),
            "/**\n * Verifies and reads an event (Standard Webhooks). `body` is the unchanged body of the request.\n *\n \
             * Rejected with a {@link runtime.WebhookError} if the event is not authentic or too old.\n */\n\
             export function receive<Event extends WebhookEvent = WebhookEvent>(\n  secret: runtime.WebhookSecret,\n  \
             headers: runtime.WebhookHeaders,\n  body: runtime.WebhookBody,\n  options?: runtime.WebhookOptions,\n): \
             runtime.Received<Event>;\n\n\
             /** Verifies an event without reading it. */\n\
             export function verify(\n  secret: runtime.WebhookSecret,\n  headers: runtime.WebhookHeaders,\n  \
             body: runtime.WebhookBody,\n  options?: runtime.WebhookOptions,\n): runtime.Received<void>;\n"
                .to_owned(),
        ),
        Some(header) => {
            let docs = format!("Reads an event. Verify it before by its header {}, as the service describes it.", literal(header));
            let docs = comment(&docs, &[], "");
            (
                "export { read } from './runtime/webhooks.js';\n".to_owned(),
                format!("{docs}export function read<Event extends WebhookEvent = WebhookEvent>(body: runtime.WebhookBody): Event;\n"),
            )
        }
    };
    let body = types + &functions;
    let imports = writer.imports("webhooks", &body);
    vec![
        ("webhooks.js".to_owned(), format!("{}{code}", context.module_header("webhooks", "webhooks"))),
        ("webhooks.d.ts".to_owned(), format!("{header}{imports}{body}")),
    ]
}
