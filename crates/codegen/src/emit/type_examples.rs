//! Which types have an example in the document, and the operation that shows it.

use crate::ir::{Api, Element, Operation, Payload, Shape, Status, Type, TypeId};
use std::collections::{BTreeMap, HashSet};

/// The types of which an operation has the first example, by the operation's function.
#[derive(Debug, Default)]
pub(super) struct TypeExamples<'a>(BTreeMap<&'a str, ShownTypes>);

/// The structs that the examples of one operation show.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShownTypes {
    /// The body of the request.
    pub(super) request: Option<TypeId>,
    /// The body of the response.
    pub(super) response: Option<TypeId>,
}

impl<'a> TypeExamples<'a> {
    pub(super) fn of(api: &'a Api) -> Self {
        let mut seen = HashSet::new();
        let mut first = |id: Option<TypeId>| id.filter(|id| seen.insert(*id));
        let operations = api.operations().map(|operation| {
            let request = operation.request_example.as_ref().and(operation.body.as_ref());
            let request = first(request.and_then(|body| shown(api, &body.payload)));
            let response = first(response(api, operation));
            (operation.function.as_str(), ShownTypes { request, response })
        });
        Self(operations.collect())
    }

    /// Returns the types of which this operation has the first example.
    pub(super) fn by(&self, operation: &Operation) -> ShownTypes {
        self.0.get(operation.function.as_str()).copied().unwrap_or_default()
    }
}

fn response(api: &Api, operation: &Operation) -> Option<TypeId> {
    let example = operation.response_example.as_ref()?;
    example.body.as_ref()?;
    let status = Status::Code(example.status);
    let answer = operation.successes.iter().find(|answer| answer.status == status)?;
    shown(api, answer.content.payload(&api.responses)?)
}

/// Returns the struct that a JSON body is, unless it has a method of the name already.
fn shown(api: &Api, payload: &Payload) -> Option<TypeId> {
    let Element { ty: Type::Named(id) | Type::Boxed(id), nullable: false, .. } = payload.json()? else {
        return None;
    };
    let id = api.type_def(*id).duplicate_of.unwrap_or(*id);
    let Shape::Struct(shape) = &api.type_def(id).shape else { return None };
    // The setter of such a member has the name.
    (!shape.fields.iter().any(|field| field.rust == "example")).then_some(id)
}
