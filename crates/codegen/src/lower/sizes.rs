//! Pass over the lowered document: boxes large types that another type would hold directly.

use super::{
    files::multipart,
    usage::{box_part, held},
};
use crate::ir::{Api, Shape, Type, TypeId};

/// Bytes beyond which a type is boxed. Objects that hold objects that hold objects would else be as large as
/// all of them together, hundreds of kilobytes in public documents, and a reader keeps several copies of each
/// on its way on the stack.
const LARGE: usize = 1024;

/// Boxes the parts that are larger than [`LARGE`]. By now no type holds itself but through a list or a map.
///
/// Sizes are estimates by the document alone, so that the output is the same for every target.
pub(super) fn box_large(api: &mut Api) {
    // The parts of a multipart body are read one by one.
    let multipart = multipart(api);
    let mut sizes: Vec<Option<usize>> = vec![None; api.types.len()];
    for start in 0..api.types.len() {
        if sizes[start].is_some() {
            continue;
        }
        // Nothing counts for a type on the way: a circle leads through a map, which is on the heap.
        sizes[start] = Some(0);
        let mut way = vec![(start, held(&api.types[start].shape).into_iter())];
        while let Some((index, parts)) = way.last_mut() {
            let index = *index;
            if let Some((_, target)) = parts.find(|(_, target)| sizes[target.0].is_none()) {
                sizes[target.0] = Some(0);
                way.push((target.0, held(&api.types[target.0].shape).into_iter()));
                continue;
            }
            way.pop();
            let shape = &mut api.types[index].shape;
            let large = |target: TypeId| sizes[target.0].is_some_and(|size| size > LARGE);
            if !multipart.contains(&TypeId(index)) {
                for (part, target) in held(shape).into_iter().filter(|(_, target)| large(*target)) {
                    box_part(shape, part, target);
                }
            }
            sizes[index] = Some(of_shape(shape, &sizes));
        }
    }
}

/// About how many bytes a value has, without what it keeps on the heap.
fn of_shape(shape: &Shape, sizes: &[Option<usize>]) -> usize {
    let parts = shape.parts().map(|ty| of_type(ty, sizes));
    match shape {
        // Further members are in a map, which comes last.
        Shape::Struct(shape) => {
            parts.take(shape.fields.len()).sum::<usize>() + shape.extra.as_ref().map_or(0, |_| 24)
        }
        Shape::Newtype(_) => parts.sum(),
        Shape::Union(_) => 8 + parts.max().unwrap_or_default(),
        Shape::Enum(_) => 24,
        Shape::Id => 16,
    }
}

fn of_type(ty: &Type, sizes: &[Option<usize>]) -> usize {
    match ty {
        Type::Boxed(_) => 8,
        Type::Named(id) => sizes[id.0].unwrap_or_default(),
        Type::Any | Type::Raw(_) => 32,
        Type::String | Type::Secret | Type::Base64 | Type::List(_) | Type::Map(_) => 24,
        Type::File | Type::Foreign(_) => 64,
        // With room for its absence.
        _ => 16,
    }
}
