//! Link definitions that nobody meant: at the beginning of a paragraph or of a list item, Markdown takes
//! `[word]: sentence` for the target of links with that name, and shows nothing.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::html::EXTENSIONS;

/// How often a text is read again, because the next definition of a name only counts without the first.
const ROUNDS: usize = 8;

/// The text with every definition shown whose target is not an address.
pub(super) fn as_text(text: &str) -> String {
    edited(text, |text, definition| text.insert(definition.start, '\\'))
}

/// The docs of an emitter with its links before a colon as links, also where a single word follows:
/// ``- [`Pets`]: animals`` would define the target of the link.
pub(crate) fn as_links(docs: &str) -> String {
    edited(docs, |text, definition| {
        let closing =
            text[definition.clone()].find("]:").map_or(definition.end, |at| definition.start + at + 1);
        text.insert_str(closing, "[]");
    })
}

/// Whether the text has a definition that does not show.
pub(super) fn are_hidden(text: &str) -> bool {
    !unmeant(text).is_empty()
}

fn edited(text: &str, edit: impl Fn(&mut String, Range<usize>)) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let mut found = unmeant(&text);
        if found.is_empty() {
            break;
        }
        found.sort_by_key(|definition| std::cmp::Reverse(definition.start));
        for definition in found {
            edit(&mut text, definition);
        }
    }
    text
}

/// Where the definitions are that are not meant as such.
fn unmeant(text: &str) -> Vec<Range<usize>> {
    if !text.contains("]:") {
        return Vec::new();
    }
    let parser = Parser::new_ext(text, EXTENSIONS);
    let is_address = |target: &str| !reads_as_item(target);
    // An address that no link uses is not worth showing, but linters dislike it inside of lists.
    let (mut nested, mut found) = (Vec::new(), Vec::new());
    for (name, definition) in parser.reference_definitions().iter() {
        let span = definition.span.clone();
        if !is_address(&definition.dest) {
            found.push(span);
        } else if !text[..span.start].rsplit('\n').next().unwrap_or_default().trim().is_empty() {
            nested.push((name.to_lowercase(), span));
        }
    }
    for event in parser {
        if let Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. }) = event
            && matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
        {
            let id = id.to_lowercase();
            nested.retain(|(name, _)| *name != id);
        }
    }
    found.extend(nested.into_iter().map(|(_, span)| span));
    found
}

/// Whether rustdoc takes the target of a link for the path of an item.
pub(super) fn reads_as_item(target: &str) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    !path.is_empty()
        && path.chars().all(|character| character.is_alphanumeric() || ":_<>, !*&;@()".contains(character))
        && !target.contains("://")
        && !target.starts_with("mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_no_link_are_text() {
        for (text, shown) in [
            ("[deprecated]: use", "\\[deprecated]: use"),
            ("- [beta]: soon\n- [old]: never", "- \\[beta]: soon\n- \\[old]: never"),
            ("> [note]: careful", "> \\[note]: careful"),
            (
                "See [the page][1].\n\n[1]: https://example.com/",
                "See [the page][1].\n\n[1]: https://example.com/",
            ),
            ("A [word].\n\n[word]: meaning", "A [word].\n\n\\[word]: meaning"),
            ("[a]: b\n\n[a]: c", "\\[a]: b\n\n\\[a]: c"),
            ("[a]: several words are text", "[a]: several words are text"),
            ("`[a]: b`", "`[a]: b`"),
        ] {
            assert_eq!(as_text(text), shown);
            assert!(!are_hidden(&as_text(text)), "{text}");
        }
    }

    #[test]
    fn links_of_emitters_stay_links() {
        assert_eq!(
            as_links("- [`Pets`]: animals.\n- [`Shop`]: for people.\n"),
            "- [`Pets`][]: animals.\n- [`Shop`]: for people.\n"
        );
    }
}
