//! Metadata of a page: title, language, canonical address, robots directives, links.

use std::collections::HashSet;

use scraper::Html;
use url::Url;

use super::block::{Block, BlockKind, Place};
use super::clean::clean_text;
use super::directives::Directives;
use super::dom::{self, NodeRef};

/// Most links read from one page.
const MAX_LINKS: usize = 2_000;

/// Longest title kept, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Longest delay, in seconds, of a meta refresh that is a redirect rather than a reload.
const MAX_REFRESH_SECONDS: f64 = 10.0;

/// The metadata of one document.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) title: Option<String>,
    pub(super) open_graph_title: Option<String>,
    pub(super) site_name: Option<String>,
    pub(super) language: Option<String>,
    pub(super) description: Option<String>,
    pub(super) canonical: Option<Url>,
    pub(super) directives: Directives,
    pub(super) refresh: Option<Url>,
    pub(super) links: Vec<Url>,
}

/// Reads the metadata and links of a document fetched from `url`.
pub(super) fn read(document: &Html, url: &Url, agent: &str) -> Head {
    let mut head = Head::default();
    let base = dom::elements(document)
        .find(|node| dom::name(node) == "base" && dom::attribute(node, "href").is_some())
        .and_then(|node| url.join(dom::attribute(&node, "href")?.trim()).ok())
        .filter(|base| matches!(base.scheme(), "http" | "https"))
        .unwrap_or_else(|| url.clone());
    let mut seen = HashSet::new();
    for node in dom::elements(document) {
        match dom::name(&node) {
            "html" => head.language = dom::attribute(&node, "lang").and_then(language_tag),
            "title" if head.title.is_none() && !is_inside_svg(&node) => {
                head.title = non_empty(&text_of(&node));
            }
            "meta" => read_meta(&node, &base, agent, &mut head),
            "link" if has_token(&node, "rel", "canonical") && head.canonical.is_none() => {
                head.canonical = resolve(&base, &node);
            }
            "a" | "area" if head.links.len() < MAX_LINKS && !has_token(&node, "rel", "nofollow") => {
                head.links.extend(resolve(&base, &node).filter(|link| seen.insert(link.clone())));
            }
            _ => {}
        }
    }
    head
}

fn read_meta(node: &NodeRef<'_>, base: &Url, agent: &str, head: &mut Head) {
    let Some(content) = dom::attribute(node, "content") else { return };
    if dom::attribute_is(node, "http-equiv", "refresh") {
        head.refresh = head.refresh.take().or_else(|| refresh_target(content, base));
        return;
    }
    if dom::attribute_is(node, "http-equiv", "content-language") && head.language.is_none() {
        head.language = language_tag(content);
        return;
    }
    let name = dom::attribute(node, "name").or_else(|| dom::attribute(node, "property")).unwrap_or_default();
    match name.trim().to_ascii_lowercase().as_str() {
        "description" => head.description = non_empty(&clean_text(content)),
        "og:title" => head.open_graph_title = non_empty(&clean_text(content)),
        "og:site_name" => head.site_name = non_empty(&clean_text(content)),
        "robots" => head.directives.read(content, agent),
        own if own == agent.to_ascii_lowercase() => head.directives.read(content, agent),
        _ => {}
    }
}

/// Returns the absolute address of `/there` for `5; url=/there`.
fn refresh_target(content: &str, base: &Url) -> Option<Url> {
    let (delay, target) = content.split_once([';', ','])?;
    if delay.trim().parse::<f64>().is_ok_and(|seconds| seconds > MAX_REFRESH_SECONDS) {
        return None;
    }
    let target = target.trim();
    let target = match target.split_once('=') {
        Some((key, value)) if key.trim().eq_ignore_ascii_case("url") => value.trim(),
        _ => target,
    };
    web_address(base, target.trim_matches(['"', '\'']))
}

fn resolve(base: &Url, node: &NodeRef<'_>) -> Option<Url> {
    web_address(base, dom::attribute(node, "href")?)
}

fn web_address(base: &Url, reference: &str) -> Option<Url> {
    let reference = reference.trim();
    // A reference to the page itself is not a link.
    if reference.is_empty() || reference.starts_with('#') {
        return None;
    }
    base.join(reference).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn has_token(node: &NodeRef<'_>, attribute: &str, token: &str) -> bool {
    dom::attribute(node, attribute)
        .is_some_and(|value| value.split_whitespace().any(|found| found.eq_ignore_ascii_case(token)))
}

/// Returns a plausible BCP 47 tag: templates leave placeholders in `lang`.
fn language_tag(value: &str) -> Option<String> {
    let tag = value.split(',').next().unwrap_or_default().trim().replace('_', "-");
    let primary = tag.split('-').next().unwrap_or_default();
    let plausible = (2..=3).contains(&primary.len())
        && tag.len() <= 35
        && tag.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
    plausible.then(|| tag.to_ascii_lowercase())
}

fn is_inside_svg(node: &NodeRef<'_>) -> bool {
    node.ancestors().take(3).any(|ancestor| dom::name(&ancestor) == "svg")
}

fn text_of(node: &NodeRef<'_>) -> String {
    let text: String = node
        .descendants()
        .filter_map(|node| node.value().as_text().map(|text| text.text.to_string()))
        .collect();
    clean_text(&text)
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the page's own title.
///
/// `<title>` usually includes the site's name. The top heading or the Open Graph title shows which part
/// belongs to the page.
pub(super) fn title(head: &Head, blocks: &[Block], url: &Url) -> String {
    let heading = blocks
        .iter()
        .find(|block| block.kind == BlockKind::Heading(1) && block.place == Place::Main)
        .map(|block| block.text.as_str());
    let stated = head.title.as_deref().or(head.open_graph_title.as_deref());
    let title = match (stated, heading) {
        // Some sites have their own name as the top heading of every page; in the title it comes last.
        (Some(stated), Some(heading)) if is_part_before_the_last(stated, heading) => heading.to_owned(),
        (Some(stated), Some(heading)) if ends_with_part(stated, heading) => without_end(stated, heading),
        (Some(stated), _) => own_part(stated, head),
        (None, Some(heading)) => heading.to_owned(),
        (None, None) => name_from_address(url),
    };
    match title.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => title[..end].trim_end().to_owned(),
        None => title,
    }
}

fn own_part(stated: &str, head: &Head) -> String {
    if let Some(own) =
        head.open_graph_title.as_deref().filter(|own| own.len() < stated.len() && stated.contains(own))
    {
        return own.to_owned();
    }
    let site = head.site_name.as_deref().unwrap_or_default();
    let without =
        stated.strip_suffix(site).map(|rest| rest.trim_end().trim_end_matches(SEPARATORS).trim_end());
    match without {
        Some(own) if !site.is_empty() && !own.is_empty() => own.to_owned(),
        _ => stated.to_owned(),
    }
}

/// Characters between the parts of a title.
const SEPARATORS: [char; 9] = ['|', '-', '–', '—', '·', '»', ':', '«', '•'];

fn is_part_before_the_last(title: &str, heading: &str) -> bool {
    let (title, heading) = (title.to_lowercase(), heading.to_lowercase());
    title == heading || (title.contains(&heading) && !ends_with_part(&title, &heading))
}

/// Returns whether a title ends with a heading, after a separator.
fn ends_with_part(title: &str, heading: &str) -> bool {
    let title = title.to_lowercase();
    title
        .strip_suffix(&heading.to_lowercase())
        .is_some_and(|rest| rest.trim_end().ends_with(SEPARATORS) && rest.contains(char::is_alphanumeric))
}

/// Returns a title without its last part.
fn without_end(title: &str, end: &str) -> String {
    let kept = title.chars().count().saturating_sub(end.chars().count());
    let rest: String = title.chars().take(kept).collect();
    rest.trim_end().trim_end_matches(SEPARATORS).trim_end().to_owned()
}

/// Returns a readable name made from the last segment of an address: `/files/price-list.txt` → `price list`.
pub(super) fn name_from_address(url: &Url) -> String {
    let segment = url.path().rsplit('/').find(|segment| !segment.is_empty()).unwrap_or_default();
    let stem = segment.rsplit_once('.').map_or(segment, |(stem, _)| stem);
    let name = clean_text(&stem.replace(['-', '_', '+'], " "));
    if name.is_empty() { url.host_str().unwrap_or_default().to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_of(html: &str) -> Head {
        let (document, _) = dom::parse(html);
        read(&document, &Url::parse("https://acme.example/shop/page.html").unwrap(), "frontdesk")
    }

    #[test]
    fn links_resolve_against_the_base() {
        let head = head_of(
            "<base href='/other/'><a href=a.html>1</a><a href='a.html'>again</a><a href=#x>top</a><a href='javascript:x()'>js</a>\
             <a href='mailto:a@b.c'>m</a><a rel='noopener NOFOLLOW' href=no.html>n</a><a href='//cdn.example/x'>p</a><a href=' b.html\n'>sp</a>\
             <a href='http://['>broken</a><a>none</a>",
        );
        let links: Vec<_> = head.links.iter().map(Url::as_str).collect();
        assert_eq!(
            links,
            [
                "https://acme.example/other/a.html",
                "https://cdn.example/x",
                "https://acme.example/other/b.html"
            ]
        );
    }

    #[test]
    fn a_base_that_is_no_web_address_is_ignored() {
        let head = head_of("<base href='data:text/html,x'><a href=a.html>1</a>");
        assert_eq!(head.links[0].as_str(), "https://acme.example/shop/a.html");
    }

    #[test]
    fn metadata_is_read() {
        let head = head_of(
            "<html lang=de_AT><title> A \n B </title><link rel=canonical href=/c><meta name=ROBOTS content='NoIndex'>\
             <meta name=description content='d&amp;e'><meta name=googlebot content=nofollow>",
        );
        assert_eq!(head.title.as_deref(), Some("A B"));
        assert_eq!(head.language.as_deref(), Some("de-at"));
        assert_eq!(head.canonical.unwrap().as_str(), "https://acme.example/c");
        assert_eq!(head.directives, Directives { noindex: true, nofollow: false });
        assert_eq!(head.description.as_deref(), Some("d&e"));
    }

    #[test]
    fn refresh_targets() {
        let base = Url::parse("https://acme.example/a/b").unwrap();
        for (content, expected) in [
            ("0; url=c", Some("https://acme.example/a/c")),
            ("0;URL='/d'", Some("https://acme.example/d")),
            ("1,/e", Some("https://acme.example/e")),
            ("300; url=c", None),
            ("30", None),
            ("0; url=javascript:x", None),
            ("0;url=", None),
        ] {
            assert_eq!(refresh_target(content, &base).as_ref().map(Url::as_str), expected, "{content}");
        }
    }

    #[test]
    fn titles_lose_the_name_of_the_site() {
        let url = Url::parse("https://acme.example/price-list.html").unwrap();
        let cases = [
            (Some("Prices | Acme"), None, None, Some("Prices"), "Prices"),
            (Some("Prices – Acme"), None, Some("Acme"), None, "Prices"),
            (Some("Prices | Acme"), Some("Prices"), None, None, "Prices"),
            (Some("Acme"), None, Some("Acme"), None, "Acme"),
            (Some("Prices | Acme"), None, None, None, "Prices | Acme"),
            (None, None, None, Some("Prices"), "Prices"),
            (None, None, None, None, "price list"),
            (Some("Menu - Golden Café"), None, None, Some("Golden Café"), "Menu"),
            (Some("Golden Café"), None, None, Some("Golden Café"), "Golden Café"),
        ];
        for (title_element, open_graph, site, heading, expected) in cases {
            let head = Head {
                title: title_element.map(str::to_owned),
                open_graph_title: open_graph.map(str::to_owned),
                site_name: site.map(str::to_owned),
                ..Head::default()
            };
            let blocks: Vec<_> =
                heading.map(|text| Block::new(BlockKind::Heading(1), text)).into_iter().collect();
            assert_eq!(title(&head, &blocks, &url), expected);
        }
    }

    #[test]
    fn directives_for_other_robots_are_not_ours() {
        for (value, noindex, nofollow) in [
            ("noindex", true, false),
            ("none", true, true),
            ("index, NOFOLLOW", false, true),
            ("googlebot: noindex", false, false),
            ("googlebot: noindex, nofollow", false, false),
            ("frontdesk: noindex, nofollow", true, true),
            ("unavailable_after: 25 Jun 2010 15:00:00 PST", false, false),
            ("max-snippet:20, noindex", true, false),
            ("", false, false),
        ] {
            let mut directives = Directives::default();
            directives.read(value, "frontdesk");
            assert_eq!(directives, Directives { noindex, nofollow }, "{value}");
        }
    }
}
