//! Which declared responses the router of a server writes itself, and which of their bodies can state any
//! refusal.

use super::{
    Imports, ident,
    types::{From, write_payload},
};
use crate::ir::{
    Answer, Api, Caller, Content, Element, ErrorSet, Field, Location, Operation, Shape, Status, Struct, Type,
    TypeId,
};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;

/// The statuses of any response that is an error.
const ERRORS: (u16, u16) = (400, 599);

/// A response that an operation declares for requests that are refused.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    /// The first and the last status that it is declared for.
    pub(super) statuses: (u16, u16),
    /// The response.
    pub(super) answer: &'a Answer,
}

/// The responses by which a router refuses requests to the operations that have a set of errors.
#[derive(Debug)]
pub(super) struct Refused<'a> {
    /// Those that the operations declare: single statuses first, then classes, then `default`.
    pub(super) declared: Vec<Declared<'a>>,
    /// The one for all other statuses, if all errors have one body, or all of the document.
    pub(super) otherwise: Option<&'a Answer>,
}

impl<'a> Refused<'a> {
    /// Returns every response.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Answer> {
        self.declared.iter().map(|declared| declared.answer).chain(self.otherwise)
    }
}

/// Returns the responses by which a router refuses requests to the operations that have a set of errors.
pub(super) fn of_set<'a>(api: &'a Api, set: &'a ErrorSet) -> Refused<'a> {
    let possible: Vec<u16> = api.operations_of(set).flat_map(statuses).collect();
    let declared = among(&set.errors, &possible);
    let common = if set.errors.is_empty() {
        api_wide(api)
    } else {
        common(api, &set.errors.iter().collect::<Vec<_>>(), &declared)
    };
    let otherwise = common.filter(|_| declared.last().is_none_or(|last| last.statuses != ERRORS));
    Refused { declared, otherwise }
}

/// Returns the response whose body all errors of the document have, if they all have the same.
pub(super) fn api_wide(api: &Api) -> Option<&Answer> {
    let errors: Vec<&Answer> = api.operations().flat_map(|operation| &operation.errors).collect();
    let declared: Vec<Declared<'_>> = api.operations().flat_map(declared).collect();
    common(api, &errors, &declared)
}

/// Returns the response by which the router can refuse requests with any status, if all errors have the same
/// body.
fn common<'a>(api: &'a Api, errors: &[&'a Answer], declared: &[Declared<'a>]) -> Option<&'a Answer> {
    let (first, rest) = errors.split_first()?;
    let body = first.content.payload(&api.responses)?;
    if !rest.iter().all(|answer| answer.content.payload(&api.responses) == Some(body)) {
        return None;
    }
    // An authenticator has to make these responses anyway.
    let mut answers = declared.iter().map(|declared| declared.answer);
    answers.find(|answer| match answer.content {
        Content::Nothing => false,
        Content::Body(_) => true,
        Content::Response(id) => !api.response(id).headers.iter().any(|header| header.required),
    })
}

/// Returns the responses that an operation declares for refused requests: single statuses first, then
/// classes, then `default`.
pub(super) fn declared(operation: &Operation) -> Vec<Declared<'_>> {
    among(&operation.errors, &statuses(operation))
}

/// Returns the errors with which requests can be refused with some statuses.
fn among<'a>(errors: &'a [Answer], possible: &[u16]) -> Vec<Declared<'a>> {
    let ranged = errors.iter().filter_map(|answer| {
        let statuses = match answer.status {
            Status::Code(code) => (code, code),
            Status::Class(class @ 4..=5) => (class * 100, class * 100 + 99),
            Status::Class(_) => return None,
            Status::Default => ERRORS,
        };
        let occurs = possible.iter().any(|status| (statuses.0..=statuses.1).contains(status));
        occurs.then_some(Declared { statuses, answer })
    });
    let mut declared: Vec<Declared<'_>> = ranged.collect();
    declared.sort_by_key(|declared| declared.statuses.1 - declared.statuses.0);
    declared
}

/// Returns the statuses with which a request to an operation can be refused.
fn statuses(operation: &Operation) -> Vec<u16> {
    // Authorization knows these for every operation.
    let mut statuses = vec![403, 404, 429, 500];
    if operation.caller() != Caller::Nobody {
        statuses.push(401);
    }
    if operation.body.is_some() {
        statuses.extend([400, 413, 415]);
    }
    let checked = |location| location != Location::Path;
    if operation.body.is_some() || operation.parameters.iter().any(|parameter| checked(parameter.location)) {
        statuses.push(422);
    }
    if !operation.successes.is_empty() {
        statuses.push(406);
    }
    statuses
}

/// Returns the type that an authenticator makes for a response; nothing if the response has no content.
pub(super) fn made_type(
    api: &Api,
    content: &Content,
    from: From<'_>,
    imports: &mut Imports,
) -> Option<TokenStream> {
    match content {
        Content::Nothing => None,
        Content::Body(payload) => Some(write_payload(api, payload, from, imports)),
        Content::Response(id) => {
            let response = api.response(*id);
            if response.headers.is_empty() && response.body.is_none() {
                return None;
            }
            match from {
                From::Crate => imports.add_for_servers("crate", &response.name),
                From::Model(model) => imports.add(model, &response.name),
            }
            let name = ident(&response.name);
            Some(quote!(#name))
        }
    }
}

/// Returns the types that are bodies of refusals and whose shape can state any of them.
pub(super) fn stating(api: &Api) -> HashSet<TypeId> {
    let declared = api.operations().flat_map(declared);
    let bodies = declared.filter_map(|declared| declared.answer.content.payload(&api.responses)?.json());
    let named = bodies.filter_map(|element| match element {
        Element { ty: Type::Named(id), nullable: false, .. } => Some(api.original(*id)),
        _ => None,
    });
    named.filter(|id| statement(api, *id).is_some()).collect()
}

/// Whether a body or a response with a type of its own can state any refusal.
pub(super) fn can_state(api: &Api, content: &Content) -> bool {
    if let Content::Response(id) = content
        && api.response(*id).headers.iter().any(|header| header.required)
    {
        return false;
    }
    match content.payload(&api.responses).and_then(|payload| payload.json()) {
        Some(Element { nullable: false, ty, .. }) => match ty {
            Type::String => matches!(content, Content::Body(_)),
            Type::Any | Type::Raw(_) => true,
            Type::Named(id) => statement(api, api.original(*id)).is_some(),
            _ => false,
        },
        _ => false,
    }
}

/// The fields of a struct that state a refusal.
#[derive(Clone, Debug)]
pub(super) struct Statement<'a> {
    /// The field of the message.
    pub(super) text: &'a Field,
    /// The field of a heading, beside the message.
    pub(super) title: Option<&'a Field>,
    /// The field of the status.
    pub(super) status: Option<&'a Field>,
    /// The field of the violations.
    pub(super) errors: Option<&'a Field>,
}

impl Statement<'_> {
    /// Whether a field is one of them.
    fn has(&self, field: &Field) -> bool {
        let others = [self.title, self.status, self.errors];
        self.text.wire == field.wire || others.into_iter().flatten().any(|other| other.wire == field.wire)
    }
}

/// Returns the fields of a type that state a refusal; `None` if no text does, or if it requires anything
/// else.
pub(super) fn statement(api: &Api, id: TypeId) -> Option<Statement<'_>> {
    let def = api.type_def(id);
    let Shape::Struct(shape) = &def.shape else { return None };
    if !def.usage.response {
        return None;
    }
    let text = first(
        shape,
        &["message", "detail", "error_description", "description", "error", "reason", "title"],
        is_text,
    )?;
    let statement = Statement {
        text,
        title: first(shape, &["title"], is_text).filter(|title| title.wire != text.wire),
        status: first(shape, &["status", "code", "status_code", "statusCode"], is_number),
        errors: first(shape, &["errors", "violations", "fields"], is_violations),
    };
    let rest = shape.fields.iter().filter(|field| !statement.has(field));
    rest.into_iter().all(|field| !field.required).then_some(statement)
}

/// Returns the first usable field that has one of the names, in the order of the names.
fn first<'a>(shape: &'a Struct, names: &[&str], fits: fn(&Type) -> bool) -> Option<&'a Field> {
    let usable = |field: &&Field| !field.deprecated && !field.element.nullable && fits(&field.element.ty);
    names.iter().find_map(|name| shape.fields.iter().filter(usable).find(|field| field.wire == *name))
}

fn is_text(ty: &Type) -> bool {
    *ty == Type::String
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::I32 | Type::I64 | Type::U16 | Type::U32 | Type::U64)
}

/// Whether it is a map of lists of texts.
fn is_violations(ty: &Type) -> bool {
    let Type::Map(entry) = ty else { return false };
    let Type::List(text) = &entry.ty else { return false };
    !entry.nullable && !text.nullable && is_text(&text.ty)
}
