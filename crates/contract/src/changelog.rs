//! Parser of changelogs: sections by version, with their entries.
//!
//! A section begins with a heading such as `## 1.1.0 - 2026-11-21` or `## 1.1.0 - unreleased`. An entry is a
//! list item or a paragraph.

use std::fmt;

use jiff::civil::Date;
use semver::Version;

/// A changelog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changelog {
    sections: Vec<Section>,
    /// The text before the first section.
    preface: Vec<String>,
}

/// A section of a changelog, about one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The version.
    pub version: Version,
    /// The release date; `None` before the release.
    pub released: Option<Date>,
    /// The line of its heading, from 1.
    pub line: usize,
    /// The entries in document order, each on one line.
    pub entries: Vec<String>,
}

/// The error for an invalid heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadingError {
    /// The line, from 1.
    pub line: usize,
    /// The text of the heading.
    pub heading: String,
}

impl fmt::Display for HeadingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "line {}: `{}` is not a heading of a version; write it as `1.2.0 - 2026-11-21` or `1.2.0 - unreleased`",
            self.line, self.heading
        )
    }
}

impl std::error::Error for HeadingError {}

impl Changelog {
    /// Parses a changelog in Markdown.
    ///
    /// # Errors
    ///
    /// Returns an error for a heading of the second level without a version, or without a date or
    /// `unreleased`.
    pub fn parse(text: &str) -> Result<Self, HeadingError> {
        let mut changelog = Self::default();
        let mut open = false;
        for (index, line) in text.lines().enumerate() {
            if let Some(heading) = line.strip_prefix("## ") {
                let error = || HeadingError { line: index + 1, heading: heading.trim().to_owned() };
                let (version, released) = heading.trim().split_once(" - ").ok_or_else(error)?;
                let version = version.trim().trim_matches(['[', ']']).parse().map_err(|_| error())?;
                let released = match released.trim() {
                    "unreleased" => None,
                    date => Some(date.parse().map_err(|_| error())?),
                };
                changelog.sections.push(Section { version, released, line: index + 1, entries: Vec::new() });
                open = false;
                continue;
            }
            let text = line.trim();
            if text.is_empty() || text.starts_with('#') {
                open = false;
                continue;
            }
            let item = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet));
            let entries =
                changelog.sections.last_mut().map_or(&mut changelog.preface, |section| &mut section.entries);
            match entries.last_mut().filter(|_| open && item.is_none()) {
                Some(entry) => {
                    entry.push(' ');
                    entry.push_str(text);
                }
                None => entries.push(item.unwrap_or(text).trim().to_owned()),
            }
            open = true;
        }
        Ok(changelog)
    }

    /// Returns the sections in document order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the section of a version.
    pub fn section(&self, version: &Version) -> Option<&Section> {
        self.sections.iter().find(|section| section.version == *version)
    }

    /// Returns whether an entry contains a name as a whole word, together with one of these words in any
    /// case.
    pub fn says(&self, name: &str, words: &[&str]) -> bool {
        let entries = self.sections.iter().flat_map(|section| &section.entries).chain(&self.preface);
        entries.into_iter().any(|entry| {
            let plain = entry.to_ascii_lowercase();
            names(entry, name) && words.iter().any(|word| names(&plain, word))
        })
    }
}

/// Returns the changelog with this date instead of `unreleased` in the heading of a version.
pub fn dated(text: &str, version: &Version, date: Date) -> String {
    let (before, after) = (format!("## {version} - unreleased"), format!("## {version} - {date}"));
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| if line.trim_end() == before { line.replace(&before, &after) } else { line.to_owned() })
        .collect()
}

/// Returns whether a text contains a name that is not part of a longer name.
fn names(text: &str, name: &str) -> bool {
    let joins = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    text.match_indices(name).any(|(start, found)| {
        !text[..start].ends_with(joins) && !text[start + found.len()..].starts_with(joins)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog

What changed.

## 1.1.0 - unreleased

### Removed

- `getThing` is
  removed: its sunset has passed.
- `listThings` takes a `limit`.

## 1.0.0 - 2026-11-21

The first version,
with things.
";

    #[test]
    fn entries_are_items_and_paragraphs() {
        let changelog = Changelog::parse(TEXT).expect("it is well formed");
        let [next, first] = changelog.sections() else { panic!("{changelog:?}") };
        assert_eq!((next.version.to_string().as_str(), next.released, next.line), ("1.1.0", None, 5));
        assert_eq!(
            next.entries,
            ["`getThing` is removed: its sunset has passed.", "`listThings` takes a `limit`."]
        );
        assert_eq!(first.released, Some("2026-11-21".parse().expect("a date")));
        assert_eq!(first.entries, ["The first version, with things."]);
    }

    #[test]
    fn a_name_counts_only_as_a_word_beside_what_is_said_of_it() {
        let changelog = Changelog::parse(TEXT).expect("it is well formed");
        assert!(changelog.says("getThing", &["removed"]));
        assert!(!changelog.says("getThin", &["removed"]), "a part of a name is another name");
        assert!(!changelog.says("listThings", &["removed", "deprecated"]), "it is named for something else");
        assert!(!Changelog::default().says("getThing", &["removed"]));
    }

    #[test]
    fn a_release_gives_its_section_a_date() {
        let version = "1.1.0".parse().expect("a version");
        let text = dated(TEXT, &version, "2027-01-02".parse().expect("a date"));
        assert_eq!(text, TEXT.replace("unreleased", "2027-01-02"));
    }

    #[test]
    fn headings_that_cannot_be_read_are_told_with_their_line() {
        for heading in ["1.0 - unreleased", "1.0.0", "1.0.0 - soon", "Unreleased"] {
            let error = Changelog::parse(&format!("# T\n\n## {heading}\n")).expect_err(heading);
            assert_eq!((error.line, error.heading.as_str()), (3, heading));
        }
    }
}
