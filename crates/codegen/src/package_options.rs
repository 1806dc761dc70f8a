//! Options for the metadata of the generated packages, and the forms that cargo and crates.io accept.

use serde::Deserialize;
use serde::de::{self, Deserializer};

/// The version of crates whose document has none that could be read as one.
const FIRST_VERSION: &str = "0.1.0";

/// What manifests say beyond names and dependencies. Anything that is not set comes from the document, if it
/// says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PackageOptions {
    /// The version; by default `info.version`, made a version that cargo accepts.
    #[serde(deserialize_with = "version")]
    pub version: Option<String>,
    /// What the crates are about, in place of the document's title: "Client of the …".
    pub title: Option<String>,
    /// An SPDX expression; by default the licence of the document, if it is a well-known one.
    #[serde(deserialize_with = "license")]
    pub license: Option<String>,
    /// The authors.
    pub authors: Vec<String>,
    /// The address of the repository.
    #[serde(deserialize_with = "address")]
    pub repository: Option<String>,
    /// The address of a page about the interface; by default that of the document's external documentation or
    /// contact.
    #[serde(deserialize_with = "address")]
    pub homepage: Option<String>,
    /// Up to five keywords.
    #[serde(deserialize_with = "keywords")]
    pub keywords: Option<Vec<String>>,
    /// Categories of crates.io.
    pub categories: Option<Vec<String>>,
    /// The oldest compiler that the crates are declared for.
    #[serde(deserialize_with = "rust_version")]
    pub rust_version: Option<String>,
    /// Whether the packages may be published; so unless it is `Some(false)`.
    pub publish: Option<bool>,
}

/// What the package for JavaScript says beside what all packages say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct JavaScriptOptions {
    /// The name for npm, such as `@acme/petstore`; by default `NAME-client`.
    #[serde(deserialize_with = "npm_name")]
    pub name: Option<String>,
}

fn npm_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| {
        let is_part = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._~".contains(&byte))
        };
        let fits = match text.strip_prefix('@') {
            Some(scoped) => {
                scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name))
            }
            None => is_part(text),
        };
        let problem = || {
            format!(
                "`{text}` is not a name of npm: lower case letters, digits, `-`, `.` and `_`, such as `@acme/petstore`"
            )
        };
        (fits && text.len() <= 214).then_some(()).ok_or_else(problem)
    })
}

fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    check(&text).map_err(de::Error::custom)?;
    Ok(Some(text))
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| match cargo_version(text) {
        made if made == text => Ok(()),
        made => Err(format!("`{text}` is not a version that cargo accepts; `{made}` is")),
    })
}

fn license<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| {
        let problem = || format!("`{text}` is not an SPDX expression such as `MIT OR Apache-2.0`");
        is_spdx(text).then_some(()).ok_or_else(problem)
    })
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| {
        let is_url = text.starts_with("https://") || text.starts_with("http://");
        is_url.then_some(()).ok_or_else(|| format!("`{text}` is not a URL that begins with `https://`"))
    })
}

fn rust_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| {
        let parts: Vec<Option<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        match parts[..] {
            [Some(1), Some(85..)] | [Some(1), Some(85..), Some(_)] => Ok(()),
            [Some(_), Some(_)] | [Some(_), Some(_), Some(_)] => {
                Err(format!("`{text}` is older than 1.85, the first compiler with the edition 2024"))
            }
            _ => Err(format!("`{text}` is not a version of the compiler such as `1.95`")),
        }
    })
}

fn keywords<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let keywords = Vec::<String>::deserialize(deserializer)?;
    if keywords.len() > 5 {
        return Err(de::Error::custom(format!("there are {} keywords; crates.io takes 5", keywords.len())));
    }
    let fits = |keyword: &String| {
        keyword.len() <= 20
            && keyword.starts_with(|first: char| first.is_ascii_alphanumeric())
            && keyword.chars().all(|character| character.is_ascii_alphanumeric() || "_-+".contains(character))
    };
    match keywords.iter().find(|keyword| !fits(keyword)) {
        Some(keyword) => Err(de::Error::custom(format!(
            "`{keyword}` is not a keyword of crates.io: up to 20 letters, digits, `-`, `_` and `+`"
        ))),
        None => Ok(Some(keywords)),
    }
}

/// Whether a text has the form of an SPDX expression.
pub(crate) fn is_spdx(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|character| character.is_ascii_alphanumeric() || ".-+() ".contains(character))
}

/// A version that cargo accepts, from one of any form.
///
/// Numbers keep their order: `v2` is 2.0.0, and the date 2022-11-15 is 2022.11.15. Words behind them are a
/// pre-release, `1.0-beta` is 1.0.0-beta. Build metadata and what follows three numbers is left out.
pub(crate) fn cargo_version(text: &str) -> String {
    let text = text.trim();
    let mut rest = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let mut numbers: Vec<u64> = Vec::new();
    while numbers.len() < 3 {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = rest[..digits].parse() else { break };
        numbers.push(number);
        rest = &rest[digits..];
        let next = rest.strip_prefix(['.', '-', '_', '/']);
        match next.filter(|next| numbers.len() < 3 && next.starts_with(|first: char| first.is_ascii_digit()))
        {
            Some(next) => rest = next,
            None => break,
        }
    }
    if numbers.is_empty() {
        return FIRST_VERSION.to_owned();
    }
    numbers.resize(3, 0);
    let release = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
    let words = rest.split('+').next().unwrap_or_default().trim_start_matches(['.', '-', '_']);
    if !words.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return release;
    }
    let words = words.replace(|character: char| !character.is_ascii_alphanumeric() && character != '-', ".");
    let identifiers = words.split('.').filter(|identifier| !identifier.is_empty()).map(|identifier| {
        // A number of a pre-release has no leading zeros.
        let is_number = identifier.bytes().all(|byte| byte.is_ascii_digit());
        let bare = identifier.trim_start_matches('0');
        match (is_number, bare) {
            (true, "") => "0",
            (true, bare) => bare,
            (false, _) => identifier,
        }
    });
    format!("{release}-{}", identifiers.collect::<Vec<_>>().join("."))
}

#[cfg(test)]
mod tests {
    use super::cargo_version;

    #[test]
    fn every_version_becomes_one_that_cargo_accepts() {
        for (given, made) in [
            ("1.2.3", "1.2.3"),
            ("1.0", "1.0.0"),
            ("v2", "2.0.0"),
            (" 3.1.0-rc.1+build.7 ", "3.1.0-rc.1"),
            ("2022-11-15", "2022.11.15"),
            ("2006-03-01", "2006.3.1"),
            ("2020-09-14_1.345.2", "2020.9.14"),
            ("2023-10-16.basil", "2023.10.16-basil"),
            ("1.0-beta", "1.0.0-beta"),
            ("v1alpha1", "1.0.0-alpha1"),
            ("1.0.0-beta.007", "1.0.0-beta.7"),
            ("1.2.3.4", "1.2.3"),
            ("20231115", "20231115.0.0"),
            ("99999999999999999999", "0.1.0"),
            ("", "0.1.0"),
            ("latest", "0.1.0"),
            ("größe", "0.1.0"),
            ("1.0 (größe)", "1.0.0"),
        ] {
            assert_eq!(cargo_version(given), made, "{given}");
        }
    }
}
