//! Width of comments, and words that readers do not know, in comments, messages and documents.

use std::collections::BTreeMap;

use super::Finding;
use super::documents::{comments, prose_lines};
use super::repository::Repository;
use super::settings::{Rules, Tolerated};

/// The name of the check of widths in the baseline.
const WIDTH: &str = "width";
/// The name of the check of words in the baseline.
const WORDS: &str = "words";

/// A record of what was; its wording is not changed any more.
const HISTORY: &str = "CHANGELOG.md";

/// Checks all files.
pub(super) fn check(repository: &Repository, rules: &Rules) -> Vec<Tolerated> {
    let mut by_part: BTreeMap<(&'static str, String), Vec<Finding>> = BTreeMap::new();
    let mut add =
        |check, finding: Finding| by_part.entry((check, part(&finding.path))).or_default().push(finding);
    for (path, text) in repository.files("rs") {
        for (index, line) in text.lines().enumerate() {
            let width = line.chars().count();
            if is_breakable(line) && width > rules.comment_width {
                let wrong = format!("the comment is {width} characters wide");
                add(
                    WIDTH,
                    Finding::new(path, index + 1, wrong, format!("break it after {}", rules.comment_width)),
                );
            }
        }
        for (line, comment) in comments(text) {
            words(rules, comment)
                .for_each(|(wrong, advice)| add(WORDS, Finding::new(path, line, wrong, advice)));
        }
    }
    for (path, source) in repository.all_sources() {
        for text in &source.texts {
            words(rules, &text.text)
                .for_each(|(wrong, advice)| add(WORDS, Finding::new(path, text.line, wrong, advice)));
        }
    }
    for (path, text) in repository.files("md").filter(|(path, _)| *path != HISTORY) {
        for (line, text) in prose_lines(text) {
            words(rules, text)
                .for_each(|(wrong, advice)| add(WORDS, Finding::new(path, line, wrong, advice)));
        }
    }
    by_part.into_iter().map(|((check, part), findings)| Tolerated { check, part, findings }).collect()
}

/// Whether a line is a comment that can be broken. A row of a table cannot.
fn is_breakable(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") && !line.trim_start_matches(['/', '!']).trim_start().starts_with('|')
}

/// Returns the part of the repository to which a file belongs.
fn part(path: &str) -> String {
    let mut segments = path.split('/');
    match (segments.next(), segments.next()) {
        (Some("crates"), Some(name)) => format!("crates/{name}"),
        (Some(folder), Some(_)) => folder.to_owned(),
        _ => "documents".to_owned(),
    }
}

/// Returns the words and phrases of a text that readers do not know, each with what to write.
fn words<'a>(rules: &'a Rules, text: &str) -> impl Iterator<Item = (String, String)> + use<'a> {
    let spoken = spoken(text);
    let listed = rules.words.iter().filter_map({
        let spoken = spoken.clone();
        move |word| {
            let found = word.forms.iter().find(|form| contains(&spoken, form)).cloned();
            found.map(|form| {
                (format!("readers do not know \"{form}\" in this sense"), format!("write: {}", word.instead))
            })
        }
    });
    let negation = has_noun_negation(&spoken)
        .then(|| ("\"is no\" before a noun reads as a translation".to_owned(), "write: is not a".to_owned()));
    listed.chain(negation)
}

/// Returns a text in lower case with single spaces around each word, without code.
fn spoken(text: &str) -> String {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" x ");
    let words = prose
        .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'' && c != '_')
        .filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" ").to_lowercase())
}

fn contains(spoken: &str, form: &str) -> bool {
    spoken.contains(&format!(" {form} "))
}

/// Whether a text negates a noun with "no" after "is". "There is no Y" and comparisons are plain English.
fn has_noun_negation(spoken: &str) -> bool {
    let comparisons = ["longer", "more", "less", "better", "worse", "different", "one", "other", "such"];
    spoken.match_indices(" is no ").any(|(index, matched)| {
        let before = spoken[..index].rsplit(' ').next().unwrap_or_default();
        let after = spoken[index + matched.len()..].split(' ').next().unwrap_or_default();
        !matches!(before, "there" | "if" | "when" | "") && !comparisons.contains(&after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "comment_width = 20\n[crates]\n[[words]]\nforms = [\"furniture\", \"as it came\"]\ninstead = \"boilerplate\"\n";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        check(&Repository::with(files), &Rules::parse(RULES).unwrap())
            .into_iter()
            .flat_map(|tolerated| {
                let Tolerated { check, part, findings } = tolerated;
                findings
                    .into_iter()
                    .map(move |finding| format!("{check} {part} {}:{}", finding.path, finding.line))
            })
            .collect()
    }

    #[test]
    fn wide_comments_are_found() {
        let text = "// a comment of twenty-three\n// short\n//! | a row of a table |\nlet code = \"may be as wide as it is\";\n";
        assert_eq!(findings(&[("crates/a/src/lib.rs", text)]), ["width crates/a crates/a/src/lib.rs:1"]);
    }

    #[test]
    fn words_are_found_in_comments_messages_and_documents() {
        let source = "// Furniture, here\n// as it\nfn f() {\n    g(\"as it came\", `furniture`);\n}\n";
        let source = source.replace("`furniture`", "furniture");
        assert_eq!(
            findings(&[
                ("crates/a/src/lib.rs", source.as_str()),
                ("README.md", "Furniture\n`furniture`\n```\nfurniture\n```\n"),
                ("docs/a.md", "refurniture\n"),
            ]),
            [
                "words crates/a crates/a/src/lib.rs:1",
                "words crates/a crates/a/src/lib.rs:4",
                "words documents README.md:1"
            ]
        );
    }

    #[test]
    fn noun_negations_are_not_plain_english() {
        assert!(has_noun_negation(&spoken("`2000` is no status")));
        assert!(!has_noun_negation(&spoken("There is no status, and it is no longer sent.")));
    }
}
