//! [`Preferences`]: the caller's preferences, from the `Prefer` header (RFC 7240).

use http::{HeaderMap, HeaderName};

/// The request header with the preferences.
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The preferences of a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preferences {
    /// `code`: the wanted response, as a key under `responses` or a status.
    pub(crate) code: Option<String>,
    /// `example`: the name of the wanted example.
    pub(crate) example: Option<String>,
    /// `dynamic`: whether values are generated even if there are examples.
    pub(crate) dynamic: bool,
    /// `seed`: selects among the generated values.
    pub(crate) seed: Option<u64>,
}

impl Preferences {
    /// Reads the header. Unknown preferences are ignored and the first of several values counts, as RFC 7240
    /// requires.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut found = Self::default();
        for line in headers.get_all(PREFER).iter().rev().filter_map(|value| value.to_str().ok()) {
            for (name, value) in pairs(line).into_iter().rev() {
                match name.as_str() {
                    "code" if !value.is_empty() => found.code = Some(value),
                    "example" if !value.is_empty() => found.example = Some(value),
                    "dynamic" => found.dynamic = !value.eq_ignore_ascii_case("false"),
                    "seed" => found.seed = value.parse().ok(),
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the value of `Preference-Applied`, or `None` if nothing was preferred.
    pub(crate) fn applied(&self) -> Option<String> {
        let mut applied = Vec::new();
        applied.extend(self.code.as_ref().map(|code| format!("code={}", quoted(code))));
        applied.extend(self.example.as_ref().map(|name| format!("example={}", quoted(name))));
        applied.extend(self.dynamic.then(|| "dynamic=true".to_owned()));
        applied.extend(self.seed.map(|seed| format!("seed={seed}")));
        (!applied.is_empty()).then(|| applied.join(", "))
    }
}

/// Splits a header line into names in lower case and values. Callers often separate preferences by `;` where
/// RFC 7240 has `,`, so both are accepted.
fn pairs(line: &str) -> Vec<(String, String)> {
    let mut parts = vec![String::new()];
    let (mut inside, mut escaped) = (false, false);
    for character in line.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if inside => {
                escaped = true;
                continue;
            }
            '"' => {
                inside = !inside;
                continue;
            }
            ',' | ';' if !inside => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    let pair = |part: &String| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (name.trim().to_ascii_lowercase(), value.trim().to_owned())
    };
    parts.iter().filter(|part| !part.trim().is_empty()).map(pair).collect()
}

fn quoted(value: &str) -> String {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if value.bytes().all(token) {
        value.to_owned()
    } else {
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

#[cfg(test)]
mod tests {
    use super::Preferences;
    use http::{HeaderMap, HeaderValue};

    fn of(lines: &[&'static str]) -> Preferences {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("prefer", HeaderValue::from_static(line));
        }
        Preferences::of(&headers)
    }

    #[test]
    fn the_header_is_read_as_the_rfc_and_as_callers_write_it() {
        let wanted = Preferences {
            code: Some("404".to_owned()),
            example: Some("not found, really".to_owned()),
            ..Preferences::default()
        };
        for lines in [
            &["code=404, example=\"not found, really\""] as &[_],
            &["Code = 404; example=\"not found, really\""],
            &["code=404", "return=minimal, example=\"not found, really\", code=500"],
        ] {
            assert_eq!(of(lines), wanted, "{lines:?}");
        }
        assert_eq!(wanted.applied().as_deref(), Some("code=404, example=\"not found, really\""));
    }

    #[test]
    fn unknown_preferences_are_not_reported_as_applied() {
        assert_eq!(of(&["respond-async, wait=10, code="]).applied(), None);
        assert_eq!(of(&["dynamic, seed=7"]).applied().as_deref(), Some("dynamic=true, seed=7"));
        assert!(!of(&["dynamic=false"]).dynamic);
    }
}
