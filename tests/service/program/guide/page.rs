//! [`Page`]: a document of the repository, and what is in it.

use std::path::{Path, PathBuf};

/// A Markdown file.
pub(super) struct Page {
    /// Its path in the repository.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Returns the pages for operators and users: those directly in `docs`.
pub(super) fn guide() -> Vec<Page> {
    let pages: Vec<Page> = every_document()
        .into_iter()
        .filter(|page| page.name.strip_prefix("docs/").is_some_and(|name| !name.contains('/')))
        .collect();
    assert!(pages.len() >= 12, "the pages of the guide were not found");
    pages
}

/// Returns the documents at the root, of `docs`, and beside the sources.
pub(super) fn every_document() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().canonicalize().unwrap();
    let folders =
        [".", "docs", "docs/decisions", "docs/how", "spec", "xtask", "crates/*", "crates/*/model", "tests/*"];
    let mut pages = Vec::new();
    for folder in folders {
        let (parent, rest) =
            folder.split_once("/*").map_or((folder, None), |(parent, rest)| (parent, Some(rest)));
        let folders = match rest {
            None => vec![root.join(parent)],
            Some(rest) => {
                children(&root.join(parent)).map(|path| path.join(rest.trim_start_matches('/'))).collect()
            }
        };
        for path in folders.iter().filter(|path| path.is_dir()).flat_map(|folder| children(folder)) {
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                let path = path.canonicalize().unwrap();
                let text = std::fs::read_to_string(&path).unwrap();
                pages.push(Page { name, path, text });
            }
        }
    }
    pages
}

/// Returns the text of the service's source files of this name, and of those in a folder of this name.
pub(super) fn sources_named(name: &str) -> String {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/service/src")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for path in children(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_stem().is_some_and(|stem| stem == name) || folder.ends_with(name) {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

fn children(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter()
}

impl Page {
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap()
    }

    /// Returns the fenced blocks in a language.
    pub(super) fn blocks(&self, language: &str) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut open: Option<(bool, String)> = None;
        for line in self.text.lines() {
            match (line.trim_start().strip_prefix("```"), &mut open) {
                (Some(info), None) => open = Some((info.trim() == language, String::new())),
                (Some(_), Some(_)) => {
                    blocks.extend(open.take().filter(|(wanted, _)| *wanted).map(|(_, text)| text));
                }
                (None, Some((_, text))) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", self.name);
        blocks
    }

    /// Returns the lines of its `sh` blocks that set variables or start the program, as one script.
    pub(super) fn script(&self) -> String {
        let text = self.blocks("sh").concat().replace("\\\n", " ");
        let lines = text.lines().filter(|line| is_command(line) || is_assignment(line));
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// Returns the number of command lines that start the program.
    pub(super) fn commands(&self) -> usize {
        self.script().lines().filter(|line| is_command(line)).count()
    }

    pub(super) fn has_commands(&self) -> bool {
        self.commands() > 0
    }

    /// Returns its text without fenced blocks.
    fn prose(&self) -> impl Iterator<Item = &str> {
        let mut fenced = false;
        self.text.lines().filter(move |line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence
        })
    }

    /// Returns what is between backticks in its text.
    pub(super) fn inline_code(&self) -> impl Iterator<Item = &str> {
        self.prose().flat_map(|line| line.split('`').skip(1).step_by(2))
    }

    /// Returns the targets of its links to files and headings.
    pub(super) fn links(&self) -> impl Iterator<Item = &str> {
        self.prose()
            .flat_map(|line| line.split("](").skip(1))
            .filter_map(|rest| rest.split_once(')').map(|(link, _)| link))
            .filter(|link| !link.contains("://") && !link.starts_with('/'))
    }

    /// Returns the anchors of its headings, as GitHub makes them.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings =
            self.prose().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
        headings
            .map(|heading| {
                let kept = heading
                    .chars()
                    .filter(|character| character.is_alphanumeric() || " -_".contains(*character));
                kept.flat_map(char::to_lowercase)
                    .map(|character| if character == ' ' { '-' } else { character })
                    .collect()
            })
            .collect()
    }
}

/// Returns whether a line starts the program, perhaps with variables of its own.
fn is_command(line: &str) -> bool {
    line.split_ascii_whitespace().find(|word| !is_assignment(word)) == Some("frontdesk")
}

fn is_assignment(line: &str) -> bool {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let name = line.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}
