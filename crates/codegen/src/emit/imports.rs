//! `use` items of a module: which names come from where, in rustfmt's order.

use super::ident;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

/// The names that a module imports, by the path they come from.
#[derive(Debug, Default)]
pub(super) struct Imports {
    by_path: BTreeMap<String, Vec<String>>,
    /// Paths and names that only servers need.
    for_servers: BTreeSet<(String, String)>,
}

impl Imports {
    /// Imports `path::name`, once.
    pub(super) fn add(&mut self, path: &str, name: &str) {
        let names = self.by_path.entry(path.to_owned()).or_default();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    /// Imports `path::name` with the feature `server`, if nothing else imports it.
    pub(super) fn add_for_servers(&mut self, path: &str, name: &str) {
        self.for_servers.insert((path.to_owned(), name.to_owned()));
    }

    /// Imports with the feature `server` all that another module imports, unless something else does.
    pub(super) fn merge_for_servers(&mut self, other: &Self) {
        for (path, names) in &other.by_path {
            self.for_servers.extend(names.iter().map(|name| (path.clone(), name.clone())));
        }
        self.for_servers.extend(other.for_servers.iter().cloned());
    }

    /// Imports what another module imports.
    pub(super) fn merge(&mut self, other: &Self) {
        for (path, names) in &other.by_path {
            for name in names {
                self.add(path, name);
            }
        }
        self.for_servers.extend(other.for_servers.iter().cloned());
    }

    /// Imports nothing of this crate under these names, which the module defines.
    pub(super) fn leave_out<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        let own: BTreeSet<&String> = names.collect();
        for (path, names) in &mut self.by_path {
            if path == "crate" || path.starts_with("crate::") {
                names.retain(|name| !own.contains(name));
            }
        }
        self.by_path.retain(|_, names| !names.is_empty());
    }

    /// Returns tokens with each imported name behind its path, for places that import nothing. Names that are
    /// behind a path already stay.
    pub(super) fn qualified(&self, tokens: TokenStream) -> TokenStream {
        let path_of = |name: &str| {
            let found = self.by_path.iter().find(|(_, names)| names.iter().any(|known| known == name));
            found.and_then(|(path, _)| path.parse::<TokenStream>().ok())
        };
        // A single colon precedes a type, two are part of a path.
        let mut colons = 0;
        let tokens = tokens.into_iter().map(|token| {
            let before = std::mem::take(&mut colons);
            let within_path = before == 2;
            match token {
                TokenTree::Ident(name) => match path_of(&name.to_string()).filter(|_| !within_path) {
                    Some(path) => quote!(#path::#name),
                    None => quote!(#name),
                },
                TokenTree::Group(group) => {
                    TokenTree::from(Group::new(group.delimiter(), self.qualified(group.stream()))).into()
                }
                TokenTree::Punct(punct) => {
                    colons = if punct.as_char() == ':' { before + 1 } else { 0 };
                    TokenTree::from(punct).into()
                }
                literal @ TokenTree::Literal(_) => literal.into(),
            }
        });
        tokens.collect()
    }

    /// The `use` items.
    pub(super) fn tokens(&self) -> TokenStream {
        self.tokens_with(&[])
    }

    /// The `use` items; those of the conditional paths only with the feature `server`, as one for each crate.
    pub(super) fn tokens_with(&self, conditional: &[&str]) -> TokenStream {
        let mut items: Vec<(Vec<String>, bool)> = Vec::new();
        let mut for_servers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (path, names) in &self.by_path {
            if conditional.contains(&path.as_str()) {
                for_servers.entry(path).or_default().extend(names.iter().cloned());
            } else {
                items.push((segments(path, names), false));
            }
        }
        for (path, name) in &self.for_servers {
            let known = for_servers.entry(path).or_default();
            if !known.contains(name) && !self.by_path.get(path).is_some_and(|names| names.contains(name)) {
                known.push(name.clone());
            }
        }
        for_servers.retain(|_, names| !names.is_empty());
        items.extend(nested(for_servers).into_iter().map(|segments| (segments, true)));
        items.sort_by(|(one, _), (other, _)| by_segments(one, other));
        let items = items.into_iter().map(|(segments, conditional)| {
            let condition = conditional.then(|| quote!(#[cfg(feature = "server")]));
            let path: TokenStream =
                segments.join("::").parse().expect("import paths are written in this crate");
            quote!(#condition use #path;)
        });
        items.collect()
    }
}

/// One path for each crate: the names of several of its modules are in braces within braces.
fn nested(names: BTreeMap<&str, Vec<String>>) -> Vec<Vec<String>> {
    let mut by_crate: BTreeMap<&str, Vec<(&str, Vec<String>)>> = BTreeMap::new();
    for (path, names) in names {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        by_crate.entry(first).or_default().push((rest, names));
    }
    let path = |(first, modules): (&str, Vec<(&str, Vec<String>)>)| {
        if let [(rest, names)] = &modules[..] {
            let path = if rest.is_empty() { first.to_owned() } else { format!("{first}::{rest}") };
            return segments(&path, names);
        }
        let mut parts: Vec<Vec<String>> = Vec::new();
        for (rest, names) in modules {
            match rest {
                "" => parts.extend(names.iter().map(|name| vec![ident(name).to_string()])),
                rest => parts.push(segments(rest, &names)),
            }
        }
        parts.sort_by(|one, other| by_segments(one, other));
        let parts: Vec<String> = parts.iter().map(|segments| segments.join("::")).collect();
        vec![first.to_owned(), format!("{{ {} }}", parts.join(", "))]
    };
    by_crate.into_iter().map(path).collect()
}

/// The parts of a path; several final names are one part in braces.
fn segments(path: &str, names: &[String]) -> Vec<String> {
    let mut segments: Vec<String> = path.split("::").map(str::to_owned).collect();
    let mut names = names.to_vec();
    names.sort_by(|one, other| by_version(one, other));
    let names: Vec<Ident> = names.iter().map(|name| ident(name)).collect();
    segments.push(match &names[..] {
        [name] => name.to_string(),
        names => quote!({ #(#names),* }).to_string(),
    });
    segments
}

/// rustfmt's order of paths: `crate` first, names before braces, a path before those that go on from it.
fn by_segments(one: &[String], other: &[String]) -> Ordering {
    let rank = |segment: &String| match segment.as_str() {
        "self" => 0,
        "super" => 1,
        "crate" => 2,
        name if name.starts_with('{') => 4,
        _ => 3,
    };
    for (one, other) in one.iter().zip(other) {
        let order = rank(one).cmp(&rank(other)).then_with(|| by_version(one, other));
        if order.is_ne() {
            return order;
        }
    }
    one.len().cmp(&other.len())
}

/// The order of names in the style edition 2024: by characters, `_` before all others, numbers by what they
/// count.
fn by_version(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.trim_start_matches("r#"), other.trim_start_matches("r#"));
    loop {
        let (Some(first), Some(second)) = (one.chars().next(), other.chars().next()) else {
            return one.len().cmp(&other.len());
        };
        if first.is_ascii_digit() && second.is_ascii_digit() {
            let (left, right) = (number(&mut one), number(&mut other));
            // Of numbers that are equal, the one with more zeros in front is the first.
            let (bare_left, bare_right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
            let order = bare_left
                .len()
                .cmp(&bare_right.len())
                .then_with(|| bare_left.cmp(bare_right))
                .then_with(|| right.len().cmp(&left.len()));
            if order.is_ne() {
                return order;
            }
            continue;
        }
        let order = (first != '_').cmp(&(second != '_')).then(first.cmp(&second));
        if order.is_ne() {
            return order;
        }
        (one, other) = (&one[first.len_utf8()..], &other[second.len_utf8()..]);
    }
}

/// Takes the digits off the front.
fn number<'t>(text: &mut &'t str) -> &'t str {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits
}

#[cfg(test)]
mod tests {
    use super::Imports;

    fn shown(imports: &Imports) -> Vec<String> {
        let text = imports.tokens_with(&["a::check"]).to_string().replace(' ', "");
        text.split_terminator(';').map(str::to_owned).collect()
    }

    /// As `rustfmt --edition 2024` leaves it.
    #[test]
    fn imports_stand_in_the_order_of_rustfmt() {
        let mut imports = Imports::default();
        for (path, name) in [
            ("std::sync", "Arc"),
            ("a::client", "Outcome"),
            ("a::client", "Endpoint"),
            ("a::client::Reading", "Success"),
            ("a::client::Reading", "Failure"),
            ("a", "client"),
            ("a", "Operation"),
            ("a_model", "B10"),
            ("a_model", "B9"),
            ("a_model", "B_1"),
            ("a_model::operations", "pet"),
            ("crate", "Call"),
            ("a", "r#type"),
        ] {
            imports.add(path, name);
        }
        assert_eq!(
            shown(&imports),
            [
                "usecrate::Call",
                "usea::client::Reading::{Failure,Success}",
                "usea::client::{Endpoint,Outcome}",
                "usea::{Operation,client,r#type}",
                "usea_model::operations::pet",
                "usea_model::{B_1,B9,B10}",
                "usestd::sync::Arc",
            ]
        );
    }

    #[test]
    fn names_are_behind_their_paths_unless_they_are_already() {
        let mut imports = Imports::default();
        imports.add("a", "Answer");
        imports.add("b::c", "Refuse");
        let tokens =
            quote::quote!(let answer: Answer<u8> = Refuse::<x::Refuse>::refuse(d::Answer, [Answer]););
        assert_eq!(
            imports.qualified(tokens).to_string().replace(' ', ""),
            "letanswer:a::Answer<u8>=b::c::Refuse::<x::Refuse>::refuse(d::Answer,[a::Answer]);"
        );
    }

    #[test]
    fn what_only_servers_need_is_imported_for_them_unless_all_do() {
        let mut imports = Imports::default();
        imports.add("a::check", "Limits");
        imports.add_for_servers("a", "Value");
        let condition = "#[cfg(feature=\"server\")]";
        assert_eq!(shown(&imports), [format!("{condition}usea::{{Value,check::Limits}}")]);
        imports.add("a::check", "Check");
        imports.add_for_servers("b", "Other");
        assert_eq!(
            shown(&imports),
            [
                format!("{condition}usea::{{Value,check::{{Check,Limits}}}}"),
                format!("{condition}useb::Other")
            ]
        );
        imports = Imports::default();
        imports.add("a::check", "Limits");
        imports.add_for_servers("a", "Value");
        imports.add("a", "Value");
        assert_eq!(shown(&imports), ["usea::Value".to_owned(), format!("{condition}usea::check::Limits")]);
    }
}
