//! Path keys: the template in each, and unusual spellings with one sensible interpretation.

use super::Lowering;
use frontdesk_document::{Diagnostic, Key, Span};

/// A path as operations use it.
#[derive(Clone, Debug)]
pub(super) struct Template {
    /// The path with `{name}` for each parameter, without query and fragment.
    pub(super) text: String,
    /// The key in the document.
    pub(super) span: Span,
    /// The parameters, in the order of the path.
    pub(super) names: Vec<String>,
    /// Query parameters of one fixed value each, which the key holds behind a `?`.
    pub(super) query: Vec<(String, String)>,
}

impl Template {
    /// The path with every name left out: a router cannot distinguish templates that are equal in this form.
    pub(super) fn anonymous(&self) -> String {
        let mut text = String::with_capacity(self.text.len());
        for (index, part) in self.text.split('{').enumerate() {
            match part.split_once('}') {
                Some((_, rest)) if index > 0 => {
                    text.push_str("{}");
                    text.push_str(rest);
                }
                _ => text.push_str(part),
            }
        }
        text
    }

    /// The segments without parameters, which say what an operation is about.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        segments(&self.text).filter(|segment| !segment.contains('{'))
    }
}

/// The segments of a path.
pub(super) fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

impl<'d> Lowering<'d, '_> {
    /// Reads a key under `paths`; `declared` are the names of its path parameters, which win over the syntax
    /// of RFC 6570.
    pub(super) fn template(&mut self, key: Key<'d>, declared: &dyn Fn(&str) -> bool) -> Option<Template> {
        let mut odd = |problem: String, hint: &str| {
            self.problems.push(Diagnostic::warning("odd-path", key.span, problem).hint(hint));
        };
        let mut path = key.text.trim();
        if path != key.text {
            odd("the path has spaces around it, which are left out".to_owned(), "remove the spaces");
        }
        if let Some((rest, fragment)) = split_outside_braces(path, '#') {
            odd(
                format!("`#{fragment}` is left out: a fragment is never sent"),
                "give the operations paths that differ, or describe them as one operation",
            );
            path = rest;
        }
        let mut query = Vec::new();
        if let Some((rest, fixed)) = split_outside_braces(path, '?') {
            odd(
                format!("`?{fixed}` is read as query parameters of a fixed value"),
                "declare them under `parameters` with `in: query` and an `enum` of one value",
            );
            query = fixed
                .split('&')
                .filter(|pair| !pair.is_empty())
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            path = rest;
        }
        let mut rooted = String::new();
        if !path.starts_with('/') {
            odd("the path does not start with `/`; it is read as if it did".to_owned(), "write the `/`");
            rooted.push('/');
        }
        rooted.push_str(path);
        let Some((text, names)) = self.expressions(&rooted, key.span, declared) else {
            self.problems.push(
                Diagnostic::warning(
                    "invalid-path",
                    key.span,
                    "the braces of the path do not match; it is left out, with all its operations",
                )
                .hint("write each parameter as `{name}`"),
            );
            return None;
        };
        if text.contains("}{") {
            self.problems.push(
                Diagnostic::warning(
                    "invalid-path",
                    key.span,
                    "nothing separates two parameters of the path, so a server cannot tell where the first one ends; \
                     the path is left out, with all its operations",
                )
                .hint("write text between the two, such as `{a}-{b}` or `{a}/{b}`"),
            );
            return None;
        }
        Some(Template { text, span: key.span, names, query })
    }

    /// The path with plain `{name}` for every expression, and the names; nothing where braces do not match.
    fn expressions(
        &mut self,
        path: &str,
        span: Span,
        declared: &dyn Fn(&str) -> bool,
    ) -> Option<(String, Vec<String>)> {
        let mut text = String::with_capacity(path.len());
        let mut names: Vec<String> = Vec::new();
        let mut rest = path;
        while let Some(open) = rest.find('{') {
            let (before, from) = rest.split_at(open);
            let close = from.find('}')?;
            let (inner, after) = (&from[1..close], &from[close + 1..]);
            if before.contains('}') || inner.contains('{') {
                return None;
            }
            text.push_str(before);
            rest = after;
            let name = if declared(inner) { inner } else { plain(inner) };
            if name != inner {
                self.problems.push(
                    Diagnostic::warning(
                        "path-expression",
                        span,
                        format!("`{{{inner}}}` is read as `{{{name}}}`: OpenAPI has no other expressions"),
                    )
                    .hint("write `{name}` in the path, and the `style` and `explode` with the parameter"),
                );
            }
            // `{?page,size}` continues the query, which `parameters` describes.
            if inner.starts_with(['?', '&']) && name != inner {
                continue;
            }
            let mut unique = name.to_owned();
            if names.contains(&unique) {
                // Of so many numbers, one is free.
                let number =
                    (2..=names.len() + 2).find(|number| !names.contains(&format!("{name}_{number}")))?;
                unique = format!("{name}_{number}");
                self.problems.push(
                    Diagnostic::warning(
                        "odd-path",
                        span,
                        format!(
                            "`{{{name}}}` stands in the path twice; the later one is read as `{{{unique}}}`"
                        ),
                    )
                    .hint("give the two names of their own"),
                );
            }
            text.push('{');
            text.push_str(&unique);
            text.push('}');
            names.push(unique);
        }
        if rest.contains('}') {
            return None;
        }
        text.push_str(rest);
        Some((text, names))
    }
}

/// The name within an expression of RFC 6570: without operator, `*` and `:3`.
fn plain(expression: &str) -> &str {
    let name =
        expression.trim().trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).trim_end_matches('*');
    match name.split_once(':') {
        Some((name, length)) if !name.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Splits at the first such character that stands outside of braces.
fn split_outside_braces(text: &str, at: char) -> Option<(&str, &str)> {
    let mut inside = false;
    for (index, character) in text.char_indices() {
        match character {
            '{' => inside = true,
            '}' => inside = false,
            _ if character == at && !inside => return Some((&text[..index], &text[index + at.len_utf8()..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{plain, split_outside_braces};

    #[test]
    fn expressions_are_named_by_what_they_hold() {
        for (expression, name) in [
            ("id", "id"),
            (".color", "color"),
            (";color*", "color"),
            ("+path", "path"),
            ("name:3", "name"),
            ("v1:x", "v1:x"),
        ] {
            assert_eq!(plain(expression), name, "{expression}");
        }
    }

    #[test]
    fn a_query_begins_outside_of_braces() {
        assert_eq!(split_outside_braces("/a/{?b}?c=1", '?'), Some(("/a/{?b}", "c=1")));
        assert_eq!(split_outside_braces("/a/{?b}", '?'), None);
    }
}
