//! Paths and links in documents and comments lead to files, and module maps name modules.

use std::path::{Component, Path};

use super::Finding;
use super::repository::Repository;

/// A record of what was: it names files that are gone.
const HISTORY: &str = "CHANGELOG.md";

/// Checks all documents and all comments.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository.files("md").filter(|(path, _)| *path != HISTORY) {
        for (line, text) in prose_lines(text) {
            findings.extend(links(text).filter_map(|link| check_link(repository, path, line, link)));
            findings.extend(code(text).filter_map(|code| check_path(repository, path, line, code)));
        }
    }
    for (path, text) in repository.files("rs") {
        for (line, comment) in comments(text) {
            findings.extend(code(comment).filter_map(|code| check_path(repository, path, line, code)));
        }
        findings.extend(check_module_map(repository, path, text));
    }
    findings
}

/// Returns the lines of a document outside of code blocks, with their numbers.
pub(super) fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            return None;
        }
        (!is_code).then_some((index + 1, line))
    })
}

/// Returns the comments of a Rust file that have a line of their own, with their numbers and without their
/// slashes.
pub(super) fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let comment = line.trim_start().strip_prefix("//")?;
        Some((index + 1, comment.trim_start_matches(['/', '!']).trim()))
    })
}

/// Returns what stands between backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the targets of links to files, without those of addresses.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|link| {
        !link.contains("://") && !link.starts_with("mailto:") && !link.contains(char::is_whitespace)
    })
}

fn check_link(repository: &Repository, path: &str, line: usize, link: &str) -> Option<Finding> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { path.to_owned() } else { beside(path, file)? };
    if !repository.has(&target) {
        let wrong = format!("the link leads to {target}, which does not exist");
        return Some(Finding::new(path, line, wrong, "correct the link"));
    }
    let anchor =
        anchor.filter(|_| Path::new(&target).extension().is_some_and(|extension| extension == "md"))?;
    let text = repository.text(&target).ok()?;
    let mut headings = prose_lines(text).filter(|(_, line)| line.starts_with('#'));
    if headings.any(|(_, heading)| slug(heading.trim_start_matches('#')) == anchor) {
        return None;
    }
    let wrong = format!("the link leads to the heading `#{anchor}`, which {target} does not have");
    Some(Finding::new(path, line, wrong, "correct the link"))
}

/// Returns a path that is relative to the folder of a file, relative to the root.
fn beside(path: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.pop();
    for component in Path::new(relative).components() {
        match component {
            Component::ParentDir => drop(segments.pop()?),
            Component::Normal(segment) => segments.push(segment.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(segments.join("/"))
}

/// Returns the anchor of a heading.
fn slug(heading: &str) -> String {
    let heading = heading.trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Checks code that looks like a path in this repository: it begins with a folder that the repository has.
fn check_path(repository: &Repository, path: &str, line: usize, code: &str) -> Option<Finding> {
    let is_plain = code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
    let (first, _) = code.split_once('/')?;
    let is_capitals = |name: &str| name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_placeholder = code.split(['/', '.']).any(is_capitals);
    if !is_plain
        || is_placeholder
        || first.is_empty()
        || first.starts_with("..")
        || !repository.has_folder(first)
    {
        return None;
    }
    // Documents of a crate name its files relative to its folder.
    let mut folders = Path::new(path).ancestors().skip(1).filter_map(Path::to_str);
    let exists = |folder: &str| {
        let at = |path: String| repository.has(path.trim_start_matches('/'));
        at(format!("{folder}/{code}")) || at(format!("{folder}/src/{code}"))
    };
    if folders.any(exists) {
        return None;
    }
    let wrong = format!("`{code}` does not exist");
    Some(Finding::new(path, line, wrong, "name the file that it is now"))
}

/// Checks the list of modules in the documentation of a file: items such as `- [`scope`]: …` name modules or
/// items.
fn check_module_map(repository: &Repository, path: &str, text: &str) -> Vec<Finding> {
    let folder = match path.rsplit_once('/') {
        Some((folder, "lib.rs" | "main.rs")) => folder.to_owned(),
        _ => path.strip_suffix(".rs").unwrap_or(path).to_owned(),
    };
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let names_code = |name: &str| {
        code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
            || repository.has(&format!("{folder}/{name}.rs"))
            || repository.has(&format!("{folder}/{name}"))
    };
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(item) = line.strip_prefix("//! - ") else { continue };
        // The first colon that is not part of code.
        let is_outside = |(index, _): &(usize, &str)| item[..*index].matches('`').count() % 2 == 0;
        let Some((end, _)) = item.match_indices(": ").find(is_outside) else { continue };
        let head = &item[..end];
        // Only heads that are nothing but names.
        let rest: String = head.split('`').step_by(2).collect();
        if !rest.chars().all(|c| matches!(c, '[' | ']' | ',' | ' ')) {
            continue;
        }
        for name in self::code(head).filter(|name| is_identifier(name) && !names_code(name)) {
            let wrong = format!("the module map lists `{name}`, which is not here");
            findings.push(Finding::new(path, index + 1, wrong, "remove it, or correct the name"));
        }
    }
    findings
}

/// Whether a text can be the name of a module.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        check(&Repository::with(files))
            .into_iter()
            .map(|finding| format!("{}:{} {}", finding.path, finding.line, finding.wrong))
            .collect()
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let readme = "# A, b and `c`\n[one](docs/deploy.md) [two](#a-b-and-c) [three](docs/deploy.md#first-steps)\n\
                      [four](https://example.com/x) [five](docs/gone.md)\n[six](docs/deploy.md#gone)\n```\n[seven](x)\n```\n";
        assert_eq!(
            findings(&[("README.md", readme), ("docs/deploy.md", "## First steps\n[up](../README.md)\n")]),
            [
                "README.md:3 the link leads to docs/gone.md, which does not exist",
                "README.md:4 the link leads to the heading `#gone`, which docs/deploy.md does not have",
            ]
        );
    }

    #[test]
    fn paths_in_backticks_exist() {
        let text = "`docs/gone.md`, `docs/here.md`, `docs/`, `docs/VERSION.md`, `docs/*.md`, `target/x`, `text/html`\n";
        assert_eq!(
            findings(&[("README.md", text), ("docs/here.md", "")]),
            ["README.md:1 `docs/gone.md` does not exist"]
        );
        let comment = "/// See `src/b.rs` and `src/c.rs`.\nfn f() {}\n";
        assert_eq!(
            findings(&[("crates/a/src/lib.rs", comment), ("crates/a/src/b.rs", ""), ("src/x.rs", "")]),
            ["crates/a/src/lib.rs:1 `src/c.rs` does not exist"]
        );
    }

    #[test]
    fn module_maps_name_what_is_there() {
        let root = "//! - [`a`]: the first\n//! - `b`, `gone`: others\n//! - `x` of `y`: prose\n//! - `z: true` says: prose\n\nmod a;\nmod b;\n";
        assert_eq!(
            findings(&[("crates/a/src/lib.rs", root)]),
            ["crates/a/src/lib.rs:2 the module map lists `gone`, which is not here"]
        );
    }
}
