//! Lowering of paths: the operations, their names and their parts.

use super::{
    Lowering,
    defects::Visited,
    docs, flag,
    groups::Words,
    links, names,
    paths::{self, Template},
    shown, text,
};
use crate::ir::{Group, Operation, Stability};
use frontdesk_document::{Diagnostic, NodeRef, Operation as Described, PathItem, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The names of operations, and where each came from.
#[derive(Debug, Default)]
pub(super) struct Ids {
    scope: names::Scope,
    affixes: names::Affixes,
    taken: BTreeMap<String, Taken>,
    /// The names that the document gives with `x-rust-name`.
    pinned: BTreeSet<String>,
}

/// Where a name came from.
#[derive(Clone, Debug)]
struct Taken {
    path: String,
    method: String,
    span: Span,
}

/// An operation where it stands.
#[derive(Clone, Copy)]
struct Site<'a, 'd> {
    template: &'a Template,
    described: Described<'d>,
    tag: &'a str,
}

impl<'d> Lowering<'d, '_> {
    pub(super) fn lower_groups(&mut self, package: &str) -> Vec<Group> {
        let root = self.document.root();
        let mut sites = Vec::new();
        let mut routes: BTreeMap<(String, &str), Span> = BTreeMap::new();
        let document = self.document;
        for item in document.path_items() {
            let declared = path_parameter_names(item);
            let Some(template) = self.template(item.key, &|name| declared.iter().any(|known| known == name))
            else {
                self.path_left_out(item);
                continue;
            };
            let anonymous = template.anonymous();
            for described in item.operations() {
                let method = described.method;
                if let Some(earlier) = routes.insert((anonymous.clone(), method), template.span) {
                    self.problems.push(
                        Diagnostic::warning(
                            "conflicting-path",
                            template.span,
                            format!("a {} request of this path matches an earlier one as well, which a server takes", method.to_ascii_uppercase()),
                        )
                        .related(earlier, "the earlier path")
                        .hint("let the paths differ in more than the names of parameters, or describe them as one"),
                    );
                }
                sites.push((template.clone(), described));
            }
        }
        self.find_ambiguous_paths(&sites);
        let declared = sites.iter().filter_map(|(_, described)| declared_id(described.node));
        let mut ids = Ids { affixes: names::Affixes::among(declared), ..Ids::default() };
        // The server's modules have a function of this name beside those of their operations.
        ids.scope.take("mount", "");
        // A module of this name would hide the crate.
        ids.scope.take(names::RUNTIME, "");
        let untagged = sites.iter().filter(|(_, described)| first_tag(described.node).is_none());
        let words = Words::of(untagged.map(|(template, _)| template));
        let tag_or_word = |(template, described): &(Template, Described<'d>)| {
            first_tag(described.node).unwrap_or_else(|| words.word(template)).to_owned()
        };
        let used: BTreeSet<String> = sites.iter().map(tag_or_word).collect();
        let mut groups = self.declared_tags(root, &used);
        for (template, described) in &sites {
            let tag = first_tag(described.node);
            let group = match tag {
                Some(tag) => self.group_of(&mut groups, tag),
                None => self.group_of_word(&mut groups, words.word(template)),
            };
            let tag = groups.list[group].tag.clone();
            let site = Site { template, described: *described, tag: &tag };
            let lowered = self.operation(site, &mut ids);
            groups.list[group].operations.push(lowered);
        }
        groups.finish(&ids.pinned, package)
    }

    fn operation(&mut self, site: Site<'_, 'd>, ids: &mut Ids) -> Operation {
        let Site { template, described, tag } = site;
        let Described { item: PathItem { node: item, .. }, method, node } = described;
        self.losses.clear();
        self.degradations.clear();
        self.check_extensions(node);
        let (id, function) = self.names(site, ids);
        let base = names::pascal(function.trim_start_matches("r#"));
        let name = self.type_names.take_all(&base, "Request", &["", "Error", "Success"]);
        let parameters = self.parameters(template, described, &base);
        let body = self.swagger_body(described, &base).or_else(|| self.body(described, &base));
        if body.is_some() && matches!(method, "get" | "head") {
            self.unsent.get_or_insert((shown(node.get("requestBody").unwrap_or(node)), 0)).1 += 1;
        }
        let (successes, errors) = self.answers(described, &base, tag);
        self.lower_callbacks(described, &id);
        for index in &self.losses {
            let operations = &mut self.untyped[*index].operations;
            if operations.last() != Some(&id) {
                operations.push(id.clone());
            }
        }
        let security = self.security(described);
        self.visited.push(Visited { id: id.clone(), function: function.clone(), node, item });
        let servers = match node.get("servers") {
            Some(_) => self.servers(node),
            None => self.servers(item),
        };
        let pagination = self.pagination(node, method, &parameters, &successes);
        self.attribute_degradations(&id);
        Operation {
            constant: names::constant(&function),
            short: function.clone(),
            handler: function.clone(),
            function,
            name,
            id,
            method: method.to_ascii_uppercase(),
            path: template.text.clone(),
            summary: summary(node).or_else(|| summary(item)),
            description: description(described),
            links: links::links(described),
            deprecated: flag(node, "deprecated"),
            stability: match text(node, "x-stability-level") {
                Some("draft") => Stability::Draft,
                Some("alpha") => Stability::Alpha,
                Some("beta") => Stability::Beta,
                _ => Stability::Stable,
            },
            link: node.get("externalDocs").and_then(|link| {
                let url = text(link, "url")?;
                Some((text(link, "description").unwrap_or(url).trim().to_owned(), url.to_owned()))
            }),
            sunset: text(node, "x-sunset").map(str::to_owned),
            idempotent: flag(node, "x-idempotent"),
            pagination,
            servers,
            security,
            parameters,
            body,
            request_example: None,
            response_example: None,
            successes,
            errors,
            error_set: 0,
            streaming: None,
            extensions: self.extensions(node),
        }
    }

    /// Reports bodies that browsers do not send, once for the document.
    pub(super) fn tell_unsent(&mut self) {
        let Some((span, count)) = self.unsent else { return };
        let message = "browsers send no body with GET or HEAD; clients for JavaScript leave it out";
        let mut problem = Diagnostic::warning("unsent-body", span, message);
        if count > 1 {
            problem = problem.note(format!("{count} operations have such a body"));
        }
        self.problems.push(problem.hint("use query parameters, or another method such as POST"));
    }

    /// The id of an operation, and the name of its handler, which no other operation has.
    fn names(&mut self, site: Site<'_, 'd>, ids: &mut Ids) -> (String, String) {
        let Site { template, described: Described { method, node, .. }, tag } = site;
        let declared = declared_id(node);
        let id = declared.map_or_else(|| derived_id(method, &template.text), str::to_owned);
        let wanted = text(node, "x-rust-name").map_or_else(|| snake(&ids.affixes.distinct(&id)), snake);
        let taken = Taken { path: template.text.clone(), method: method.to_owned(), span: template.span };
        let Some(earlier) = ids.taken.get(&wanted).cloned() else {
            let function = ids.scope.take(&wanted, "_operation");
            ids.taken.insert(function.clone(), taken);
            if text(node, "x-rust-name").is_some() {
                ids.pinned.insert(function.clone());
            }
            return (id, function);
        };
        let (own, lacking) =
            (difference(&template.text, &earlier.path), difference(&earlier.path, &template.text));
        let candidates = [
            (!own.is_empty()).then(|| format!("{wanted} {own}")),
            (method != earlier.method).then(|| format!("{wanted} {method}")),
            (!lacking.is_empty()).then(|| format!("{wanted} without {lacking}")),
            Some(format!("{tag} {wanted}")),
            Some(derived_id(method, &template.text)),
        ];
        let free = candidates
            .into_iter()
            .flatten()
            .map(|candidate| snake(candidate.trim_start_matches("r#")))
            .find(|candidate| *candidate != wanted && !ids.taken.contains_key(candidate));
        let function = ids.scope.take(&free.unwrap_or(wanted), "_operation");
        ids.taken.insert(function.clone(), taken);
        // Two paths of different words that derive the same name are no fault of the document's.
        if declared.is_some() {
            let place = node.get("operationId").unwrap_or(node);
            self.problems.push(
                Diagnostic::warning(
                    "duplicate-operation-id",
                    shown(place),
                    format!(
                        "an earlier operation has the name of `{id}` in Rust; this one becomes `{function}`"
                    ),
                )
                .related(earlier.span, "the path of the earlier one")
                .hint("rename one of the two, or give one an `x-rust-name`"),
            );
        }
        (id, function)
    }
}

/// The description: its own, or that of its path if it has no summary either.
fn description(operation: Described<'_>) -> Option<String> {
    let (node, item) = (operation.node, operation.item.node);
    docs(node).or_else(|| docs(item).filter(|_| summary(node).is_none()))
}

/// A name in snake_case that a method can have, and a file.
fn snake(text: &str) -> String {
    match names::snake(&names::in_ascii(text)).as_str() {
        // By convention `new` makes what it is called on.
        "new" => "new_".to_owned(),
        name => name.to_owned(),
    }
}

/// `operationId`, unless it is blank.
fn declared_id(node: NodeRef<'_>) -> Option<&str> {
    text(node, "operationId").map(str::trim).filter(|id| !id.is_empty())
}

/// `summary`, unless it is blank.
fn summary(node: NodeRef<'_>) -> Option<String> {
    text(node, "summary").map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn first_tag(node: NodeRef<'_>) -> Option<&str> {
    node.get("tags")
        .and_then(|tags| tags.items().next())
        .and_then(NodeRef::as_str)
        .filter(|tag| !tag.trim().is_empty())
}

/// The names of the path parameters that a path item and its operations declare.
fn path_parameter_names(item: PathItem<'_>) -> Vec<String> {
    let own = item.operations().flat_map(|operation| operation.parameters());
    item.parameters()
        .chain(own.map(|parameter| parameter.node))
        .filter(|parameter| text(*parameter, "in") == Some("path"))
        .filter_map(|parameter| text(parameter, "name"))
        .map(str::to_owned)
        .collect()
}

/// An operation's name where the document gives none.
fn derived_id(method: &str, path: &str) -> String {
    let mut words = vec![method.to_owned()];
    for segment in paths::segments(path) {
        match segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}')) {
            Some(parameter) => words.push(format!("by {}", parameter.replace(['{', '}'], " "))),
            None => words.push(segment.replace(['{', '}'], " ")),
        }
    }
    if words.len() == 1 {
        words.push("root".to_owned());
    }
    names::snake(&words.join(" "))
}

/// The words of a path that another path does not have.
fn difference(path: &str, other: &str) -> String {
    let known: Vec<&str> = paths::segments(other).collect();
    let words: Vec<String> = paths::segments(path)
        .filter(|segment| !known.contains(segment))
        .map(|segment| {
            let word = segment.replace(['{', '}'], " ");
            if segment.starts_with('{') { format!("by {word}") } else { word }
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{derived_id, difference};

    #[test]
    fn operations_without_an_id_are_named_by_method_and_path() {
        for (method, path, id) in [
            ("get", "/", "get_root"),
            ("get", "/users/{id}/posts", "get_users_by_id_posts"),
            ("delete", "/files/{name}.{ext}", "delete_files_by_name_ext"),
            ("post", "/v1/{name}:cancel", "post_v1_name_cancel"),
        ] {
            assert_eq!(derived_id(method, path), id, "{path}");
        }
    }

    #[test]
    fn doubled_ids_are_told_apart_by_their_paths() {
        assert_eq!(difference("/api/v1/cluster", "/cluster"), "api v1");
        assert_eq!(difference("/pets/{id}", "/pets"), "by  id ");
    }
}
