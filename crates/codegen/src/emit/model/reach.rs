//! [`Reach`]: which groups of operations use a part of the model, and so which module it belongs to.

use crate::{
    emit::features::{self, Condition},
    ir::{Api, Payload, Type, TypeDef},
};
use std::collections::{BTreeMap, BTreeSet};

/// The users of a part of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::emit) enum Reach {
    /// The operations of one group, by its index.
    Group(usize),
    /// Operations of several groups.
    Shared,
    /// No operation, but events.
    Events,
    /// Nothing.
    Unused,
}

impl Reach {
    /// The users by the groups whose operations are among them, and whether events are.
    pub(super) fn of(groups: impl IntoIterator<Item = usize>, events: bool) -> Self {
        let mut groups = groups.into_iter();
        match (groups.next(), groups.next()) {
            (Some(only), None) => Self::Group(only),
            (Some(_), Some(_)) => Self::Shared,
            (None, _) if events => Self::Events,
            (None, _) => Self::Unused,
        }
    }

    /// The name of the module. Those that no tag gives avoid the names of tags.
    pub(super) fn module(self, api: &Api) -> String {
        let mut name = match self {
            Self::Group(group) => return api.groups[group].module.clone(),
            Self::Shared => "shared".to_owned(),
            Self::Events => "webhooks".to_owned(),
            Self::Unused => "unused".to_owned(),
        };
        while api.groups.iter().any(|group| group.module == name) {
            name.push('_');
        }
        name
    }

    /// When the module is compiled. A part that several groups use is always compiled, and so is all that it
    /// uses.
    pub(super) fn condition(self, api: &Api) -> Condition {
        match self {
            Self::Group(group) => features::of_group(api, &api.groups[group]),
            Self::Shared => Condition::default(),
            Self::Events => features::of_events(api),
            Self::Unused => features::of_nothing(api),
        }
    }

    /// The docs of the module with these things in it.
    pub(super) fn docs(self, api: &Api, things: &str) -> String {
        match self {
            Self::Group(group) => {
                format!("{things} that only operations of the tag `{}` use.", api.groups[group].tag)
            }
            Self::Shared => format!("{things} that operations of several tags use."),
            Self::Events => format!("{things} that only events use."),
            Self::Unused => format!("{things} that neither operations nor events use."),
        }
    }
}

/// The users of a root module of schemas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Users {
    /// The groups among them.
    pub(super) reach: Reach,
    /// Whether events are among them.
    pub(super) events: bool,
}

/// The users of each root module of schemas.
pub(super) fn of_root_modules(api: &Api) -> BTreeMap<&str, Users> {
    let mut groups: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for def in &api.types {
        groups.entry(&def.root_module).or_default().extend(&def.groups);
        let needs = needs.entry(&def.root_module).or_default();
        needs.extend(named(api, def).filter(|needed| *needed != def.root_module));
    }
    spread(&mut groups, &needs);
    let events = of_events(api, &needs);
    let users = |(module, groups)| {
        let events = events.contains(module);
        (module, Users { reach: Reach::of(groups, events), events })
    };
    groups.into_iter().map(users).collect()
}

/// The root modules that events use.
fn of_events<'a>(api: &'a Api, needs: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let payloads = api.webhooks.iter().filter_map(|webhook| webhook.payload.as_ref());
    let carried = payloads.flat_map(Payload::elements).filter_map(|element| element.ty.named());
    let mut open: Vec<&str> = carried.map(|id| api.type_def(id).root_module.as_str()).collect();
    let mut found = BTreeSet::new();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(&needs[module]);
        }
    }
    found
}

/// The root modules that a type names.
fn named<'a>(api: &'a Api, def: &'a TypeDef) -> impl Iterator<Item = &'a str> {
    let original = def.duplicate_of;
    let parts = def.shape.parts().filter(move |_| original.is_none()).filter_map(Type::named);
    original.into_iter().chain(parts).map(|id| api.type_def(id).root_module.as_str())
}

/// Adds the users of each module to those of the modules that it names: they are compiled whenever it is.
fn spread<'a>(groups: &mut BTreeMap<&'a str, BTreeSet<usize>>, needs: &BTreeMap<&'a str, BTreeSet<&'a str>>) {
    let mut open: Vec<&str> = needs.keys().copied().collect();
    while let Some(module) = open.pop() {
        let users = groups.get(module).cloned().unwrap_or_default();
        for needed in &needs[module] {
            let known = groups.entry(needed).or_default();
            let before = known.len();
            known.extend(&users);
            if known.len() != before {
                open.push(needed);
            }
        }
    }
}
