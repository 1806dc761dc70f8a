//! Errors of operations: one enumeration for each set, which every operation that has it exports under a name
//! of its own.

use super::{
    super::{
        Facts, Imports, Source,
        file_split::Unit,
        ident,
        prose::{status_line, status_text},
        refusals::{made_type, of_set},
        types::{From, style_name, write_payload},
    },
    plain::Plain,
    reach::Reach,
    reached,
    union::{derive, growing},
};
use crate::{
    ir::{
        Answer, Api, Coding, Content, Element, ErrorSet, Form, Operation, Part, Payload, ResponseId, Status,
        Type, TypeId,
    },
    render::{Block, doc_comment, raw_docs, spelled},
};
use heck::ToSnakeCase;
use quote::quote;
use std::fmt::Write;

/// The path of the module without its ending, which is also that of its folder.
const STEM: &str = "model/src/errors";

const DOCS: &str = "Errors that several operations declare. Each operation exports them under a name of its own, which stays \
    the same if it declares other errors.";

/// Whether there is a module for sets that several operations have.
pub(super) fn has_module(api: &Api) -> bool {
    api.error_sets.iter().any(ErrorSet::is_shared)
}

/// `errors`: one file, or a module for each tag if that would be long or tags are features.
pub(super) fn emit<'a>(api: &'a Api, facts: &'a Facts<'a>) -> Vec<Source<'a>> {
    reached::sources(api, STEM, "Errors", DOCS, move || {
        let shared = api.error_sets.iter().filter(|set| set.is_shared());
        let units = shared.enumerate().map(|(position, set)| {
            let make = move |imports: &mut Imports| vec![definition(api, set, &facts.plain, imports)];
            let reach = Reach::of(set.groups(), false);
            (reach, Unit::new(set.name.to_snake_case(), vec![set.name.clone()], position, make))
        });
        units.collect()
    })
}

/// Returns the errors of an operation: their enumeration, or the name of one that it shares.
pub(in crate::emit) fn of_operation(
    api: &Api,
    operation: &Operation,
    plain: &Plain<'_>,
    imports: &mut Imports,
) -> Block {
    let set = api.errors_of(operation);
    if !set.is_shared() {
        return definition(api, set, plain, imports);
    }
    let docs = raw_docs(&operation_docs(operation, set));
    let (shared, own) = (ident(&set.name), ident(&format!("{}Error", operation.name)));
    Block::Rust(quote!(#docs pub use crate::errors::#shared as #own;))
}

/// Returns the docs of the errors of an operation, with what it says of them otherwise than others do.
fn operation_docs(operation: &Operation, set: &ErrorSet) -> String {
    let constant = &operation.constant;
    let fallback = |answer: &Answer| answer.status == Status::Default;
    let undeclared = operation.successes.iter().all(|answer| !answer.declared);
    let mut docs = if operation.errors.is_empty() {
        format!("[`{constant}`] declares no errors.")
    } else if undeclared && operation.errors.iter().all(fallback) {
        format!("The responses of [`{constant}`] with other statuses than 2XX.")
    } else {
        format!("The errors that [`{constant}`] declares.")
    };
    let own = operation.errors.iter().filter(|answer| {
        let shared = set.errors.iter().find(|shared| shared.status == answer.status);
        answer.docs.is_some() && shared.is_some_and(|shared| shared.docs != answer.docs)
    });
    let lines: String =
        own.map(|answer| format!("\n- {}", status_line(answer.status, answer.docs.as_deref()))).collect();
    if !lines.is_empty() {
        docs.push('\n');
        docs.push_str(&lines);
    }
    docs
}

/// Returns the docs of a set that several operations have.
fn shared_docs(set: &ErrorSet) -> String {
    let statuses: Vec<String> = set.errors.iter().map(|answer| status_text(answer.status)).collect();
    match &statuses[..] {
        [] => "No errors.".to_owned(),
        [only] => format!("An error with {only}."),
        [all @ .., last] => format!("An error with {} or {last}.", all.join(", ")),
    }
}

/// An invocation of the runtime's macro, laid out as a person would.
fn definition(api: &Api, set: &ErrorSet, plain: &Plain<'_>, imports: &mut Imports) -> Block {
    let docs = match api.operations_of(set).next().filter(|_| !set.is_shared()) {
        Some(only) => operation_docs(only, set),
        None => shared_docs(set),
    };
    imports.add("frontdesk_runtime", "errors");
    let mut text = format!("errors! {{\n{}", doc_comment(&docs, "    "));
    let is_plain = set.errors.iter().all(|answer| plain.is_plain_content(api, &answer.content));
    let _ = writeln!(text, "    {}", spelled(derive(is_plain)));
    let refused = of_set(api, set);
    if set.errors.is_empty() {
        let _ = writeln!(text, "    pub enum {} {{}}", set.name);
    } else {
        let _ = writeln!(text, "    {}", spelled(growing()));
        let _ = writeln!(text, "    pub enum {} {{", set.name);
        for answer in &set.errors {
            text.push_str(&doc_comment(&status_line(answer.status, answer.docs.as_deref()), "        "));
            let is_refused = refused.declared.iter().any(|found| found.answer.status == answer.status);
            let _ = writeln!(text, "        {},", entry(api, set, answer, is_refused, imports));
        }
        text.push_str("    }\n");
    }
    // Clients do not compile what only routers write.
    let mut for_servers = Imports::default();
    if let Some(content) = refused.otherwise.map(|answer| &answer.content)
        && let Some(payload) = content.payload(&api.responses)
        && let Some(refused) = made_type(api, content, From::Crate, &mut for_servers)
    {
        let body = held(api, content, &mut for_servers);
        let _ = writeln!(text, "    otherwise ({body}){} refuses ({})", form_of(payload), spelled(&refused));
    }
    imports.merge_for_servers(&for_servers);
    text.push_str("}\n");
    Block::Text(text)
}

/// Returns one error: its status, its variant, and how it is read, written and made.
fn entry(api: &Api, set: &ErrorSet, answer: &Answer, is_refused: bool, imports: &mut Imports) -> String {
    imports.add("frontdesk_runtime", "WithHeaders");
    let body = held(api, &answer.content, imports);
    let (statuses, held) = match answer.status {
        Status::Code(code) => (code.to_string(), format!("(WithHeaders<{body}>)")),
        Status::Class(class) => {
            (format!("{class}00..={class}99"), format!("(StatusCode, WithHeaders<{body}>)"))
        }
        Status::Default => ("100..=999".to_owned(), format!("(StatusCode, WithHeaders<{body}>)")),
    };
    if !matches!(answer.status, Status::Code(_)) {
        imports.add("frontdesk_runtime", "StatusCode");
    }
    let mut text = format!("{statuses} => {}{held}", answer.variant);
    match answer.content.payload(&api.responses) {
        Some(payload) => text.push_str(&form_of(payload)),
        None => text.push_str(" as empty"),
    }
    if let Some(response) = converted(api, set, answer) {
        imports.add_for_servers("crate", response);
        let _ = write!(text, " from {response}");
    }
    if is_refused {
        match made_type(api, &answer.content, From::Crate, imports) {
            Some(ty) => {
                let _ = write!(text, " refuses {}", spelled(&ty));
            }
            None => text.push_str(" refused empty"),
        }
    }
    text
}

/// Returns the type of a response that `?` converts to an error, if it determines the status.
fn converted<'a>(api: &'a Api, set: &ErrorSet, answer: &Answer) -> Option<&'a str> {
    if !matches!(answer.status, Status::Code(_)) {
        return None;
    }
    let (ty, name) = one_type(api, &answer.content)?;
    let types = set.errors.iter().filter_map(|other| one_type(api, &other.content));
    (types.filter(|(other, _)| *other == ty).count() == 1).then_some(name)
}

/// The identity of a response's type, with aliases resolved.
#[derive(PartialEq, Eq)]
enum OneType {
    Response(ResponseId),
    Schema(TypeId),
}

/// Returns the only type of a response, and its name there.
fn one_type<'a>(api: &'a Api, content: &Content) -> Option<(OneType, &'a str)> {
    match content {
        Content::Nothing => None,
        Content::Response(id) => Some((OneType::Response(*id), &api.response(*id).name)),
        Content::Body(payload) => match payload.json()? {
            Element { ty: Type::Named(id), nullable: false, .. } => {
                Some((OneType::Schema(api.original(*id)), &api.type_def(*id).name))
            }
            _ => None,
        },
    }
}

/// Returns the type of a body.
fn held(api: &Api, content: &Content, imports: &mut Imports) -> String {
    let Some(payload) = content.payload(&api.responses) else { return "()".to_owned() };
    // The alternatives of a body are in the module of the response.
    if let (Content::Response(_), Some(name)) = (content, &payload.name) {
        imports.add("crate", name);
    }
    spelled(write_payload(api, payload, From::Crate, imports))
}

/// Returns how a body is written, unless it is JSON; behind `as`.
fn form_of(payload: &Payload) -> String {
    let forms = &payload.forms;
    let listed = |variants: bool| {
        let forms = forms.iter().map(|form| {
            let variant = if variants { format!(" => {}", form.variant) } else { String::new() };
            format!("{:?}{variant} as {}", form.media_type, coding(form))
        });
        forms.collect::<Vec<_>>().join(", ")
    };
    if let Some(name) = &payload.name {
        return format!(" as one_of({name} {{ {} }})", listed(true));
    }
    let Some(first) = forms.first() else { return " as empty".to_owned() };
    let alike = forms
        .iter()
        .all(|form| std::mem::discriminant(&form.coding) == std::mem::discriminant(&first.coding));
    match coding(first).as_str() {
        _ if !alike => format!(" as any_of({})", listed(false)),
        "json" => String::new(),
        coding => format!(" as {coding}"),
    }
}

/// Returns how one form of a body is written.
fn coding(form: &Form) -> String {
    let media_type = form.media_type.as_str();
    match &form.coding {
        Coding::Json(_) if media_type == "application/json" || media_type.contains('*') => "json".to_owned(),
        Coding::Json(_) => format!("json({media_type:?})"),
        Coding::Urlencoded(_, parts) => format!("form({})", members(parts)),
        Coding::Multipart(..) => format!("multipart({media_type:?})"),
        Coding::Text(_) => format!("text({:?})", text_type(media_type)),
        Coding::Bytes => format!("bytes({media_type:?})"),
        Coding::Events(element) if element.ty == Type::String => "text_events".to_owned(),
        Coding::Events(_) => "events".to_owned(),
    }
}

/// Returns the media type with which a server sends text.
pub(in crate::emit) fn text_type(media_type: &str) -> String {
    match media_type {
        "*/*" | "text/*" => "text/plain; charset=utf-8".to_owned(),
        text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
        other => other.to_owned(),
    }
}

/// Returns the encoding of the members of a form.
fn members(parts: &[Part]) -> String {
    let members = parts.iter().map(|part| {
        let style = style_name(part.style);
        format!(
            "frontdesk_runtime::codec::Member {{ name: {:?}, style: frontdesk_runtime::codec::Style::{style}, explode: {}, reserved: {} }}",
            part.wire, part.explode, part.allow_reserved
        )
    });
    format!("&[{}]", members.collect::<Vec<_>>().join(", "))
}
