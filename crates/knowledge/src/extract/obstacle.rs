//! Detection of pages that are shown instead of the content: bot challenges, login forms, empty script
//! shells.

use scraper::Html;

use super::block::{Block, BlockKind, Place};
use super::consent;
use super::dom;
use super::head::Head;
use super::visibility::Visibility;

/// A kind of page that is shown instead of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A page that checks that the visitor is a person.
    BotChallenge,
    /// A page that asks visitors to sign in.
    LoginRequired,
    /// A page whose content is built by scripts in the browser.
    NeedsJavascript,
    /// A page that shows nothing but a request to accept cookies.
    ConsentRequired,
}

/// A page with at least this much text is content in any case.
const CONTENT_CHARS: usize = 1_200;

/// A page with less text than this may be a shell that scripts fill.
const SHELL_CHARS: usize = 200;

/// Titles of challenge pages, lower-case.
const CHALLENGE_TITLES: [&str; 9] = [
    "just a moment",
    "attention required! | cloudflare",
    "ddos-guard",
    "security check",
    "access denied",
    "verify you are human",
    "are you a robot",
    "pardon our interruption",
    "human verification",
];

/// Marks in the source of challenge pages.
const CHALLENGE_MARKS: [&str; 10] = [
    "/cdn-cgi/challenge-platform",
    "cf-chl-",
    "cf_chl_opt",
    "_incapsula_resource",
    "px-captcha",
    "captcha-delivery.com",
    "sgcaptcha",
    "awswafintegration",
    "geo.captcha",
    "ddos-guard/js-challenge",
];

/// Phrases that ask visitors to enable scripts, lower-case.
const SCRIPT_DEMANDS: [&str; 12] = [
    "enable javascript",
    "javascript is required",
    "requires javascript",
    "turn on javascript",
    "javascript aktivieren",
    "activer javascript",
    "activez javascript",
    "habilite javascript",
    "abilita javascript",
    "javascript in te schakelen",
    "ative o javascript",
    "włącz javascript",
];

/// Ids of elements that frameworks fill with content.
const SHELL_IDS: [&str; 7] = ["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "app-root"];

/// Returns the kind of obstacle, or `None` if the page is not one.
pub(super) fn detect(
    document: &Html,
    visibility: &Visibility,
    blocks: &[Block],
    head: &Head,
) -> Option<Obstacle> {
    // What frames the content is there even if the content is not.
    let content = || blocks.iter().filter(|block| block.place == Place::Main);
    let chars: usize = content().map(|block| block.text.len()).sum();
    if consent::is_wall(document, visibility, blocks, head) {
        return Some(Obstacle::ConsentRequired);
    }
    if chars >= CONTENT_CHARS {
        return None;
    }
    if is_challenge(document, head) {
        return Some(Obstacle::BotChallenge);
    }
    let running: usize = content()
        .filter(|block| !matches!(block.kind, BlockKind::Heading(_)))
        .map(|block| block.text.len())
        .sum();
    if running < SHELL_CHARS * 2 && has_password_field(document, visibility) {
        return Some(Obstacle::LoginRequired);
    }
    (running < SHELL_CHARS && is_shell(document)).then_some(Obstacle::NeedsJavascript)
}

fn is_challenge(document: &Html, head: &Head) -> bool {
    let title = head.title.as_deref().unwrap_or_default().to_lowercase();
    let titled = CHALLENGE_TITLES.iter().any(|known| title.starts_with(known));
    let marked = dom::elements(document).any(|node| {
        let source =
            ["src", "action", "href", "id", "class"].iter().filter_map(|name| dom::attribute(&node, name));
        let inline = (dom::name(&node) == "script")
            .then(|| {
                node.children().filter_map(|child| child.value().as_text()).map(|text| &*text.text).next()
            })
            .flatten();
        source.chain(inline).any(|text| {
            let text = text[..text.floor_char_boundary(4_000)].to_ascii_lowercase();
            CHALLENGE_MARKS.iter().any(|mark| text.contains(mark))
        })
    });
    // A title alone may belong to an article about access. A mark alone also occurs on pages that passed the
    // check.
    marked && (titled || head.links.len() < 3) || (titled && head.links.is_empty())
}

fn has_password_field(document: &Html, visibility: &Visibility) -> bool {
    dom::elements(document)
        .filter(|node| dom::name(node) == "input" && dom::attribute_is(node, "type", "password"))
        .any(|node| !node.ancestors().any(|ancestor| visibility.hides(&ancestor)))
}

fn is_shell(document: &Html) -> bool {
    let mut has_script = false;
    let mut demands = false;
    let mut empty_mount = false;
    for node in dom::elements(document) {
        match dom::name(&node) {
            "script" => has_script = true,
            "noscript" => {
                let text: String = node
                    .descendants()
                    .filter_map(|inner| inner.value().as_text().map(|text| text.to_lowercase()))
                    .collect();
                demands |= SCRIPT_DEMANDS.iter().any(|demand| text.contains(demand));
            }
            _ => {
                empty_mount |= dom::attribute(&node, "id").is_some_and(|id| SHELL_IDS.contains(&id))
                    && !node
                        .descendants()
                        .any(|inner| inner.value().as_text().is_some_and(|text| !text.trim().is_empty()));
            }
        }
    }
    has_script && (demands || empty_mount)
}
