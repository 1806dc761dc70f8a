//! [`Gates`]: which cargo features enable which module of schemas, in a document that is large enough to have features.

use crate::{
    emit::features::{self, Condition},
    ir::{Api, Type},
};
use std::collections::{BTreeMap, BTreeSet};

/// The groups that need each module of schemas.
#[derive(Debug)]
pub(in crate::emit) struct Gates<'a> {
    api: &'a Api,
    modules: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Gates<'a> {
    pub(in crate::emit) fn of(api: &'a Api) -> Self {
        let mut gates = Self { api, modules: BTreeMap::new() };
        if !api.features {
            return gates;
        }
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for def in &api.types {
            gates.modules.entry(&def.root_module).or_default().extend(&def.groups);
            let needs = needs.entry(&def.root_module).or_default();
            match def.duplicate_of {
                Some(duplicate) => _ = needs.insert(api.type_def(duplicate).root_module.as_str()),
                None => {
                    let named = def.shape.parts().filter_map(Type::named);
                    needs.extend(named.map(|id| api.type_def(id).root_module.as_str()));
                }
            }
        }
        gates.spread(&needs);
        gates
    }

    /// A module is compiled whole, so whatever it names must be there whenever it is.
    fn spread(&mut self, needs: &BTreeMap<&'a str, BTreeSet<&'a str>>) {
        loop {
            let mut changed = false;
            for (root_module, needed) in needs {
                let groups = self.modules[root_module].clone();
                for needed in needed {
                    let known = self.modules.entry(needed).or_default();
                    let before = known.len();
                    known.extend(&groups);
                    changed |= known.len() != before;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The condition of a module of schemas.
    pub(super) fn of_module(&self, root_module: &str) -> Condition {
        let groups: Vec<usize> = self.modules.get(root_module).into_iter().flatten().copied().collect();
        features::of_groups(self.api, &groups)
    }
}
