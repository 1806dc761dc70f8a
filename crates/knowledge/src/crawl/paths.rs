//! Patterns by which an owner includes and excludes paths of a site.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use url::Url;

/// The paths that belong to a crawl. By default all do.
#[derive(Debug, Clone, Default)]
pub struct PathRules {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

/// A pattern that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern cannot be read: {problem}")]
pub struct InvalidPattern {
    /// Its place in the list.
    pub index: usize,
    /// The problem.
    pub problem: String,
}

impl PathRules {
    /// Creates rules that admit the paths that match one of `include`, or all paths if that is empty, without
    /// those that match one of `exclude`.
    ///
    /// In a pattern, `*` matches characters other than a slash, `**` any characters, `?` one, and `{a,b}`
    /// alternatives.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, InvalidPattern> {
        Ok(Self { include: Self::set(include)?, exclude: Self::set(exclude)? })
    }

    /// Reads a list of patterns; `None` if it is empty.
    fn set(patterns: &[String]) -> Result<Option<GlobSet>, InvalidPattern> {
        if patterns.is_empty() {
            return Ok(None);
        }
        let invalid =
            |index, error: globset::Error| InvalidPattern { index, problem: error.kind().to_string() };
        let mut set = GlobSetBuilder::new();
        for (index, pattern) in patterns.iter().enumerate() {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            set.add(glob.map_err(|error| invalid(index, error))?);
        }
        set.build().map(Some).map_err(|error| invalid(patterns.len() - 1, error))
    }

    /// Returns whether an address belongs to the crawl.
    pub fn admit(&self, url: &Url) -> bool {
        let path = url.path();
        self.include.as_ref().is_none_or(|include| include.is_match(path))
            && !self.exclude.as_ref().is_some_and(|exclude| exclude.is_match(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(include: &[&str], exclude: &[&str]) -> PathRules {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        PathRules::new(&owned(include), &owned(exclude)).unwrap()
    }

    fn admitted(rules: &PathRules, path: &str) -> bool {
        rules.admit(&Url::parse("https://a.example").unwrap().join(path).unwrap())
    }

    #[test]
    fn patterns_match_paths_as_documented() {
        for (include, exclude, within, outside) in [
            (&[][..], &[][..], &["/", "/a/b"][..], &[][..]),
            (&["/blog/**"], &[], &["/blog/", "/blog/a", "/blog/a/b?x=1"], &["/", "/blogs/a"]),
            (&["/blog/*"], &[], &["/blog/a"], &["/blog/a/b"]),
            (
                &[],
                &["/shop/**", "/{login,logout}"],
                &["/", "/shops", "/log"],
                &["/shop/a", "/login", "/logout"],
            ),
            (&["/**"], &["/v?/**"], &["/a", "/v10/a"], &["/v1/a"]),
        ] {
            let rules = rules(include, exclude);
            assert!(within.iter().all(|path| admitted(&rules, path)), "{include:?} {exclude:?} {within:?}");
            assert!(
                !outside.iter().any(|path| admitted(&rules, path)),
                "{include:?} {exclude:?} {outside:?}"
            );
        }
    }

    #[test]
    fn a_malformed_pattern_is_reported_with_its_place() {
        let error = PathRules::new(&["/a".to_owned(), "/[b".to_owned()], &[]).unwrap_err();
        assert_eq!(error.index, 1);
        assert!(!error.problem.is_empty());
    }
}
