//! Paths that overlap without one of them being the more specific: `/{entity}/me` and `/items/{id}`.

use super::{Lowering, paths::Template};
use frontdesk_document::{Diagnostic, Operation};
use std::collections::BTreeMap;

impl<'d> Lowering<'d, '_> {
    /// Warns of each path that has requests in common with an earlier one, where each is more specific than
    /// the other in some segment. OpenAPI leaves open which operation they call.
    pub(super) fn find_ambiguous_paths(&mut self, sites: &[(Template, Operation<'d>)]) {
        let mut known: BTreeMap<(&str, usize), Vec<&Template>> = BTreeMap::new();
        for (template, described) in sites {
            let length = template.text.split('/').count();
            let earlier = known.entry((described.method, length)).or_default();
            if let Some((other, example)) =
                earlier.iter().find_map(|other| Some((*other, shared(&other.text, &template.text)?)))
                && self.ambiguous.insert(template.span)
            {
                let first = if is_tried_first(&other.text, &template.text) { other } else { template };
                self.problems.push(
                    Diagnostic::warning(
                        "ambiguous-path",
                        template.span,
                        format!("`{example}` matches this path and an earlier one; a server takes `{}`", first.text),
                    )
                    .related(other.span, "the earlier path")
                    .hint("let the paths differ in a word at the same place, or describe which values the parameters exclude"),
                );
            }
            earlier.push(template);
        }
    }
}

/// Returns a path that matches both templates, if each has a word where the other one has a parameter.
fn shared(one: &str, other: &str) -> Option<String> {
    let pairs = || one.split('/').zip(other.split('/'));
    let (mut more, mut less) = (false, false);
    for (left, right) in pairs() {
        match (is_parameter(left), is_parameter(right)) {
            (false, true) => more = true,
            (true, false) => less = true,
            (true, true) => {}
            (false, false) if left == right => {}
            (false, false) => return None,
        }
    }
    let segments = || pairs().map(|(left, right)| if is_parameter(left) { right } else { left });
    (more && less).then(|| segments().collect::<Vec<_>>().join("/"))
}

/// Whether the segment is a parameter and nothing else.
fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{') && segment.find('}') == Some(segment.len() - 1)
}

/// Whether a router takes the first of two templates: in the first segment in which only one of them has a
/// parameter, the other one has a word.
fn is_tried_first(one: &str, other: &str) -> bool {
    let mut pairs = one.split('/').zip(other.split('/'));
    let differs = pairs.find(|(left, right)| is_parameter(left) != is_parameter(right));
    differs.is_none_or(|(left, _)| !is_parameter(left))
}

#[cfg(test)]
mod tests {
    use super::{is_tried_first, shared};

    #[test]
    fn only_paths_of_which_none_is_more_specific_are_ambiguous() {
        for (one, other, example) in [
            ("/items/{id}", "/{entity}/me", Some("/items/me")),
            ("/{entity}/me/{x}", "/items/{id}/{y}", Some("/items/me/{y}")),
            ("/items/{id}", "/items/me", None),
            ("/items/{id}", "/{entity}/{id}", None),
            ("/items/{id}", "/things/{id}", None),
            ("/items/{id}/a", "/{entity}/me/b", None),
            ("/items/{id}.json", "/{entity}/me", None),
        ] {
            assert_eq!(shared(one, other).as_deref(), example, "{one} {other}");
        }
        assert!(is_tried_first("/items/{id}", "/{entity}/me"));
        assert!(!is_tried_first("/{entity}/me", "/items/{id}"));
    }
}
