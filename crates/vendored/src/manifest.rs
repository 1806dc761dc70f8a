//! Manifests of vendored packages: what they inherit from this workspace is written out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use toml::{Table, Value};

use crate::{PATTERN, ROOT, RUNTIME, Sources};

/// The package that becomes a module of the runtime.
const PATTERN_PACKAGE: &str = "frontdesk-pattern";

/// The manifest of the runtime of `name` as a package that depends on nothing of this repository.
pub(crate) fn runtime(name: &str) -> String {
    let declared = workspace_table();
    let own = file(RUNTIME);
    let mut text = format!(
        "\
[package]
name = \"{name}-runtime\"
description = \"Runtime library of the generated {name} crates\"
{{package}}
license = \"MIT OR Apache-2.0\"
readme = \"README.md\"
categories = [\"api-bindings\", \"web-programming\"]

[package.metadata.docs.rs]
all-features = true

[lib]
path = \"src/lib.rs\"

"
    );
    let patterns: Vec<String> =
        dependencies(file(PATTERN)).map(|line| written_out(line, &declared, true)).collect();
    let mut section = "";
    for line in own.lines().skip_while(|line| *line != "[features]") {
        if line.starts_with('[') {
            section = line;
        }
        let is_dependency =
            section.ends_with("dependencies]") && !line.starts_with('[') && line.contains('=');
        if is_dependency && line.starts_with(PATTERN_PACKAGE) {
            text.extend(patterns.iter().cloned());
        } else if is_dependency && !line.starts_with('#') {
            text.push_str(&written_out(line, &declared, false));
        } else if section == "[features]" {
            let enabled =
                dependencies(file(PATTERN)).filter_map(|line| Some(format!("\"dep:{}\"", key(line)?)));
            let enabled = enabled.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "{}", line.replace(&format!("\"dep:{PATTERN_PACKAGE}\""), &enabled));
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// A manifest without what only tests need.
pub(crate) fn without_tests(manifest: &str) -> String {
    let mut text = String::new();
    let mut kept = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            kept = !matches!(line, "[dev-dependencies]" | "[[test]]" | "[[bench]]");
        }
        if kept {
            let _ = writeln!(text, "{line}");
        }
    }
    format!("{}\n", text.trim_end())
}

/// The lines of `[workspace.dependencies]` that these manifests inherit.
pub(crate) fn inherited<'a>(manifests: impl Iterator<Item = &'a str>) -> String {
    let mut names = BTreeSet::new();
    for manifest in manifests {
        for line in manifest.lines().filter(|line| line.contains("workspace = true")) {
            names.extend(key(line).map(str::to_owned));
        }
    }
    let declared = file(ROOT).lines().skip_while(|line| *line != "[workspace.dependencies]").skip(1);
    let declared = declared.take_while(|line| !line.starts_with('['));
    declared
        .filter(|line| !line.contains("path = ") && key(line).is_some_and(|name| names.contains(name)))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The tables `[workspace.lints.…]`.
pub(crate) fn lints() -> String {
    let mut text = String::new();
    let mut kept = false;
    for line in file(ROOT).lines() {
        if line.starts_with('[') {
            kept = line.starts_with("[workspace.lints");
        }
        if kept {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn file(sources: Sources) -> &'static str {
    sources.iter().find(|(path, _)| *path == "Cargo.toml").map_or("", |(_, text)| text)
}

/// The lines below `[dependencies]`.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    lines.take_while(|line| !line.starts_with('[')).filter(|line| line.contains('='))
}

/// The name that a line of dependencies begins with.
fn key(line: &str) -> Option<&str> {
    let end = line.find(|character: char| !character.is_alphanumeric() && !"_-".contains(character))?;
    (end > 0).then(|| &line[..end])
}

fn workspace_table() -> Table {
    let root: Table = file(ROOT).parse().unwrap_or_default();
    let dependencies = root.get("workspace").and_then(|table| table.get("dependencies"));
    dependencies.and_then(Value::as_table).cloned().unwrap_or_default()
}

/// A line of dependencies with what it inherits from the workspace.
fn written_out(line: &str, declared: &Table, optional: bool) -> String {
    let Ok(table) = line.parse::<Table>() else { return format!("{line}\n") };
    let mut text = String::new();
    for (name, value) in table {
        let mut keys = as_table(value);
        if keys.remove("workspace").is_some() {
            let inherited = declared.get(&name).cloned().map(as_table).unwrap_or_default();
            for (key, value) in inherited {
                match (keys.get_mut(&key), value) {
                    (Some(Value::Array(own)), Value::Array(further)) => {
                        own.splice(0..0, further);
                    }
                    (Some(_), _) => {}
                    (None, value) => {
                        keys.insert(key, value);
                    }
                }
            }
        }
        if optional {
            keys.insert("optional".to_owned(), Value::Boolean(true));
        }
        let order = ["version", "package", "default-features", "features", "optional"];
        let parts: Vec<String> =
            order.into_iter().filter_map(|key| Some(format!("{key} = {}", keys.get(key)?))).collect();
        let _ = match (keys.get("version"), parts.len()) {
            (Some(version), 1) => writeln!(text, "{name} = {version}"),
            _ => writeln!(text, "{name} = {{ {} }}", parts.join(", ")),
        };
    }
    text
}

/// A dependency as a table; a text is its version.
fn as_table(value: Value) -> Table {
    match value {
        Value::Table(table) => table,
        version => Table::from_iter([("version".to_owned(), version)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inherited_keys_are_written_out() {
        let declared: Table = "serde = { version = \"1\", features = [\"derive\"] }\nhttp = \"1\"\n"
            .parse()
            .expect("it is TOML");
        for (line, optional, text) in [
            ("http.workspace = true", false, "http = \"1\"\n"),
            ("http.workspace = true", true, "http = { version = \"1\", optional = true }\n"),
            (
                "serde = { workspace = true, features = [\"rc\"], optional = true }",
                false,
                "serde = { version = \"1\", features = [\"derive\", \"rc\"], optional = true }\n",
            ),
        ] {
            assert_eq!(written_out(line, &declared, optional), text);
        }
    }

    #[test]
    fn names_begin_a_line() {
        assert_eq!(key("http.workspace = true"), Some("http"));
        assert_eq!(key("http-body = \"1\""), Some("http-body"));
        assert_eq!(key("# A comment"), None);
    }
}
