//! Which crates may use which, and which paths must not occur in a crate: `[crates]` of the rules.

use std::collections::BTreeSet;

use super::Finding;
use super::repository::Repository;
use super::settings::{RULES, Rules};

/// The document with the code map.
const CODE_MAP: &str = "ARCHITECTURE.md";

/// Compares manifests and imports with the rules.
pub(super) fn check(repository: &Repository, rules: &Rules) -> Vec<Finding> {
    let mut findings = Vec::new();
    let packages: Vec<&str> = repository
        .packages()
        .filter(|folder| folder.strip_prefix("crates/").is_some_and(|name| !name.contains('/')))
        .collect();
    for folder in &packages {
        if !rules.crates.contains_key(name(folder)) {
            findings.push(Finding::new(
                &format!("{folder}/Cargo.toml"),
                1,
                "the rules do not say which crates this one may use",
                format!("add [crates.{}] to {RULES}", name(folder)),
            ));
        }
    }
    let code_map = repository.text(CODE_MAP).unwrap_or_default();
    for (crate_name, rule) in &rules.crates {
        let folder = if packages.contains(&format!("crates/{crate_name}").as_str()) {
            format!("crates/{crate_name}")
        } else {
            crate_name.clone()
        };
        let manifest = format!("{folder}/Cargo.toml");
        let Ok(text) = repository.text(&manifest) else {
            let wrong = format!("[crates.{crate_name}] is for a crate that does not exist");
            findings.push(Finding::new(
                RULES,
                line_of(repository.text(RULES).unwrap_or_default(), crate_name),
                wrong,
                "remove it",
            ));
            continue;
        };
        if !code_map.contains(&format!("`{crate_name}`")) {
            let wrong = format!("the code map does not mention `{crate_name}`");
            findings.push(Finding::new(CODE_MAP, 1, wrong, "add what the crate is for"));
        }
        let used = dependencies(text);
        for dependency in &used {
            if !rule.uses.contains(dependency) {
                findings.push(Finding::new(
                    &manifest,
                    line_of(text, dependency),
                    format!("`{crate_name}` must not depend on `{dependency}`"),
                    format!("remove the dependency, or allow it in {RULES} and say why in {CODE_MAP}"),
                ));
            }
        }
        for allowed in rule.uses.iter().filter(|allowed| !used.contains(*allowed)) {
            let wrong = format!("the rules let this crate use `{allowed}`, which it does not");
            findings.push(Finding::new(
                &manifest,
                1,
                wrong,
                format!("remove it from [crates.{crate_name}] in {RULES}"),
            ));
        }
        for forbidden in &rule.never {
            let segments: Vec<&str> = forbidden.split("::").collect();
            for (path, source) in repository.sources(&folder) {
                for named in source.paths.iter().filter(|named| {
                    named.segments.iter().zip(&segments).filter(|(a, b)| a == *b).count() == segments.len()
                }) {
                    findings.push(Finding::new(
                        path,
                        named.line,
                        format!(
                            "`{crate_name}` must not use `{forbidden}`, but names `{}`",
                            named.segments.join("::")
                        ),
                        "let the caller do it, or move it to a crate that may",
                    ));
                }
            }
        }
    }
    findings
}

/// The last part of a folder's path.
fn name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// Returns the crates of this workspace that a manifest depends on, except for tests.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let table: toml::Table = manifest.parse().unwrap_or_default();
    let tables = std::iter::once(&table).chain(
        table
            .get("target")
            .and_then(toml::Value::as_table)
            .into_iter()
            .flat_map(|targets| targets.values().filter_map(toml::Value::as_table)),
    );
    tables
        .filter_map(|table| table.get("dependencies")?.as_table())
        .flat_map(|dependencies| dependencies.keys())
        .filter_map(|name| {
            name.strip_prefix("frontdesk-")
                .or_else(|| Some(name.as_str()).filter(|name| name.starts_with("xtask")))
        })
        .map(str::to_owned)
        .collect()
}

/// Returns the first line that mentions a word, or 1.
fn line_of(text: &str, word: &str) -> usize {
    text.lines().position(|line| line.contains(word)).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str =
        "comment_width = 110\nwords = []\n[crates.store]\nuses = [\"address\"]\nnever = [\"std::fs\"]\n";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let repository = Repository::with(files);
        check(&repository, &Rules::parse(RULE).unwrap())
            .into_iter()
            .map(|finding| format!("{}:{} {}", finding.path, finding.line, finding.wrong))
            .collect()
    }

    const STORE: (&str, &str) = (
        "crates/store/Cargo.toml",
        "[dependencies]\nfrontdesk-address.workspace = true\nserde.workspace = true\n",
    );

    #[test]
    fn dependencies_and_imports_follow_the_rules() {
        assert_eq!(findings(&[STORE, ("ARCHITECTURE.md", "| `store` | records |")]), [""; 0]);
        assert_eq!(
            findings(&[
                ("ARCHITECTURE.md", ""),
                ("crates/store/Cargo.toml", "[dependencies]\nfrontdesk-mail.workspace = true\n"),
                (
                    "crates/store/src/lib.rs",
                    "use std::{fmt, fs};\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"
                ),
                ("crates/mail/Cargo.toml", ""),
                ("crates/mail/fuzz/Cargo.toml", ""),
            ]),
            [
                "crates/mail/Cargo.toml:1 the rules do not say which crates this one may use",
                "ARCHITECTURE.md:1 the code map does not mention `store`",
                "crates/store/Cargo.toml:2 `store` must not depend on `mail`",
                "crates/store/Cargo.toml:1 the rules let this crate use `address`, which it does not",
                "crates/store/src/lib.rs:1 `store` must not use `std::fs`, but names `std::fs`",
            ]
        );
    }
}
