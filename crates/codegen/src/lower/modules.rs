//! Pass over the lowered document: assigns each type to its holder and to a module.

use super::names;
use crate::ir::{Api, Type, TypeId};
use std::collections::{HashMap, HashSet};

/// Finds the holder of every type, and the name of its module within that of the holder.
pub(super) fn name(api: &mut Api) {
    let mut modules: HashMap<&str, Vec<TypeId>> = HashMap::new();
    for (index, def) in api.types.iter().enumerate() {
        modules.entry(&def.root_module).or_default().push(TypeId(index));
    }
    let held: Vec<(TypeId, TypeId)> = modules.into_values().flat_map(|types| holders(api, &types)).collect();
    for (id, holder) in held {
        api.types[id.0].holder = Some(holder);
    }
    let mut taken = HashSet::new();
    for index in 0..api.types.len() {
        let def = &api.types[index];
        let module = match def.holder {
            Some(holder) => {
                let module = within(&api.type_def(holder).name, &def.name);
                // Names that differ only in their capitals have the same words.
                let again = (2..).map(|number| format!("{module}_{number}"));
                let mut names = std::iter::once(module.clone()).chain(again);
                names.find(|name| taken.insert((holder, name.clone()))).unwrap_or(module)
            }
            None => def.root_module.clone(),
        };
        api.types[index].module = module;
    }
}

/// Returns the holder of each type in a root module except the first: the type that uses it, otherwise the
/// first.
fn holders(api: &Api, types: &[TypeId]) -> Vec<(TypeId, TypeId)> {
    let Some((first, others)) = types.split_first() else { return Vec::new() };
    let mut holders: HashMap<TypeId, TypeId> = others.iter().map(|id| (*id, *first)).collect();
    for id in types.iter().rev() {
        let def = api.type_def(*id);
        // An alias says nothing of what it holds.
        if def.duplicate_of.is_some() {
            continue;
        }
        for held in def.shape.parts().filter_map(Type::named) {
            // A type has its name before what stands in it; of others it only makes use.
            if *id < held
                && let Some(holder) = holders.get_mut(&held)
            {
                *holder = *id;
            }
        }
    }
    holders.into_iter().collect()
}

/// The module of a type within that of another, whose words it need not say again.
fn within(holder: &str, name: &str) -> String {
    let (holder, module) = (names::module(holder), names::module(name));
    match module.strip_prefix(&holder).and_then(|rest| rest.strip_prefix('_')) {
        Some(rest) if !rest.is_empty() => names::module(rest),
        _ => module,
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_module_says_what_its_folder_does_not() {
        for (holder, name, module) in [
            ("Order", "OrderAddress", "address"),
            ("Order", "OrderType", "type_"),
            ("Order", "Ordering", "ordering"),
            ("Order", "Order2", "order2"),
            ("Orders", "Order", "order"),
            ("Größe", "GrößeMaß", "mass"),
        ] {
            assert_eq!(within(holder, name), module, "{name} in {holder}");
        }
    }
}
