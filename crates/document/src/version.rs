//! Versions of OpenAPI that are read.

use std::fmt;

/// The version of OpenAPI that a document declares, without its patch number.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// OpenAPI 3.0, with a schema language of its own.
    #[default]
    V3_0,
    /// OpenAPI 3.1, whose schemas are JSON Schema 2020-12.
    V3_1,
}

impl Version {
    /// Returns the version that the text of an `openapi` field declares, if it is a supported one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [("3.0.", Self::V3_0), ("3.1.", Self::V3_1)].into_iter().find_map(|(prefix, version)| {
            let patch = text.strip_prefix(prefix)?.split(['-', '+']).next()?;
            (!patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit())).then_some(version)
        })
    }

    /// Returns the version that a text without a patch number means.
    pub(crate) fn loosely(text: &str) -> Option<Self> {
        match text {
            "3.0" => Some(Self::V3_0),
            "3.1" => Some(Self::V3_1),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn patch_numbers_and_labels_are_left_aside() {
        for (text, version) in [
            ("3.0.0", Some(Version::V3_0)),
            ("3.0.4-rc1", Some(Version::V3_0)),
            ("3.1.0", Some(Version::V3_1)),
            ("3.1.1", Some(Version::V3_1)),
            ("3.1", None),
            ("3.1.", None),
            ("3.2.0", None),
            ("30.1.0", None),
            ("2.0", None),
        ] {
            assert_eq!(Version::parse(text), version, "{text}");
        }
    }
}
