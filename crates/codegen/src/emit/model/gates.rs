//! Owns [`Gates`]: which cargo features switch on which module of schemas, in a document that is large enough to have them.

use crate::{
    emit::features::{self, Condition},
    ir::{Api, Type},
};
use std::collections::{BTreeMap, BTreeSet};

/// The groups that need each module of schemas.
#[derive(Debug)]
pub(in crate::emit) struct Gates<'a> {
    api: &'a Api,
    homes: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Gates<'a> {
    pub(in crate::emit) fn of(api: &'a Api) -> Self {
        let mut gates = Self { api, homes: BTreeMap::new() };
        if !api.features {
            return gates;
        }
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for def in &api.types {
            gates.homes.entry(&def.home).or_default().extend(&def.groups);
            let needs = needs.entry(&def.home).or_default();
            match def.twin {
                Some(twin) => _ = needs.insert(api.type_def(twin).home.as_str()),
                None => {
                    let named = def.shape.parts().filter_map(Type::named);
                    needs.extend(named.map(|id| api.type_def(id).home.as_str()));
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
            for (home, needed) in needs {
                let groups = self.homes[home].clone();
                for needed in needed {
                    let known = self.homes.entry(needed).or_default();
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
    pub(super) fn of_home(&self, home: &str) -> Condition {
        let groups: Vec<usize> = self.homes.get(home).into_iter().flatten().copied().collect();
        features::of_groups(self.api, &groups)
    }
}
