//! Modules of schemas: one for each tag, with the schemas that only its operations use, and the families that
//! they form there.

use super::reach::{self, Reach, Users};
use crate::{
    emit::{
        features::Condition,
        file_split::{Page, Unit},
    },
    ir::{Api, TypeId},
};
use std::collections::HashMap;

/// The modules of schemas.
#[derive(Debug)]
pub(in crate::emit) struct SchemaModules<'a> {
    /// In the document's order of tags, and then the modules that belong to no tag.
    pub(super) all: Vec<SchemaModule<'a>>,
}

/// A module of schemas that have the same users.
#[derive(Debug)]
pub(super) struct SchemaModule<'a> {
    /// The users.
    pub(super) reach: Reach,
    /// Whether events use some of the schemas.
    events: bool,
    /// The name.
    pub(super) name: String,
    /// The schemas, in the document's order.
    pub(super) schemas: Vec<Schema<'a>>,
}

/// A schema of the document, and the types that only it needs.
#[derive(Debug)]
pub(super) struct Schema<'a> {
    /// The name of its own module, if it has one.
    name: &'a str,
    /// The position of its first type among those of all schemas.
    position: usize,
    types: Vec<TypeId>,
}

impl<'a> SchemaModules<'a> {
    pub(in crate::emit) fn of(api: &'a Api) -> Self {
        let mut schemas: Vec<Schema<'a>> = Vec::new();
        let mut positions = HashMap::new();
        for (index, def) in api.types.iter().enumerate() {
            let at = *positions.entry(def.root_module.as_str()).or_insert_with(|| {
                schemas.push(Schema { name: &def.root_module, position: 0, types: Vec::new() });
                schemas.len() - 1
            });
            schemas[at].types.push(TypeId(index));
        }
        let mut position = 0;
        for schema in &mut schemas {
            schema.position = position;
            position += schema.types.len();
        }
        let users = reach::of_root_modules(api);
        let mut all: Vec<SchemaModule<'a>> = Vec::new();
        for schema in schemas {
            let Users { reach, events } = users[schema.name];
            match all.iter_mut().find(|module| module.reach == reach) {
                Some(module) => {
                    module.schemas.push(schema);
                    module.events |= events;
                }
                None => {
                    all.push(SchemaModule { reach, events, name: reach.module(api), schemas: vec![schema] });
                }
            }
        }
        all.sort_by_key(|module| module.reach);
        Self { all }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl SchemaModule<'_> {
    /// When the module is compiled.
    pub(super) fn condition(&self, api: &Api) -> Condition {
        let condition = self.reach.condition(api);
        if self.events && self.reach != Reach::Events { condition.or_events() } else { condition }
    }

    /// The page of the module, made of the pages of its schemas.
    pub(super) fn page(&self, pages: Vec<Page>) -> Page {
        let holders = holders(&self.schemas.iter().map(|schema| schema.name).collect::<Vec<_>>());
        let mut pages: Vec<Option<Page>> = pages.into_iter().map(Some).collect();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); pages.len()];
        for (index, holder) in holders.iter().enumerate() {
            if let Some(holder) = holder {
                below[*holder].push(index);
            }
        }
        let first = (0..pages.len()).filter(|index| holders[*index].is_none());
        let inner = first.filter_map(|index| family(index, &below, &mut pages)).collect();
        Page::holding(self.name.clone(), inner)
    }
}

/// The page of a schema, with those of its family below it.
fn family(index: usize, below: &[Vec<usize>], pages: &mut [Option<Page>]) -> Option<Page> {
    let mut page = pages[index].take()?;
    for held in &below[index] {
        if let Some(held) = family(*held, below, pages) {
            page.hold(held);
        }
    }
    Some(page)
}

/// The schema to whose family each of these belongs: the one with the longest name that is a part of its own.
///
/// `new_pets` belongs to `pet`. A name is made of words; a plural is the same word. A holder has fewer words,
/// or the same ones and is listed before, so no schema holds itself.
fn holders(names: &[&str]) -> Vec<Option<usize>> {
    let words: Vec<Vec<&str>> = names.iter().map(|name| words(name)).collect();
    let mut by_words: HashMap<&[&str], usize> = HashMap::new();
    for (index, words) in words.iter().enumerate() {
        by_words.entry(words).or_insert(index);
    }
    let holder = |(index, words): (usize, &Vec<&str>)| {
        let parts = (1..=words.len()).rev().flat_map(|count| words.windows(count));
        parts.filter_map(|part| by_words.get(part).copied()).find(|holder| *holder != index)
    };
    words.iter().enumerate().map(holder).collect()
}

/// The words of a name, each in the singular.
fn words(name: &str) -> Vec<&str> {
    let words = name.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
    words
        .map(|word| match word.strip_suffix('s') {
            Some(singular) if singular.len() > 2 && !singular.ends_with('s') => singular,
            _ => word,
        })
        .collect()
}

impl Schema<'_> {
    /// The name of its module.
    pub(super) fn name(&self) -> &str {
        self.name
    }

    /// The types of the schema, each with those that belong to it; `unit` makes the unit of a single one at
    /// its position.
    pub(super) fn unit<'u>(&self, api: &Api, unit: impl Fn(TypeId, usize) -> Unit<'u>) -> Unit<'u> {
        let types = self.types.iter().zip(self.position..);
        let mut units: Vec<(TypeId, Unit<'u>)> =
            types.map(|(id, position)| (*id, unit(*id, position))).collect();
        // What belongs to a type stands behind it.
        while units.len() > 1
            && let Some((id, mut unit)) = units.pop()
        {
            unit.inner.reverse();
            let holder = api.type_def(id).holder;
            if let Some((_, holder)) = units.iter_mut().rfind(|(id, _)| Some(*id) == holder) {
                holder.inner.push(unit);
            }
        }
        let mut first = units.pop().map(|(_, unit)| unit).unwrap_or_default();
        first.inner.reverse();
        first
    }
}

#[cfg(test)]
mod tests {
    use super::holders;

    #[test]
    fn a_schema_belongs_to_the_longest_name_within_its_own() {
        let names =
            ["deal", "new_deal", "deal_status", "deal_status_kind", "new_deals", "dealer", "error", "r#type"];
        assert_eq!(holders(&names), [None, Some(0), Some(0), Some(2), Some(1), None, None, None]);
        // Names of the same words: the first holds the others.
        assert_eq!(holders(&["webpages", "webpage", "webpage"]), [None, Some(0), Some(0)]);
        assert_eq!(holders(&["address", "addresse", "ids", "id"]), [None, None, None, None]);
    }
}
