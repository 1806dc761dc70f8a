//! Grouping of operations by their first tag or by a word of their path.

use super::{
    Lowering, docs, names,
    paths::Template,
    short_names::{self, pin_methods},
    text,
};
use crate::ir::Group;
use frontdesk_document::{Document, NodeRef};
use std::collections::{BTreeMap, BTreeSet};

/// The group of operations that neither a tag nor a word of the path tells more of.
const DEFAULT: &str = "default";

/// From this number of operations on, every group is a feature of its own.
const MANY: usize = 150;

/// Groups, found by their tags and by their modules.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    /// The tags of the document, and the words that stand for one.
    affixes: names::Affixes,
    /// What traits would be called by the tags alone.
    wanted: BTreeSet<String>,
    by_tag: BTreeMap<String, usize>,
    by_module: BTreeMap<String, usize>,
}

/// The common beginning of untagged paths, which does not distinguish them.
#[derive(Debug, Default)]
pub(super) struct Words {
    common: Vec<String>,
}

impl Words {
    /// The words that all of these paths begin with, if there are several paths.
    pub(super) fn of<'t>(templates: impl Iterator<Item = &'t Template>) -> Self {
        let paths: BTreeSet<Vec<&str>> = templates.map(|template| template.words().collect()).collect();
        let (Some(first), Some(last)) = (paths.first(), paths.last()) else { return Self::default() };
        // Of sorted paths, the first and the last have in common what all have.
        let shared = first.iter().zip(last).take_while(|(left, right)| left == right).count();
        let common = first[..shared].iter().map(|word| (*word).to_owned()).collect();
        if paths.len() > 1 { Self { common } } else { Self::default() }
    }

    /// The first word of a path that is neither shared with all others nor a version.
    pub(super) fn word<'t>(&'t self, template: &'t Template) -> &'t str {
        template
            .words()
            .skip(self.common.len())
            .chain(self.common.last().map(String::as_str))
            .find(|word| !is_prefix(word))
            .unwrap_or(DEFAULT)
    }
}

/// Whether a word says where an interface is rather than what it is about.
fn is_prefix(word: &str) -> bool {
    let version = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let digits = version.chars().take_while(char::is_ascii_digit).count();
    let is_version = digits > 0
        && (version[digits..].is_empty() || version[digits..].starts_with(['.', '-', 'a', 'b']))
        && version[digits..]
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || ".-".contains(character));
    is_version || word.eq_ignore_ascii_case("api") || word.eq_ignore_ascii_case("rest")
}

/// Whether the document describes events: its own, or callbacks of operations.
fn has_events(document: &Document) -> bool {
    let listed = |node: NodeRef<'_>, key: &str| node.get(key).is_some_and(|list| !list.is_empty());
    listed(document.root(), "x-webhooks")
        || document.operations().any(|operation| listed(operation.node, "callbacks"))
}

impl<'d> Lowering<'d, '_> {
    /// The groups of the tags that the document lists; `used` are the tags, or words in their stead, of
    /// operations.
    pub(super) fn declared_tags(&mut self, root: NodeRef<'d>, used: &BTreeSet<String>) -> Groups {
        // Features that generated manifests have beside those of the groups.
        for reserved in ["default", "all", "server"] {
            self.modules.take(reserved, "");
        }
        if has_events(self.document) {
            // The client's module of events.
            self.modules.take("webhooks", "");
        }
        let declared: Vec<(NodeRef<'d>, &str)> = root
            .get("tags")
            .into_iter()
            .flat_map(NodeRef::items)
            .filter_map(|node| Some((node, text(node, "name").or_else(|| node.as_str())?)))
            .collect();
        let tags = || declared.iter().map(|(_, tag)| *tag).chain(used.iter().map(String::as_str));
        let mut groups = Groups {
            affixes: names::Affixes::among(tags()),
            wanted: tags().map(names::pascal).collect(),
            ..Groups::default()
        };
        for (node, tag) in declared {
            let index = self.group_of(&mut groups, tag);
            let group = &mut groups.list[index];
            group.docs = group.docs.take().or_else(|| docs(node));
        }
        groups
    }

    /// The group of a tag.
    pub(super) fn group_of(&mut self, groups: &mut Groups, tag: &str) -> usize {
        if let Some(index) = groups.by_tag.get(tag) {
            return *index;
        }
        let told = groups.affixes.distinct(tag);
        let wanted = names::pascal(&told);
        // Where the document has a type `User`, what is done with users goes by `Users`.
        let plural = names::plural(&wanted).filter(|plural| {
            self.schemas.is_reserved(&wanted)
                && !groups.wanted.contains(plural)
                && !self.type_names.contains(plural)
        });
        let name = self.type_names.take(&plural.unwrap_or(wanted), "Group");
        let module = self.modules.take(&names::module(&told), "_group");
        let index = groups.list.len();
        groups.by_tag.insert(tag.to_owned(), index);
        groups.by_module.insert(module.clone(), index);
        groups.list.push(Group { tag: tag.to_owned(), module, name, docs: None, operations: Vec::new() });
        index
    }

    /// The group of a word: that of a tag which is the same in Rust, if there is one.
    pub(super) fn group_of_word(&mut self, groups: &mut Groups, word: &str) -> usize {
        match groups.by_module.get(&names::module(word)) {
            Some(index) => *index,
            None => self.group_of(groups, word),
        }
    }
}

impl Groups {
    /// The groups that have operations; `pinned` are the names of functions that the document gives.
    pub(super) fn finish(self, pinned: &BTreeSet<String>, package: &str) -> Vec<Group> {
        let mut groups = self.list;
        groups.retain(|group| !group.operations.is_empty());
        short_names::name_handlers(&mut groups, pinned, package);
        pin_methods(&mut groups, &BTreeMap::new());
        groups
    }
}

/// Whether each group of such a document is a feature of its own.
pub(super) fn has_features(groups: &[Group]) -> bool {
    groups.len() > 1 && groups.iter().map(|group| group.operations.len()).sum::<usize>() >= MANY
}

#[cfg(test)]
mod tests {
    use super::is_prefix;

    #[test]
    fn versions_say_where_an_interface_is() {
        for word in ["v1", "V2", "v1beta1", "2010-04-01", "v1.0", "api", "3"] {
            assert!(is_prefix(word), "{word}");
        }
        for word in ["customers", "video", "v", "2fa", "apis"] {
            assert!(!is_prefix(word), "{word}");
        }
    }
}
