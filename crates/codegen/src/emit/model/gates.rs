//! Owns [`Gates`]: which cargo features switch on which module, in a document that is large enough to have them.

use crate::ir::{Api, ResponseId, Shape, Type};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};

/// A condition of more features than these would be longer than it is worth.
const MOST: usize = 8;

/// The groups that need each module of schemas.
#[derive(Debug)]
pub(in crate::emit) struct Gates {
    /// The feature of every group; empty where the document has no features.
    features: Vec<String>,
    homes: BTreeMap<String, BTreeSet<usize>>,
    /// The groups whose operations answer with each response.
    responses: Vec<Vec<usize>>,
}

impl Gates {
    pub(in crate::emit) fn of(api: &Api) -> Self {
        let mut gates = Self { features: Vec::new(), homes: BTreeMap::new(), responses: Vec::new() };
        if !api.features {
            return gates;
        }
        gates.features = api.groups.iter().map(crate::ir::Group::feature).collect();
        gates.responses = api.responses.iter().map(|response| response.groups.clone()).collect();
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for def in &api.types {
            gates.homes.entry(def.home.clone()).or_default().extend(&def.groups);
            let needs = needs.entry(&def.home).or_default();
            types_of(&def.shape, &mut |ty| uses(api, ty, &mut |home| _ = needs.insert(home)));
        }
        gates.spread(&needs);
        gates
    }

    /// A module is compiled whole, so whatever it names must be there whenever it is.
    fn spread(&mut self, needs: &BTreeMap<&str, BTreeSet<&str>>) {
        loop {
            let mut changed = false;
            for (home, needed) in needs {
                let groups = self.homes[*home].clone();
                for needed in needed {
                    let known = self.homes.entry((*needed).to_owned()).or_default();
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
    pub(in crate::emit) fn of_home(&self, home: &str) -> Option<TokenStream> {
        self.condition(self.homes.get(home).into_iter().flatten().copied())
    }

    /// The condition of a response.
    pub(in crate::emit) fn of_response(&self, response: ResponseId) -> Option<TokenStream> {
        self.condition(self.responses.get(response.0).into_iter().flatten().copied())
    }

    /// The condition of what belongs to one group.
    pub(in crate::emit) fn of_group(&self, group: usize) -> Option<TokenStream> {
        self.condition([group].into_iter())
    }

    fn condition(&self, groups: impl Iterator<Item = usize>) -> Option<TokenStream> {
        if self.features.is_empty() {
            return None;
        }
        let features: Vec<&String> = groups.map(|group| &self.features[group]).collect();
        match &features[..] {
            [] => Some(quote!(#[cfg(feature = "all")])),
            [only] => Some(quote!(#[cfg(feature = #only)])),
            some if some.len() <= MOST => Some(quote!(#[cfg(any(#(feature = #some),*))])),
            _ => None,
        }
    }
}

fn types_of<'a>(shape: &'a Shape, visit: &mut dyn FnMut(&'a Type)) {
    match shape {
        Shape::Struct(shape) => {
            shape.fields.iter().for_each(|field| visit(&field.element.ty));
            shape.extra.iter().for_each(|extra| visit(&extra.ty));
        }
        Shape::Enum(_) => {}
        Shape::Union(shape) => shape.branches.iter().for_each(|branch| visit(&branch.element.ty)),
        Shape::Newtype(element) => visit(&element.ty),
    }
}

/// The modules of the named types in a type.
fn uses<'a>(api: &'a Api, ty: &Type, visit: &mut dyn FnMut(&'a str)) {
    match ty {
        Type::List(element) | Type::Map(element) => uses(api, &element.ty, visit),
        Type::Named(id) | Type::Boxed(id) => visit(&api.type_def(*id).home),
        _ => {}
    }
}
