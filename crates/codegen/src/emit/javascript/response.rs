//! Responses: the union of what a call may return, and how the runtime reads a success.

use super::{
    Context,
    lines::{DESCRIBED, array},
    text::literal,
    types::Writer,
};
use crate::ir::{Answer, Api, Coding, Form, Operation, Payload, Status, Type};
use std::collections::BTreeSet;

/// Which of the bodies of a success a function asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All that the document declares.
    All,
    /// A stream of events.
    Stream,
    /// Anything but a stream of events.
    Whole,
}

impl Wanted {
    fn forms(self, payload: Option<&Payload>) -> Vec<&Form> {
        let forms = payload.map_or(&[][..], |payload| &payload.forms).iter();
        let streams = |form: &Form| matches!(form.coding, Coding::Events(_));
        forms.filter(|form| self == Self::All || streams(form) == (self == Self::Stream)).collect()
    }
}

/// The type of a function's responses.
pub(super) fn declaration(
    context: &Context<'_>,
    writer: &mut Writer<'_>,
    operation: &Operation,
    wanted: Wanted,
    (name, function): (&str, &str),
) -> String {
    let (codes, declared) = (codes(operation), declared(operation));
    let mut types = Vec::new();
    for (answers, kind) in [(&operation.successes, "Success"), (&operation.errors, "Failure")] {
        for answer in answers {
            let payload = answer.content.payload(&context.api.responses);
            let forms = if kind == "Success" { wanted.forms(payload) } else { Wanted::All.forms(payload) };
            let status = match answer.status {
                Status::Code(code) => code.to_string(),
                Status::Class(class @ 1..=5) => others(&class_type(class), &codes),
                Status::Class(_) => "number".to_owned(),
                Status::Default if kind == "Success" => others(&class_type(2), &declared),
                Status::Default => others("runtime.Status", &declared),
            };
            types.push(format!("runtime.{kind}<{status}, {}>", writer.received(forms)));
        }
    }
    if !operation.errors.iter().any(|answer| answer.status == Status::Default) {
        let mut declared = declared;
        // A success without a status of its own is every success.
        if operation.successes.iter().any(|answer| answer.status == Status::Default) {
            declared.push(class_type(2));
        }
        let status = if declared.is_empty() {
            "runtime.Status".to_owned()
        } else {
            format!("runtime.OtherStatus<{}>", declared.join(" | "))
        };
        types.push(format!("runtime.Failure<{status}, unknown>"));
    }
    format!(
        "/** Responses of {{@link {function}}}. */\nexport type {name} =\n  | {};\n",
        types.join("\n  | ")
    )
}

/// The statuses that the document declares one by one.
fn codes(operation: &Operation) -> Vec<String> {
    let code = |answer: &Answer| match answer.status {
        Status::Code(code) => Some(code.to_string()),
        Status::Class(_) | Status::Default => None,
    };
    operation.answers().filter_map(code).collect()
}

/// The statuses that the document declares, one by one or as a class. What is left of a class, or of all
/// statuses, does not overlap them: otherwise a comparison with one status would leave two types.
fn declared(operation: &Operation) -> Vec<String> {
    let class = |answer: &Answer| match answer.status {
        Status::Class(class @ 1..=5) => Some(class_type(class)),
        Status::Class(_) | Status::Code(_) | Status::Default => None,
    };
    codes(operation).into_iter().chain(operation.answers().filter_map(class)).collect()
}

fn class_type(class: u16) -> String {
    format!("runtime.Status{class}XX")
}

/// The statuses of a type but for those that are declared.
fn others(of: &str, declared: &[String]) -> String {
    if declared.is_empty() {
        of.to_owned()
    } else {
        format!("runtime.Others<{of}, {}>", declared.join(" | "))
    }
}

/// The members of the description that is passed to the runtime, a line each.
pub(super) fn description(
    api: &Api,
    operation: &Operation,
    wanted: Wanted,
    calls: &mut BTreeSet<&'static str>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let accepted = accepted(api, operation, wanted);
    if accepted != "application/json" {
        lines.push(format!("{DESCRIBED}accept: {}", literal(&accepted)));
    }
    let mut answers: Vec<&Answer> = operation.successes.iter().collect();
    // A status comes before its class, which comes before the rest.
    answers.sort_by_key(|answer| match answer.status {
        Status::Code(_) => 0,
        Status::Class(_) => 1,
        Status::Default => 2,
    });
    let success: Vec<String> = answers
        .into_iter()
        .map(|answer| {
            let status = match answer.status {
                Status::Code(code) => code.to_string(),
                Status::Class(class) => format!("'{class}XX'"),
                Status::Default => "'default'".to_owned(),
            };
            match reader(&wanted.forms(answer.content.payload(&api.responses)), calls) {
                Some(reader) => format!("[{status}, {reader}]"),
                None => format!("[{status}]"),
            }
        })
        .collect();
    lines.push(array(&format!("{DESCRIBED}success: "), &success));
    lines
}

fn reader(forms: &[&Form], calls: &mut BTreeSet<&'static str>) -> Option<String> {
    let mut readers: Vec<(&str, &'static str)> = Vec::new();
    for form in forms {
        let name = match &form.coding {
            Coding::Json(_) => "readJson",
            Coding::Urlencoded(..) | Coding::Multipart(..) => "readForm",
            Coding::Text(_) => "readText",
            Coding::Bytes => "readBytes",
            Coding::Events(element) if element.ty == Type::String => "readTextEvents",
            Coding::Events(_) => "readEvents",
        };
        calls.insert(name);
        readers.push((&form.media_type, name));
    }
    let (_, first) = readers.first()?;
    if readers.iter().all(|(_, name)| name == first) {
        return Some((*first).to_owned());
    }
    calls.insert("readByType");
    let list: Vec<String> =
        readers.iter().map(|(media_type, name)| format!("[{}, {name}]", literal(media_type))).collect();
    Some(format!("readByType([{}])", list.join(", ")))
}

/// The media types of all responses, successes first. Of each response, types that are parsed come first,
/// because a server may use the first type that it supports.
fn accepted(api: &Api, operation: &Operation, wanted: Wanted) -> String {
    let mut media_types: Vec<&str> = Vec::new();
    let successes = operation.successes.iter().map(|answer| (answer, wanted));
    // A service that also knows the types of errors would choose among them for the success.
    let errors = operation.errors.iter().filter(|_| wanted != Wanted::Stream);
    for (answer, wanted) in successes.chain(errors.map(|answer| (answer, Wanted::All))) {
        let mut forms = wanted.forms(answer.content.payload(&api.responses));
        forms.sort_by_key(|form| matches!(form.coding, Coding::Bytes));
        for form in forms {
            if !media_types.contains(&form.media_type.as_str()) {
                media_types.push(&form.media_type);
            }
        }
    }
    if media_types.is_empty() { "*/*".to_owned() } else { media_types.join(", ") }
}
