//! Links to methods where docs name operations by their ids.

use crate::{
    ir::{Api, Group, Operation},
    render::{EXTENSIONS, markdown},
};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;

/// The crate whose methods the docs link to.
#[derive(Clone, Copy, Debug)]
pub(in crate::emit) enum Methods {
    /// Those of the client's handles.
    Client,
    /// Those of the server's traits.
    Server,
}

/// Returns a sentence with the operations that the responses lead to, named by their ids; empty if there are
/// none.
pub(super) fn next(operation: &Operation) -> String {
    let links = operation.links.iter().map(|link| {
        let mut notes = Vec::new();
        if !link.status.starts_with('2') {
            notes.push(format!("after {}", link.status));
        }
        let docs = link.docs.as_deref().unwrap_or_default();
        let docs = docs.split_whitespace().collect::<Vec<_>>().join(" ");
        notes.extend(Some(docs.trim_end_matches('.').to_owned()).filter(|docs| !docs.is_empty()));
        let note = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(": ")) };
        format!("`{}`{note}", link.target)
    });
    let links: Vec<String> = links.collect();
    if links.is_empty() { String::new() } else { format!("Next: {}.\n\n", links.join(", ")) }
}

/// Returns the text of an operation as Markdown, in which the ids of other operations are links to their
/// methods, and its own id is the name of its method.
pub(in crate::emit) fn linked(
    api: &Api,
    methods: Methods,
    group: &Group,
    operation: &Operation,
    text: &str,
) -> String {
    let is_certain = |id: &str| operation.links.iter().any(|link| link.target == id) || is_distinctive(id);
    let is_own_group = |id: &str| api.operation(id).is_some_and(|(other, _)| other.module == group.module);
    // The links are code until the text is filled, because prose has no links to items.
    let mut links = Vec::new();
    let mut edited = String::new();
    let mut at = 0;
    for (id, range) in code_spans(text) {
        if !is_certain(&id) {
            continue;
        }
        if id == operation.id {
            edited.push_str(&text[at..range.start]);
            edited.push_str(&format!("`{}`", name(methods, operation)));
            at = range.end;
            continue;
        }
        let Some(method) = method(api, methods, &id) else { continue };
        // A module has the trait or the handle of its own group in scope.
        let path = if is_own_group(&id) { String::new() } else { format!("(crate::{method})") };
        let code = format!("`[{method}]{path}`");
        edited.push_str(&text[at..range.start]);
        edited.push_str(&code);
        at = range.end;
        links.push((code, format!("[`{method}`]{path}")));
    }
    if edited.is_empty() {
        return markdown(text);
    }
    edited.push_str(&text[at..]);
    let mut linked = markdown(&edited);
    if linked.starts_with("```") {
        // The whole text is shown as it is.
        return markdown(text);
    }
    for (code, link) in links {
        linked = linked.replace(&code, &link);
    }
    linked
}

/// The method of an operation, as a path behind `crate::`.
fn method(api: &Api, methods: Methods, id: &str) -> Option<String> {
    let (group, operation) = api.operation(id)?;
    Some(format!("{}::{}", group.name, name(methods, operation)))
}

/// The name of an operation's method, without the prefix of a raw identifier, which a link would read as a
/// fragment.
fn name(methods: Methods, operation: &Operation) -> &str {
    let name = match methods {
        Methods::Client => &operation.short,
        Methods::Server => &operation.handler,
    };
    name.trim_start_matches("r#")
}

/// Whether code of this text is hardly anything else than the operation: a single word may be a value.
fn is_distinctive(id: &str) -> bool {
    let inner = id.get(1..).unwrap_or_default();
    inner.contains(|character: char| character.is_uppercase() || "_-/.".contains(character))
}

/// The code in the text that is not part of a link, with its marks.
fn code_spans(text: &str) -> Vec<(String, Range<usize>)> {
    let mut spans = Vec::new();
    if !text.contains('`') {
        return spans;
    }
    let mut links = 0;
    for (event, range) in Parser::new_ext(text, EXTENSIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => links += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => links -= 1,
            Event::Code(code) if links == 0 => spans.push((code.into_string(), range)),
            _ => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::{Methods, linked, next};
    use crate::{
        emit::{empty_api, empty_operation},
        ir::{Api, Group, Link, Operation},
    };
    use std::collections::BTreeMap;

    fn api() -> Api {
        let operation = |id: &str, short: &str| Operation {
            short: short.to_owned(),
            handler: id.to_owned(),
            id: id.to_owned(),
            ..empty_operation()
        };
        let operations = vec![operation("getDeal", "get"), operation("win", "win")];
        let group = Group {
            tag: "deals".to_owned(),
            module: "deals".to_owned(),
            name: "Deals".to_owned(),
            docs: None,
            operations,
        };
        let by_id = BTreeMap::from([("getDeal".to_owned(), (0, 0)), ("win".to_owned(), (0, 1))]);
        Api { groups: vec![group], by_id, ..empty_api() }
    }

    #[test]
    fn ids_of_operations_are_links() {
        let api = api();
        let mut from = empty_operation();
        let (own, other) = (&api.groups[0], Group { module: "pets".to_owned(), ..api.groups[0].clone() });
        let within =
            |group: &Group, from: &Operation, text: &str| linked(&api, Methods::Client, group, from, text);
        let linked = |from: &Operation, text: &str| within(&other, from, text);
        assert_eq!(linked(&from, "Use `getDeal`."), "Use [`Deals::get`](crate::Deals::get).");
        // One word may be a value, code in a link has a target, and blocks of code stay as they are.
        for text in ["`win` or `lost`.", "[`getDeal`](https://x.example/)", "```text\n`getDeal`\n```"] {
            assert_eq!(linked(&from, text), text);
        }
        from.links = vec![
            Link { status: "201".to_owned(), target: "win".to_owned(), docs: Some("Win\nit.".to_owned()) },
            Link { status: "409".to_owned(), target: "elsewhere".to_owned(), docs: None },
        ];
        assert_eq!(
            linked(&from, &next(&from)),
            "Next: [`Deals::win`](crate::Deals::win) (Win it), `elsewhere` (after 409)."
        );
        // Nothing links to itself, and names of the own group are in scope.
        let (get, win) = (&own.operations[0], &own.operations[1]);
        assert_eq!(within(own, win, "`win`, then `getDeal`"), "`win`, then [`Deals::get`]");
        assert_eq!(within(own, get, "`getDeal`, not `getDeals`"), "`get`, not `getDeals`");
        // An operation of another group that has the same id is in that group.
        assert_eq!(within(&other, win, "After `getDeal`."), "After [`Deals::get`](crate::Deals::get).");
    }
}
