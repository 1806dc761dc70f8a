//! The generated types with a schema of their own: the directions in which they are used, and how each is
//! checked.

use frontdesk_codegen::ir::{Api, Shape, Type, TypeDef, TypeId};
use frontdesk_contract::Direction;
use frontdesk_document::{Document, NodeRef};

/// A type and the schema that it was generated from.
#[derive(Clone, Debug)]
pub struct Subject<'d> {
    /// The path of the type in the model crate.
    pub name: String,
    /// Its schema.
    pub schema: NodeRef<'d>,
    /// The directions in which its values are sent.
    pub directions: Vec<Direction>,
    /// How a server checks it.
    pub check: Check,
}

/// How a server checks a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Not at all: no request contains the type.
    None,
    /// By the type's check.
    Type,
    /// By the type's check, plus a check for values that the document does not list, which the type itself
    /// accepts.
    Listed,
}

/// Returns every JSON type that was generated from a single schema, in document order.
///
/// Types of combined schemas, lists and texts are covered as parts of other types. Types that contain a file
/// are not JSON, and types that contain a user-defined type compile only together with it.
pub fn of<'d>(document: &'d Document, api: &Api) -> Vec<Subject<'d>> {
    let closed = held(api);
    let defs = api.types.iter().zip(closed).filter(|(_, beyond)| !beyond);
    defs.filter_map(|(def, _)| {
        let schema = document.node(def.origin?);
        Some(Subject { name: def.name.clone(), schema, directions: directions(def), check: check(def) })
    })
    .collect()
}

fn directions(def: &TypeDef) -> Vec<Direction> {
    let directions = [(def.usage.request, Direction::Request), (def.usage.response, Direction::Response)];
    let mut directions: Vec<Direction> =
        directions.into_iter().filter(|(travels, _)| *travels).map(|(_, direction)| direction).collect();
    if directions.is_empty() {
        directions.push(Direction::Neither);
    }
    directions
}

fn check(def: &TypeDef) -> Check {
    match &def.shape {
        _ if !def.usage.request => Check::None,
        Shape::Enum(shape) if !shape.extensible => Check::Listed,
        _ => Check::Type,
    }
}

/// Returns which types contain a file or a user-defined type, by index.
fn held(api: &Api) -> Vec<bool> {
    let mut found = vec![false; api.types.len()];
    // Each round marks the types that contain a marked type.
    loop {
        let more: Vec<usize> = (0..api.types.len())
            .filter(|index| !found[*index] && api.types[*index].shape.parts().any(|ty| is_beyond(ty, &found)))
            .collect();
        if more.is_empty() {
            return found;
        }
        for index in more {
            found[index] = true;
        }
    }
}

fn is_beyond(ty: &Type, found: &[bool]) -> bool {
    match ty {
        Type::File | Type::Foreign(_) => true,
        Type::List(element) | Type::Map(element) => is_beyond(&element.ty, found),
        Type::Named(TypeId(index)) | Type::Boxed(TypeId(index)) => found[*index],
        _ => false,
    }
}
