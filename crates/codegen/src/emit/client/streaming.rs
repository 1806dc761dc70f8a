//! The methods of the client for one operation: one, or two where the caller chooses between one body and a
//! stream of events.

use crate::ir::{Api, Coding, Content, Form, Operation, Payload};
use std::borrow::Cow;

/// An operation as one method of the client calls it.
pub(super) struct Method<'a> {
    /// The operation with the names of the method, and the responses that it reads.
    pub(super) operation: Cow<'a, Operation>,
    /// The name of the operation itself, with which the names of its types in the model begin.
    pub(super) owner: &'a str,
}

/// Returns the methods of an operation.
pub(super) fn methods<'a>(api: &Api, operation: &'a Operation) -> Vec<Method<'a>> {
    let owner = operation.name.as_str();
    let Some(streaming) = &operation.streaming else {
        return vec![Method { operation: Cow::Borrowed(operation), owner }];
    };
    let (short, stream) = (&operation.short, &streaming.short);
    let mut once = reading(api, operation, |form| !is_stream(form));
    add_note(&mut once, &format!("`{stream}` returns the answer as a stream of events instead."));
    let mut streamed = reading(api, operation, is_stream);
    streamed.name.clone_from(&streaming.name);
    streamed.short.clone_from(stream);
    streamed.pagination = None;
    add_note(
        &mut streamed,
        &format!("Returns the answer as a stream of server-sent events; `{short}` returns it at once."),
    );
    [once, streamed].map(|operation| Method { operation: Cow::Owned(operation), owner }).into()
}

/// Returns the operation with only some of the media types of its success.
fn reading(api: &Api, operation: &Operation, read: impl Fn(&Form) -> bool) -> Operation {
    let mut reduced = operation.clone();
    for answer in &mut reduced.successes {
        if let Some(Payload { forms, .. }) = answer.content.payload(&api.responses) {
            let forms = forms.iter().filter(|form| read(form)).cloned().collect();
            answer.content = Content::Body(Payload { forms, name: None });
        }
    }
    reduced
}

fn is_stream(form: &Form) -> bool {
    matches!(form.coding, Coding::Events(_))
}

fn add_note(operation: &mut Operation, note: &str) {
    let description = operation.description.get_or_insert_default();
    if !description.is_empty() {
        description.push_str("\n\n");
    }
    description.push_str(note);
}
