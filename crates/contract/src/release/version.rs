//! Succession of version numbers.

use semver::Version;

use crate::compat::Bump;

/// Returns the version after a bump.
pub fn next(last: &Version, bump: Bump) -> Version {
    match bump {
        Bump::None => last.clone(),
        Bump::Patch => Version::new(last.major, last.minor, last.patch + 1),
        Bump::Minor => Version::new(last.major, last.minor + 1, 0),
        Bump::Major => Version::new(last.major + 1, 0, 0),
    }
}

/// Returns the bump between two versions, or `None` if the second does not directly follow the first.
pub(super) fn between(last: &Version, version: &Version) -> Option<Bump> {
    [Bump::None, Bump::Patch, Bump::Minor, Bump::Major].into_iter().find(|bump| next(last, *bump) == *version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_next_versions_follow() {
        let version = |text: &str| text.parse::<Version>().expect("a version");
        let from = version("1.4.2");
        let bump = |text: &str| between(&from, &version(text));
        assert_eq!(bump("1.4.2"), Some(Bump::None));
        assert_eq!(bump("1.4.3"), Some(Bump::Patch));
        assert_eq!(bump("1.5.0"), Some(Bump::Minor));
        assert_eq!(bump("2.0.0"), Some(Bump::Major));
        for skipped in ["1.4.4", "1.5.1", "1.6.0", "3.0.0", "1.4.1", "0.9.0", "1.5.0-rc.1"] {
            assert_eq!(bump(skipped), None, "{skipped}");
        }
    }
}
