//! Ambiguous and malformed paths.

use std::collections::HashMap;

use frontdesk_document::{NodeRef, Operation};

use super::finding::Drafts;
use super::rules::{AMBIGUOUS_PATHS, IDENTICAL_PATHS, PATH_PARAMETER_OPTIONAL, PATH_TRAILING_SLASH};
use super::survey::{Role, Survey, flag, object, text};
use crate::oracle::{ecma, is_format, kind};

/// A part of a path between two slashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment<'d> {
    Word(&'d str),
    /// A parameter that is the whole segment, by its name.
    Parameter(&'d str),
    /// A mixture of text and parameters, which is not compared.
    Mixed(&'d str),
}

/// A path with all its operations.
struct Template<'s, 'd> {
    operations: Vec<&'s Operation<'d>>,
    segments: Vec<Segment<'d>>,
}

impl<'d> Template<'_, 'd> {
    fn text(&self) -> &'d str {
        self.operations.first().map_or("", |operation| operation.item.key.text)
    }
}

/// Checks the keys of `paths`, and path parameters.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let mut templates: Vec<Template<'_, 'd>> = Vec::new();
    for operation in &survey.operations {
        match templates.last_mut().filter(|last| last.text() == operation.item.key.text) {
            Some(last) => last.operations.push(operation),
            None => {
                let segments = segments(operation.item.key.text);
                templates.push(Template { operations: vec![operation], segments });
            }
        }
    }
    for template in &templates {
        let path = template.text();
        if let Some(mount) = template.operations.first().map(|operation| operation.item.mount)
            && path.len() > 1
            && path.ends_with('/')
        {
            let message = format!("`{path}` ends in a slash");
            drafts.report(
                PATH_TRAILING_SLASH,
                mount,
                message,
                format!("write `{}`", path.trim_end_matches('/')),
            );
        }
    }
    // Only paths with the same number of segments can match the same request.
    let mut by_length: HashMap<usize, Vec<&Template<'_, 'd>>> = HashMap::new();
    for template in &templates {
        let rivals = by_length.entry(template.segments.len()).or_default();
        check_against(rivals, template, drafts);
        rivals.push(template);
    }
    for parameter in survey.of_kind(Role::Parameter).map(|holder| holder.node) {
        if text(parameter, "in") == Some("path") && !flag(parameter, "required") {
            let name = text(parameter, "name").unwrap_or_default();
            let message = format!("the path parameter `{name}` is not `required: true`");
            drafts.report(PATH_PARAMETER_OPTIONAL, parameter, message, "add `required: true`");
        }
    }
}

/// How two paths overlap.
enum Overlap {
    /// No request matches both, or one path is more specific.
    None,
    /// They are the same path with other parameter names.
    Same,
    /// This request matches both.
    Both(String),
}

/// Reports which of the preceding paths match the same requests.
fn check_against<'d>(rivals: &[&Template<'_, 'd>], template: &Template<'_, 'd>, drafts: &mut Drafts<'d>) {
    let Some(mount) = template.operations.first().map(|operation| operation.item.mount) else { return };
    let path = template.text();
    let mut ambiguous: Vec<(&str, String)> = Vec::new();
    for rival in rivals {
        match overlap(rival, template) {
            Overlap::None => {}
            Overlap::Same => {
                let message =
                    format!("`{}` and `{path}` differ only in the names of parameters", rival.text());
                drafts.report(IDENTICAL_PATHS, mount, message, "describe all methods in one path item");
            }
            Overlap::Both(request) => ambiguous.push((rival.text(), request)),
        }
    }
    let Some((rival, request)) = ambiguous.first() else { return };
    let more = match ambiguous.len() - 1 {
        0 => String::new(),
        1 => " (also 1 more path)".to_owned(),
        count => format!(" (also {count} more paths)"),
    };
    let message = format!("{request} matches `{rival}` and `{path}`, and neither is more specific{more}");
    let hint = "add a literal segment to one of them, or restrict its parameter so that it excludes the other's literal";
    drafts.report(AMBIGUOUS_PATHS, mount, message, hint);
}

fn overlap(first: &Template<'_, '_>, second: &Template<'_, '_>) -> Overlap {
    let (mut first_wins, mut second_wins) = (false, false);
    let mut choices = Vec::new();
    let mut request = String::new();
    for pair in first.segments.iter().zip(&second.segments) {
        request.push('/');
        match pair {
            (Segment::Word(one), Segment::Word(two)) if one == two => request.push_str(one),
            (Segment::Mixed(one), Segment::Mixed(two)) if anonymous(one) == anonymous(two) => {
                request.push_str(one);
            }
            (Segment::Parameter(name), Segment::Parameter(_)) => request.push_str(&format!("{{{name}}}")),
            (Segment::Word(word), Segment::Parameter(name)) => {
                first_wins = true;
                choices.push((false, *name, *word));
                request.push_str(word);
            }
            (Segment::Parameter(name), Segment::Word(word)) => {
                second_wins = true;
                choices.push((true, *name, *word));
                request.push_str(word);
            }
            _ => return Overlap::None,
        }
    }
    if first_wins != second_wins {
        return Overlap::None;
    }
    let mut shared = first.operations.iter().filter_map(|one| {
        let two = second.operations.iter().find(|two| two.method == one.method)?;
        Some((*one, *two))
    });
    if !first_wins {
        // The generator reports paths that share a method.
        return if shared.next().is_none() { Overlap::Same } else { Overlap::None };
    }
    let ambiguous = shared.find(|(one, two)| {
        choices.iter().all(|(of_first, name, word)| takes(if *of_first { one } else { two }, name, word))
    });
    ambiguous
        .map_or(Overlap::None, |(one, _)| Overlap::Both(format!("{} {request}", one.method.to_uppercase())))
}

/// Returns whether a path parameter of an operation accepts a literal.
fn takes(operation: &Operation<'_>, name: &str, word: &str) -> bool {
    let mut parameters = operation.distinct_parameters().map(|parameter| parameter.node);
    let own = parameters.find(|it| text(*it, "in") == Some("path") && text(*it, "name") == Some(name));
    // A segment is never empty, whatever length the schema allows.
    !word.is_empty()
        && own
            .and_then(|parameter| parameter.get("schema"))
            .and_then(object)
            .is_none_or(|schema| fits(schema, word))
}

fn segments(path: &str) -> Vec<Segment<'_>> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.strip_prefix('/').unwrap_or(path).split('/').map(segment).collect()
}

fn segment(text: &str) -> Segment<'_> {
    match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(name) if !name.contains(['{', '}']) => Segment::Parameter(name),
        _ if text.contains('{') => Segment::Mixed(text),
        _ => Segment::Word(text),
    }
}

/// Returns a segment without the names of its parameters.
fn anonymous(text: &str) -> String {
    let parts = text.split('{').enumerate();
    parts
        .map(|(index, part)| match part.split_once('}') {
            Some((_, rest)) if index > 0 => format!("{{}}{rest}"),
            _ => part.to_owned(),
        })
        .collect()
}

/// Returns whether a path text can be a value of a schema; `true` if that is unknown.
fn fits(schema: NodeRef<'_>, word: &str) -> bool {
    if let Some(values) = schema.get("enum").filter(|_| !flag(schema, "x-extensible-enum")) {
        return values.items().any(|value| value.as_str() == Some(word) || value.as_number() == Some(word));
    }
    let spoken = match kind(schema) {
        Some("integer") => word.parse::<i128>().is_ok(),
        Some("number") => word.parse::<f64>().is_ok(),
        Some("boolean") => matches!(word, "true" | "false"),
        _ => true,
    };
    let length = word.chars().count();
    let bound =
        |key: &str| schema.get(key).and_then(NodeRef::as_i128).and_then(|it| usize::try_from(it).ok());
    let long = bound("minLength").is_none_or(|least| length >= least);
    let short = bound("maxLength").is_none_or(|most| length <= most);
    let matches = text(schema, "pattern").and_then(ecma).is_none_or(|pattern| pattern.find(word).is_some());
    let formed = text(schema, "format").is_none_or(|format| is_format(format, word));
    spoken && long && short && matches && formed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_distinguished() {
        assert_eq!(
            segments("/a/{b}/{c}.json?x={y}"),
            [Segment::Word("a"), Segment::Parameter("b"), Segment::Mixed("{c}.json")]
        );
        assert_eq!(anonymous("a{c}.json"), anonymous("a{d}.json"));
        assert_ne!(anonymous("{c}.json"), anonymous("{c}.xml"));
    }
}
