//! The files: their sizes, their imports, and the vendored module.

use std::collections::BTreeSet;
use std::io::Read;

use flate2::read::GzDecoder;
use frontdesk_web::{CONSOLE_PATHS, Look, PanelPage, console, files, gzip, loader, panel};
use sha2::{Digest, Sha256};

/// The most bytes that a website loads for the button, compressed.
const LOADER_BUDGET: usize = 4_000;
/// The most bytes that the first opening of the chat loads, compressed.
const PANEL_BUDGET: usize = 35_000;
/// The most bytes that a browser loads until the first page of the console is there, compressed.
const CONSOLE_BUDGET: usize = 120_000;
/// The most bytes that each further page of the console loads, compressed.
const CONSOLE_PAGE_BUDGET: usize = 27_000;

const LIT: &str = include_str!("../vendor/lit/README.md");

/// The paths that a page names below `/web/HASH/`.
fn named(html: &str) -> BTreeSet<&str> {
    let below = format!("web/{}/", frontdesk_web::release());
    html.split(&below).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The bytes of a file, compressed.
fn size(path: &str) -> usize {
    frontdesk_web::file(path).unwrap_or_else(|| panic!("{path} is missing")).gzip().len()
}

/// The specifiers after some word in a module, as paths below `/web/HASH/`.
fn imported(path: &str, before: &str) -> BTreeSet<String> {
    let specifiers = text(path).split(before).skip(1).filter_map(|rest| rest.split('\'').next());
    specifiers
        .filter(|specifier| specifier.starts_with('.'))
        .map(|specifier| resolved(path, specifier))
        .collect()
}

fn text(path: &str) -> &'static str {
    &frontdesk_web::file(path).unwrap_or_else(|| panic!("{path} is missing")).text
}

/// The path below `/web/HASH/` that a relative specifier means in a module.
fn resolved(importer: &str, specifier: &str) -> String {
    let mut segments: Vec<&str> = importer.split('/').collect();
    segments.pop();
    for segment in specifier.split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    segments.join("/")
}

/// The names that a module exports.
fn exported(path: &str) -> BTreeSet<&'static str> {
    const KINDS: [&str; 6] = ["async function ", "function* ", "function ", "class ", "const ", "let "];
    let mut names = BTreeSet::new();
    for (place, _) in text(path).match_indices("export") {
        let rest = text(path)[place + "export".len()..].trim_start();
        if let Some(list) = rest.strip_prefix('{').and_then(|rest| rest.split('}').next()) {
            let members = list.split(',').map(str::trim).filter(|member| !member.is_empty());
            names.extend(members.filter_map(|member| member.rsplit(' ').next()));
        } else if let Some(from) = rest.strip_prefix("* from '").and_then(|rest| rest.split('\'').next()) {
            names.extend(exported(&resolved(path, from)));
        } else if let Some(rest) = KINDS.iter().find_map(|kind| rest.strip_prefix(kind)) {
            let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_' && it != '$');
            names.insert(&rest[..end.unwrap_or(rest.len())]);
        }
    }
    names
}

/// A module and all that it imports before it runs, without those that are there already.
fn needed(path: &str, there: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        if !there.contains(&*path) && found.insert(path.clone()) {
            open.extend(imported(&path, "from '"));
        }
    }
    found
}

/// The pages of the console, and what keys open.
fn console_pages() -> BTreeSet<String> {
    ["console/router.js", "console/main.js", "console/shortcuts.js"]
        .iter()
        .flat_map(|path| imported(path, "import('"))
        .collect()
}

#[test]
fn the_widget_is_small() {
    let look = Look {
        key: "7d0d2c1e-3a51-4f0e-9d55-0b1f6a1c8e21",
        title: "Fern & Fable",
        button_text: Some("Ask us anything"),
        color: "#2f5d3a",
        is_at_start: false,
    };
    let script = gzip(&loader(&look)).len();
    assert!(script <= LOADER_BUDGET, "the loader has {script} bytes");

    let (html, _) = panel(&PanelPage { title: "Fern & Fable", language: Some("en"), origins: &[] });
    let loaded = named(&html);
    // One of the languages is loaded beside what the page names.
    let modules: usize = loaded.iter().filter(|path| !path.ends_with("LICENSE")).map(|path| size(path)).sum();
    let texts =
        files().filter(|file| file.path.starts_with("widget/texts/")).map(|file| file.gzip().len()).max();
    let whole = gzip(&html).len() + modules + texts.expect("there are texts");
    assert!(whole <= PANEL_BUDGET, "the panel has {whole} bytes");
}

#[test]
fn the_console_is_small() {
    let html = console("/console");
    let there = named(&html);
    let begin: usize = there.iter().filter(|path| !path.ends_with("LICENSE")).map(|path| size(path)).sum();
    let pages = console_pages();
    assert!(pages.len() >= 12, "{pages:?}");
    for page in pages {
        let own: usize = needed(&page, &there).iter().map(|path| size(path)).sum();
        assert!(own <= CONSOLE_PAGE_BUDGET, "{page} has {own} bytes");
        let whole = gzip(&html).len() + begin + own;
        assert!(whole <= CONSOLE_BUDGET, "{page} as the first page has {whole} bytes");
    }
}

#[test]
fn the_console_is_served_where_it_has_pages() {
    let router = &frontdesk_web::file("console/router.js").unwrap().text;
    let pages: BTreeSet<&str> =
        router.lines().filter_map(|line| line.strip_prefix("['")?.split('\'').next()).collect();
    assert!(pages.contains("chatbots/:chatbot"), "{pages:?}");
    for page in &pages {
        let served = CONSOLE_PATHS.iter().any(|path| match path.strip_suffix("/{*page}") {
            Some(above) => {
                format!("/console/{page}").strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
            }
            None => *path == format!("/console/{page}").trim_end_matches('/'),
        });
        assert!(served, "{page} is not served");
    }
    for path in CONSOLE_PATHS {
        let page = path.trim_start_matches("/console").trim_start_matches('/').trim_end_matches("/{*page}");
        let is_above = |other: &&str| other.strip_prefix(page).is_some_and(|rest| rest.starts_with('/'));
        let has_page = if path.ends_with('}') { pages.iter().any(is_above) } else { pages.contains(page) };
        assert!(has_page, "{path} has no page");
    }
}

#[test]
fn styles_of_an_area_are_for_its_own_pages_only() {
    let router = &frontdesk_web::file("console/router.js").unwrap().text;
    let areas = files().filter_map(|file| Some((file, file.path.strip_prefix("console/styles/")?)));
    let areas: Vec<_> = areas.filter(|(_, name)| *name != "base.css").collect();
    assert!(areas.len() >= 5, "{areas:?}");
    for (file, name) in areas {
        let area = name.trim_end_matches(".css");
        assert!(router.contains(&format!("', '{area}', ")), "no page belongs to {name}");
        let scope = format!(":where(html[data-area='{area}']) {{\n");
        let rest = file.text.strip_prefix(&scope).unwrap_or_else(|| panic!("{name} begins without {scope}"));
        let mut depth = 1;
        let end = rest.char_indices().find(|(_, char)| {
            depth += match char {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            depth == 0
        });
        let (end, _) = end.unwrap_or_else(|| panic!("{name} does not end"));
        let outside = rest[end + 1..].trim();
        assert!(outside.is_empty() || outside.starts_with("@keyframes"), "{name} also has {outside}");
    }
}

#[test]
fn everything_that_is_imported_is_there_and_preloaded() {
    let (html, _) = panel(&PanelPage { title: "", language: None, origins: &[] });
    let console = console("/console/chatbots/1");
    for path in named(&html).into_iter().chain(named(&console)) {
        assert!(frontdesk_web::file(path).is_some(), "{path} is named by a page, but is missing");
    }
    assert!(html.contains("/client/visitors.js\">"), "{html}");
    assert!(console.contains("/console-client/session.js\">"), "{console}");
    assert_eq!(files().filter(|file| file.path.starts_with("widget/texts/")).count(), 8);
    let foreign: Vec<_> = named(&html)
        .into_iter()
        .filter(|path| path.starts_with("console") || path.starts_with("client/chatbots"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?} is not for visitors");
}

/// A browser refuses a whole page for one name that a module does not have.
#[test]
fn every_name_that_is_imported_is_exported() {
    let mut checked = 0;
    for file in files().filter(|file| file.media_type.starts_with("text/javascript")) {
        for (place, _) in file.text.match_indices("import {") {
            let (names, rest) = file.text[place + "import {".len()..].split_once('}').unwrap();
            let from = rest.strip_prefix(" from '").and_then(|rest| rest.split('\'').next());
            let from = from.unwrap_or_else(|| panic!("{}: {names} from where?", file.path));
            // An example for people names a package.
            if !from.starts_with('.') {
                continue;
            }
            let module = resolved(file.path, from);
            let exports = exported(&module);
            for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let name = name.split(' ').next().unwrap();
                assert!(
                    exports.contains(name),
                    "{}: {module} does not export `{name}`, but {exports:?}",
                    file.path
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 1_000, "{checked} names were found");
}

#[test]
fn a_file_is_the_same_when_it_is_decompressed() {
    for file in files() {
        let mut text = String::new();
        GzDecoder::new(file.gzip()).read_to_string(&mut text).unwrap();
        assert_eq!(text, file.text, "{}", file.path);
    }
}

#[test]
fn every_language_has_every_text() {
    let keys = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.split_once(": '"));
        lines.map(|(key, _)| key.to_owned()).collect()
    };
    let english = keys(&frontdesk_web::file("widget/texts/en.js").unwrap().text);
    assert!(english.len() > 30, "{english:?}");
    for file in files().filter(|file| file.path.starts_with("widget/texts/")) {
        assert_eq!(keys(&file.text), english, "{}", file.path);
    }
    let views = &frontdesk_web::file("widget/views.js").unwrap().text;
    for used in views.split("texts.").skip(1) {
        let key: String = used.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(key.is_empty() || key == "js" || english.contains(&key), "`texts.{key}` is missing");
    }
}

/// The names of an object in a module of texts, as paths such as `threads.status`; those that hold no object
/// have no path below them.
fn names_of(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // The name of each object that is open; `None` where names mean something else, as in a call.
    let mut open: Vec<Option<String>> = Vec::new();
    let (mut last, mut is_key) = (String::new(), false);
    let mut rest = source;
    while let Some(char) = rest.chars().next() {
        let mut length = char.len_utf8();
        match char {
            '\'' | '"' | '`' => {
                let mut is_escaped = false;
                let end = rest[1..].find(|it| {
                    let ends = it == char && !is_escaped;
                    is_escaped = it == '\\' && !is_escaped;
                    ends
                });
                length = end.map_or(rest.len(), |end| end + 2);
                // A key may be quoted.
                let is_quoted_key = is_key && rest[length..].trim_start().starts_with(':');
                if is_quoted_key {
                    rest[1..length - 1].clone_into(&mut last);
                }
                is_key = is_quoted_key;
                if is_quoted_key && let Some(Some(path)) = open.last() {
                    names.insert(joined(path, &last));
                }
            }
            '/' if rest.starts_with("//") => length = rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => length = rest.find("*/").map_or(rest.len(), |end| end + 2),
            '{' => {
                let above = open.last().cloned();
                open.push(match above {
                    None => Some(std::mem::take(&mut last)),
                    Some(Some(path)) => Some(joined(&path, &last)),
                    Some(None) => None,
                });
                is_key = true;
            }
            '(' | '[' => open.push(None),
            '}' | ')' | ']' => {
                open.pop();
                is_key = false;
            }
            ',' => is_key = true,
            _ if char.is_ascii_alphabetic() || char == '_' => {
                length = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(rest.len());
                let word = &rest[..length];
                let is_name = is_key && rest[length..].starts_with([':', ',', ' ', '(']);
                if open.is_empty() || is_key {
                    word.clone_into(&mut last);
                }
                if is_name && let Some(Some(path)) = open.last() {
                    names.insert(joined(path, word));
                }
                is_key = false;
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    names
}

fn joined(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}

/// Every text that a page of the console names is in the module of texts that it imports.
#[test]
fn every_text_of_the_console_is_there() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut used = 0;
    let scripts = files()
        .filter(|file| file.path.starts_with("console/") && file.media_type.starts_with("text/javascript"));
    for file in scripts {
        let text = source(file.path);
        // What each local name means: a module of texts, and a path in it.
        let mut local: Vec<(String, String, String)> = Vec::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("import { ")) {
            let Some((list, specifier)) = line.split_once(" } from '") else { continue };
            let Some((_, name)) = specifier.rsplit_once("texts") else { continue };
            let module = format!("console/texts{}", name.split('\'').next().unwrap());
            for one in list.split(", ") {
                let (path, alias) = one.split_once(" as ").unwrap_or((one, one));
                local.push((alias.to_owned(), module.clone(), path.to_owned()));
            }
        }
        for line in text.lines() {
            let Some((alias, rest)) = line.strip_prefix("const ").and_then(|line| line.split_once(" = "))
            else {
                continue;
            };
            let Some((whole, below)) = rest.trim_end_matches(';').split_once('.') else { continue };
            if alias.chars().all(is_name) && below.chars().all(is_name) {
                let found = local.iter().find(|(name, ..)| name == whole).cloned();
                if let Some((_, module, path)) = found {
                    local.push((alias.to_owned(), module, joined(&path, below)));
                }
            }
        }
        for (alias, module, path) in &local {
            let names = names_of(&source(module));
            for (place, _) in text.match_indices(&format!("{alias}.")) {
                if text[..place].ends_with(|it: char| is_name(it) || it == '.' || it == '/' || it == '$') {
                    continue;
                }
                let mut path = path.clone();
                for name in text[place + alias.len() + 1..]
                    .split(|it: char| !is_name(it) && it != '.')
                    .next()
                    .unwrap()
                    .split('.')
                {
                    let has_below = names.iter().any(|known| known.starts_with(&format!("{path}.")));
                    if name.is_empty() || !has_below {
                        break;
                    }
                    path = joined(&path, name);
                    used += 1;
                    assert!(names.contains(&path), "{}: `{path}` is missing in {module}", file.path);
                }
            }
        }
    }
    assert!(used > 1_000, "{used} uses were found");
}

#[test]
fn nothing_interprets_markup() {
    let is_page =
        |path: &str| ["widget/", "console/", "shared/"].iter().any(|folder| path.starts_with(folder));
    for file in files().filter(|file| is_page(file.path)) {
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "unsafeHTML",
            "srcdoc",
            "eval(",
        ] {
            assert!(!file.text.contains(sink), "{} uses {sink}", file.path);
        }
    }
}

#[test]
fn lit_is_the_module_that_was_vendored() {
    let text = &frontdesk_web::file("vendor/lit/lit.js").unwrap().text;
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(LIT.contains(&digest), "the README does not have {digest}");
    assert!(text.contains("createPolicy(\"lit-html\""), "the policy of the pages names another one");
}
