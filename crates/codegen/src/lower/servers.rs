//! Lowering of servers: base URLs and their variables.

use super::{Lowering, docs, names, shown, text};
use crate::ir::{Server, ServerVariable};
use frontdesk_document::{Diagnostic, NodeRef};

impl<'d> Lowering<'d, '_> {
    /// The servers that a document, a path or an operation lists.
    pub(super) fn servers(&mut self, owner: NodeRef<'d>) -> Vec<Server> {
        let listed: Vec<_> = owner.get("servers").into_iter().flat_map(NodeRef::items).collect();
        listed.into_iter().filter_map(|node| self.server(node)).collect()
    }

    fn server(&mut self, node: NodeRef<'d>) -> Option<Server> {
        let Some(url) = text(node, "url") else {
            self.left_out(node, "a server without `url` is left out");
            return None;
        };
        let url = url.trim();
        let Some(wanted) = placeholders(url) else {
            self.left_out(node, "the braces of the URL do not match; the server is left out");
            return None;
        };
        let declared = node.get("variables");
        let mut taken = names::Scope::default();
        let mut variables = Vec::new();
        for name in &wanted {
            let variable = declared.and_then(|variables| variables.get(name));
            let value = |node: NodeRef<'d>| node.as_str().or_else(|| node.as_number()).map(str::to_owned);
            let values: Vec<String> = variable
                .and_then(|variable| variable.get("enum"))
                .into_iter()
                .flat_map(NodeRef::items)
                .filter_map(value)
                .collect();
            let default = variable.and_then(|variable| variable.get("default")).and_then(value);
            let Some(default) = default.or_else(|| values.first().cloned()) else {
                self.left_out(
                    node,
                    &format!("the variable `{name}` has no `default`; the server is left out"),
                );
                return None;
            };
            if !values.is_empty() && !values.contains(&default) {
                self.left_out(
                    node,
                    &format!("the default of `{name}` is not among its values; every value is taken"),
                );
            }
            let values = if values.contains(&default) { values } else { Vec::new() };
            variables.push(ServerVariable {
                wire: name.clone(),
                rust: taken.take(&names::snake(name), "_variable"),
                docs: variable.and_then(docs),
                default,
                values,
            });
        }
        for (key, variable) in declared.into_iter().flat_map(NodeRef::entries) {
            if !key.text.starts_with("x-") && !wanted.iter().any(|name| name == key.text) {
                self.left_out(variable, &format!("the URL has no place for the variable `{}`", key.text));
            }
        }
        Some(Server { url: url.to_owned(), docs: docs(node), variables })
    }

    fn left_out(&mut self, node: NodeRef<'d>, message: &str) {
        if self.warned.insert((node.id(), "invalid-server")) {
            self.problems.push(
                Diagnostic::warning("invalid-server", shown(node), message)
                    .hint("write `{name}` in `url` and its `default` under `variables`"),
            );
        }
    }
}

/// The names in braces, each once; nothing where braces do not match.
fn placeholders(url: &str) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = url;
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}')?;
        let name = &rest[open + 1..close];
        if rest[..open].contains('}') || name.contains('{') {
            return None;
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        rest = &rest[close + 1..];
    }
    (!rest.contains('}')).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn a_url_names_its_variables_in_braces() {
        assert_eq!(
            placeholders("https://{host}:{port}/{host}"),
            Some(vec!["host".to_owned(), "port".to_owned()])
        );
        assert_eq!(placeholders("https://{host"), None);
        assert_eq!(placeholders("https://host}"), None);
    }
}
