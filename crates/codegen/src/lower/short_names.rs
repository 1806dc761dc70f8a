//! Names of operations within their group: the client's methods, and the server's methods with the modules of
//! all crates.
//!
//! A name need not say again what its group says. Of several operations that would have one name, the first
//! has it: an operation that is added behind the others takes no name away.

use super::names;
use crate::ir::{Group, Operation};
use std::collections::{BTreeMap, BTreeSet};

/// Words after which a name is not cut off.
const CONNECTING: &[&str] = &[
    "a", "an", "and", "as", "at", "by", "each", "every", "for", "from", "in", "into", "of", "on", "one",
    "or", "per", "the", "to", "via", "with",
];

/// Verbs that are keywords of Rust, as methods that need no `r#` and no object behind them.
const VERBS: &[(&str, &str)] = &[("move", "move_to"), ("try", "try_out")];

/// Methods of traits that most types implement. Where the trait of a group is in scope, a call of such a
/// method would be ambiguous.
const METHODS_OF_ARC: &[&str] = &[
    "as_ref",
    "borrow",
    "clone",
    "cmp",
    "deref",
    "eq",
    "fmt",
    "hash",
    "into",
    "ne",
    "partial_cmp",
    "to_owned",
    "to_string",
    "try_into",
    "type_id",
];

/// Modules and imports of the files of a group, beside those of its operations.
const TAKEN: &[&str] = &["client", "mount", "reply"];

/// Names the methods of the client as pins say, by the ids of operations.
pub(super) fn pin_methods(groups: &mut [Group], pins: &BTreeMap<String, String>) {
    for group in groups {
        name_methods(group, pins);
    }
}

/// Whether a method can have this name.
pub(super) fn is_method(name: &str) -> bool {
    !name.is_empty() && names::snake(name) == name
}

/// Drops the group's own words from the client's methods, where the rest is still a name.
fn name_methods(group: &mut Group, pins: &BTreeMap<String, String>) {
    let pinned = |operation: &Operation| pins.get(&operation.id).filter(|name| is_method(name)).cloned();
    let mut taken = names::Scope::default();
    for operation in &mut group.operations {
        if let Some(name) = pinned(operation) {
            operation.short = taken.take(&name, "_operation");
        }
    }
    let own = own_words(group);
    for operation in group.operations.iter_mut().filter(|operation| pinned(operation).is_none()) {
        let function = plain(&group.tag, &operation.function);
        let mut candidates = shortened(&own, &operation.function).into_iter().filter_map(unreserved);
        let wanted = candidates.find(|name| !taken.contains(name)).unwrap_or(function);
        operation.short = taken.take(&wanted, "_operation");
    }
}

/// Drops the group's own words at the start of the names of handlers, unless the document gives the name.
///
/// The traits of several groups are implemented by one type, so other words than those of the group's prefix
/// stay.
pub(super) fn name_handlers(groups: &mut [Group], pinned: &BTreeSet<String>, package: &str) {
    for group in groups {
        let own = own_words(group);
        // Handlers are modules, too.
        let mut taken = names::Scope::of_crates(package);
        for operation in &mut group.operations {
            let rest = without_prefix(&own, &words_of(&operation.function))
                .filter(|_| !pinned.contains(&operation.function))
                .map(|rest| rest.join("_"));
            // The function that writes the errors of a handler has its name with this ending.
            let free = |name: &String| {
                let errors = format!("{name}_error");
                let handler = name.strip_suffix("_error");
                names::snake(name) == *name
                    && !METHODS_OF_ARC.contains(&name.as_str())
                    && !TAKEN.contains(&name.as_str())
                    && !taken.contains(name)
                    && !taken.contains(&errors)
                    && handler.is_none_or(|handler| !taken.contains(handler))
            };
            let wanted = rest.filter(free).unwrap_or_else(|| plain(&group.tag, &operation.function));
            operation.handler = taken.take(&wanted, "_operation");
        }
    }
}

/// The words of a group, also with the last one in the singular and in the plural.
fn own_words(group: &Group) -> Vec<Vec<String>> {
    let tag: Vec<String> = group.module.trim_end_matches('_').split('_').map(str::to_owned).collect();
    let mut forms = vec![tag.clone()];
    if let Some((last, rest)) = tag.split_last() {
        let other = [Some(names::singular(last)), names::plural(last)];
        forms.extend(
            other.into_iter().flatten().map(|last| rest.iter().cloned().chain([last]).collect::<Vec<_>>()),
        );
    }
    forms
}

fn words_of(function: &str) -> Vec<&str> {
    function.trim_start_matches("r#").split('_').collect()
}

/// The names of a function without the words of its group, the shortest first.
fn shortened(own: &[Vec<String>], function: &str) -> Vec<String> {
    let words = words_of(function);
    let mut names = Vec::new();
    // The tag itself, or its singular, may stand in the midst of a name. The plural of a singular tag is
    // another thing there, such as all of them.
    let within = own.iter().take(2).find_map(|own| without_first(own, &words));
    let mut rest = within.unwrap_or_else(|| words.clone());
    if rest.len() < words.len() {
        names.push(method(&rest));
    }
    while let Some(shorter) = without_prefix(own, &rest).or_else(|| without_suffix(own, &rest)) {
        names.push(method(&shorter));
        rest = shorter;
    }
    names.reverse();
    names
}

/// A name that is not a raw identifier: itself, or the usual form of a verb. Other keywords have none, and
/// their operations keep the noun that is with them.
fn unreserved(name: String) -> Option<String> {
    let Some(keyword) = name.strip_prefix("r#") else { return Some(name) };
    VERBS.iter().find(|(verb, _)| *verb == keyword).map(|(_, form)| (*form).to_owned())
}

/// The whole name of an operation without `r#`: where the document has no noun beside a keyword, the tag is
/// one.
fn plain(tag: &str, function: &str) -> String {
    let Some(keyword) = function.strip_prefix("r#") else { return function.to_owned() };
    unreserved(function.to_owned()).unwrap_or_else(|| {
        let tag = names::module(tag);
        let noun = names::singular(tag.trim_end_matches('_'));
        let noun = noun.trim_end_matches("_entry");
        names::snake(&format!("{keyword} {noun}"))
    })
}

fn method(words: &[&str]) -> String {
    names::snake(&words.join("_"))
}

/// Removes words where they first occur.
fn without_first<'t>(own: &[String], words: &[&'t str]) -> Option<Vec<&'t str>> {
    let at = words.windows(own.len().max(1)).position(|window| window == own)?;
    let rest: Vec<&str> = words[..at].iter().chain(&words[at + own.len()..]).copied().collect();
    is_name(&rest).then_some(rest)
}

fn without_prefix<'t>(own: &[Vec<String>], words: &[&'t str]) -> Option<Vec<&'t str>> {
    own.iter().find_map(|own| {
        let (start, rest) = words.split_at_checked(own.len())?;
        (start == own && is_name(rest)).then(|| rest.to_vec())
    })
}

fn without_suffix<'t>(own: &[Vec<String>], words: &[&'t str]) -> Option<Vec<&'t str>> {
    own.iter().find_map(|own| {
        let (rest, end) = words.split_at_checked(words.len().checked_sub(own.len())?)?;
        let cut = rest.last().is_some_and(|last| CONNECTING.contains(last));
        (end == own && !cut && is_name(rest)).then(|| rest.to_vec())
    })
}

/// Whether these words are a name; by convention `new` makes what it is called on.
fn is_name(words: &[&str]) -> bool {
    !words.is_empty() && words != ["new"]
}

#[cfg(test)]
mod tests {
    use super::shortened;

    fn shortest(own: &[&str], function: &str) -> String {
        let own: Vec<Vec<String>> =
            own.iter().map(|form| form.split('_').map(str::to_owned).collect()).collect();
        shortened(&own, function).into_iter().next().unwrap_or_else(|| function.to_owned())
    }

    #[test]
    fn a_name_does_not_say_its_group_again() {
        let users = ["users", "user"];
        for (function, short) in [
            ("list_users", "list"),
            ("users_list_users", "list"),
            ("users_list", "list"),
            ("user_get", "get"),
            ("get_user_by_name", "get_by_name"),
            ("assign_role_to_user", "assign_role_to"),
            ("users_assign_role_to_a_user", "assign_role_to_a_user"),
            ("users_new", "users_new"),
            ("users", "users"),
            ("r#type", "r#type"),
        ] {
            assert_eq!(shortest(&users, function), short, "{function}");
        }
        let workspace = ["workspace", "workspace_entry", "workspaces"];
        assert_eq!(shortest(&workspace, "list_workspaces"), "list");
        assert_eq!(shortest(&workspace, "list_workspaces_of_team"), "list_workspaces_of_team");
        assert_eq!(shortest(&["v1"], "v1_list"), "list");
    }
}
