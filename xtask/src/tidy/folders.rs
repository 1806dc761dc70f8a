//! Imports between the root modules of a crate go in one direction, which its `lib.rs` declares.
//!
//! A numbered list in the `//!` documentation declares the order: `//! 1. [`cli`]: the commands`. A module
//! may import from those below it in the list, never from those above it. A crate without such a list is not
//! checked.

use std::collections::BTreeMap;

use super::Finding;
use super::repository::Repository;
use super::source::{Named, Source};

/// How many root modules a crate with an order may have: one sees them all at a glance.
const MAX_MODULES: usize = 10;

/// Checks all crates that declare an order.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    repository.packages().flat_map(|folder| check_crate(repository, folder)).collect()
}

fn check_crate(repository: &Repository, folder: &str) -> Vec<Finding> {
    let root = format!("{folder}/src/lib.rs");
    let Ok(text) = repository.text(&root) else { return Vec::new() };
    let order = declared(text);
    let Some(root_source) =
        repository.sources(folder).find(|(path, _)| *path == root).map(|(_, source)| source)
    else {
        return Vec::new();
    };
    if order.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let floor = |module: &str| order.iter().position(|(name, _)| name == module);
    for module in root_source.modules.iter().filter(|module| floor(module).is_none()) {
        let wrong = format!("the module map does not list the module `{module}`");
        findings.push(Finding::new(
            &root,
            1,
            wrong,
            "add it to the numbered list, below the modules that import from it",
        ));
    }
    for (module, line) in order.iter().filter(|(module, _)| !root_source.modules.contains(module)) {
        let wrong = format!("the module map lists `{module}`, which is not a module of this crate");
        findings.push(Finding::new(&root, *line, wrong, "remove it, or correct the name"));
    }
    let count = root_source.modules.len();
    if count > MAX_MODULES {
        let wrong = format!("the crate has {count} root modules");
        findings.push(Finding::new(&root, 1, wrong, format!("put them into at most {MAX_MODULES} folders")));
    }
    let exported = exported(root_source);
    for (path, source) in repository.sources(folder) {
        let place = module_path(&path[folder.len() + "/src/".len()..]);
        let Some(from) = place.first() else { continue };
        for named in &source.paths {
            let Some(target) = target(named, &place) else { continue };
            let target =
                if floor(&target).is_some() { &target } else { exported.get(&target).unwrap_or(&target) };
            if let (Some(from_floor), Some(target_floor)) = (floor(from), floor(target))
                && target_floor < from_floor
            {
                findings.push(Finding::new(
                    path,
                    named.line,
                    format!(
                        "`{from}` imports from `{target}`, which is above it: `{}`",
                        named.segments.join("::")
                    ),
                    format!("pass the value in, or move what both need to `{from}` or below"),
                ));
            }
        }
    }
    findings
}

/// Returns the modules of the numbered list in the documentation of a file, with their lines.
fn declared(text: &str) -> Vec<(String, usize)> {
    let mut order = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(line) = line.strip_prefix("//! ") else { continue };
        let Some((number, item)) = line.split_once(". ") else { continue };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let head = item.split_once(':').map_or(item, |(head, _)| head);
        let names = head.split('`').skip(1).step_by(2).filter(|name| super::documents::is_identifier(name));
        order.extend(names.map(|name| (name.to_owned(), index + 1)));
    }
    order
}

/// Returns the names that `lib.rs` exports from its modules, with the modules that own them.
fn exported(root: &Source) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for named in &root.paths {
        let segments: Vec<&String> =
            named.segments.iter().filter(|segment| *segment != "crate" && *segment != "self").collect();
        if let ([module, .., name], true) = (segments.as_slice(), segments.len() > 1) {
            exported.entry((*name).clone()).or_insert_with(|| (*module).clone());
        }
    }
    exported
}

/// Returns the module of a file: `training/job.rs` is `training::job`, `lib.rs` the root.
fn module_path(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    if matches!(path, "lib" | "main") || path.starts_with("bin/") {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// Returns the first segment below the crate's root of what a path names, if it leads there.
fn target(named: &Named, place: &[String]) -> Option<String> {
    let mut module: Vec<&String> = place.iter().chain(&named.within).collect();
    let mut segments = named.segments.iter().peekable();
    match segments.peek()?.as_str() {
        "crate" => {
            module.clear();
            segments.next();
        }
        "super" => {
            while segments.next_if(|segment| *segment == "super").is_some() {
                module.pop()?;
            }
        }
        _ => return None,
    }
    module.into_iter().chain(segments).next().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "//! A crate.\n//!\n//! 1. [`cli`]: commands.\n//! 2. `edge`: requests.\n//! 3. `platform`: settings.\n\n\
                        mod cli;\nmod edge;\nmod platform;\npub use edge::Cursors;\n";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let manifest = [("crates/service/Cargo.toml", "")];
        let files: Vec<_> = manifest.iter().chain(files).copied().collect();
        check(&Repository::with(&files))
            .into_iter()
            .map(|finding| format!("{}:{} {}", finding.path, finding.line, finding.wrong))
            .collect()
    }

    #[test]
    fn imports_go_down() {
        assert_eq!(
            findings(&[
                ("crates/service/src/lib.rs", ROOT),
                ("crates/service/src/cli.rs", "use crate::edge::Cursors;\nuse super::platform;\n"),
                (
                    "crates/service/src/edge/cursors.rs",
                    "use super::layers;\nuse crate::platform::Settings;\n"
                ),
            ]),
            [""; 0]
        );
        assert_eq!(
            findings(&[
                ("crates/service/src/lib.rs", ROOT),
                ("crates/service/src/platform/secrets.rs", "fn f() {\n    super::super::cli::run();\n}\n"),
                ("crates/service/src/platform.rs", "use crate::{Cursors, edge::layers};\n"),
            ]),
            [
                "crates/service/src/platform.rs:1 `platform` imports from `edge`, which is above it: `crate::Cursors`",
                "crates/service/src/platform.rs:1 `platform` imports from `edge`, which is above it: `crate::edge::layers`",
                "crates/service/src/platform/secrets.rs:2 `platform` imports from `cli`, which is above it: \
                 `super::super::cli::run`",
            ]
        );
    }

    #[test]
    fn the_list_has_all_modules_and_only_them() {
        let root = "//! 1. `api`: handlers\nmod edge;\n";
        assert_eq!(
            findings(&[("crates/service/src/lib.rs", root)]),
            [
                "crates/service/src/lib.rs:1 the module map does not list the module `edge`",
                "crates/service/src/lib.rs:1 the module map lists `api`, which is not a module of this crate",
            ]
        );
        let modules: String = ('a'..='k').map(|name| format!("mod {name};\n")).collect();
        let list: String = ('a'..='k').map(|name| format!("//! 1. `{name}`: it\n")).collect();
        assert_eq!(
            findings(&[("crates/service/src/lib.rs", &format!("{list}{modules}"))]),
            ["crates/service/src/lib.rs:1 the crate has 11 root modules"]
        );
    }

    #[test]
    fn a_crate_without_an_order_is_not_checked() {
        let root = "//! - `cli`: commands\nmod cli;\nmod edge;\n";
        let files =
            [("crates/service/src/lib.rs", root), ("crates/service/src/edge.rs", "use crate::cli::run;\n")];
        assert_eq!(findings(&files), [""; 0]);
    }
}
