//! The generated types that have a schema of their own, the directions in which they travel, and how each is checked.

use frontdesk_codegen::ir::{Api, Shape, Type, TypeDef, TypeId};
use frontdesk_contract::Side;
use frontdesk_document::{Document, NodeRef};

/// A type, and the schema that it was made of.
#[derive(Clone, Debug)]
pub struct Subject<'d> {
    /// The type, as the root of the model crate names it.
    pub name: String,
    /// Its schema.
    pub schema: NodeRef<'d>,
    /// The directions of its values.
    pub sides: Vec<Side>,
    /// How a server checks it.
    pub check: Check,
}

/// How a server checks a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Not at all: no request carries it.
    None,
    /// By its type.
    Type,
    /// By its type, which also reads values that the document does not list; the place refuses them.
    Listed,
}

/// Every type of JSON that was made of one schema, in the document's order.
///
/// Types of several schemas together are met within others, and so are lists and texts. What holds a file is no JSON, and
/// what holds a type of the user's compiles only where that is.
pub fn of<'d>(document: &'d Document, api: &Api) -> Vec<Subject<'d>> {
    let closed = held(api);
    let defs = api.types.iter().zip(closed).filter(|(_, beyond)| !beyond);
    defs.filter_map(|(def, _)| {
        let schema = document.node(def.origin?);
        Some(Subject { name: def.name.clone(), schema, sides: sides(def), check: check(def) })
    })
    .collect()
}

fn sides(def: &TypeDef) -> Vec<Side> {
    let sides = [(def.usage.request, Side::Request), (def.usage.response, Side::Response)];
    let mut sides: Vec<Side> =
        sides.into_iter().filter(|(travels, _)| *travels).map(|(_, side)| side).collect();
    if sides.is_empty() {
        sides.push(Side::Neither);
    }
    sides
}

fn check(def: &TypeDef) -> Check {
    match &def.shape {
        _ if !def.usage.request => Check::None,
        Shape::Enum(shape) if !shape.extensible => Check::Listed,
        _ => Check::Type,
    }
}

/// Which types hold a file or a type of the user's, by index.
fn held(api: &Api) -> Vec<bool> {
    let mut found = vec![false; api.types.len()];
    // A type is marked in the round after one that it holds.
    loop {
        let more: Vec<usize> = (0..api.types.len())
            .filter(|index| !found[*index] && parts(&api.types[*index].shape).any(|ty| is_beyond(ty, &found)))
            .collect();
        if more.is_empty() {
            return found;
        }
        for index in more {
            found[index] = true;
        }
    }
}

fn parts(shape: &Shape) -> Box<dyn Iterator<Item = &Type> + '_> {
    match shape {
        Shape::Struct(shape) => {
            let elements = shape.fields.iter().map(|field| &field.element).chain(&shape.extra);
            Box::new(elements.map(|element| &element.ty))
        }
        Shape::Enum(_) => Box::new(std::iter::empty()),
        Shape::Union(union) => Box::new(union.branches.iter().map(|branch| &branch.element.ty)),
        Shape::Newtype(element) => Box::new(std::iter::once(&element.ty)),
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
