//! The access policy of an operation (`x-policy`) in words.

use crate::json::{Json, Members};

/// Returns who may call the operation, in a few words: the text of a badge.
pub(crate) fn callers(policy: &Json) -> Option<String> {
    let policy = policy.as_object()?;
    if text(policy, "caller")? == "none" {
        return Some("No API key".to_owned());
    }
    let roles = match policy.get("roles")? {
        Json::Array(roles) => roles.iter().map(|role| Some(format!("{}s", role.as_text()?))),
        _ => return None,
    };
    let roles = listed(&roles.collect::<Option<Vec<_>>>()?)?;
    let mut letters = roles.chars();
    Some(letters.next()?.to_uppercase().chain(letters).collect())
}

/// Returns the whole policy as sentences; `None` if it has a member or a value that is not known here.
pub(crate) fn sentences(policy: &Json) -> Option<String> {
    let members = policy.as_object()?;
    let callers = match text(members, "caller")? {
        "none" => "**Access:** without an API key.".to_owned(),
        _ => format!("**Access:** API keys of {}.", callers(policy)?.to_lowercase()),
    };
    let plan = match text(members, "plan")? {
        "api_access" => "**Plan:** one that includes API access.",
        "any" => "**Plan:** any.",
        _ => return None,
    };
    let rate = match text(members, "rate")? {
        "key" => "**Rate limit:** 60 requests a minute per key.",
        "reply" => "**Rate limit:** per client and per chatbot.",
        "form" => "**Rate limit:** per client and per form.",
        _ => return None,
    };
    let credits = match text(members, "credits")? {
        "none" => "**AI credits:** none.",
        "answer" => "**AI credits:** used by each generated answer.",
        _ => return None,
    };
    let mut sentences = format!("{callers} {plan} {rate} {credits}");
    if let Some(Json::Number(bytes)) = members.get("body_bytes") {
        sentences.push_str(&format!(" **Largest body:** {}.", size(bytes.as_u64()?)));
    }
    match members.get("origins").map(Json::as_text) {
        None => {}
        Some(Some("any")) => sentences.push_str(" **Browsers:** scripts of every website may call it."),
        Some(_) => return None,
    }
    let known = ["caller", "roles", "plan", "rate", "credits", "body_bytes", "origins"];
    members.keys().all(|key| known.contains(&key.as_str())).then_some(sentences)
}

fn text<'p>(policy: &'p Members, key: &str) -> Option<&'p str> {
    policy.get(key)?.as_text()
}

/// Joins words as a sentence lists them: `owners, admins and collaborators`.
fn listed(words: &[String]) -> Option<String> {
    let (last, before) = words.split_last()?;
    Some(if before.is_empty() { last.clone() } else { format!("{} and {last}", before.join(", ")) })
}

/// Writes a number of bytes in the largest unit that needs no fraction.
fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} kB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(policy: &str) -> (Option<String>, Option<String>) {
        let policy = serde_json::from_str(policy).unwrap();
        (callers(&policy), sentences(&policy))
    }

    #[test]
    fn policies_are_written_as_sentences() {
        for (policy, badge, text) in [
            (
                r#"{"caller": "key", "roles": ["owner", "admin"], "plan": "api_access", "rate": "key", "credits": "none"}"#,
                "Owners and admins",
                "**Access:** API keys of owners and admins. **Plan:** one that includes API access. **Rate limit:** 60 requests a minute per key. **AI credits:** none.",
            ),
            (
                r#"{"caller": "key", "roles": ["owner", "admin", "collaborator"], "plan": "any", "rate": "key", "credits": "answer", "body_bytes": 1000}"#,
                "Owners, admins and collaborators",
                "**Access:** API keys of owners, admins and collaborators. **Plan:** any. **Rate limit:** 60 requests a minute per key. **AI credits:** used by each generated answer. **Largest body:** 1000 bytes.",
            ),
            (
                r#"{"caller": "none", "plan": "any", "rate": "reply", "credits": "answer", "body_bytes": 65536}"#,
                "No API key",
                "**Access:** without an API key. **Plan:** any. **Rate limit:** per client and per chatbot. **AI credits:** used by each generated answer. **Largest body:** 64 kB.",
            ),
            (
                r#"{"caller": "none", "plan": "any", "rate": "form", "credits": "none", "origins": "any"}"#,
                "No API key",
                "**Access:** without an API key. **Plan:** any. **Rate limit:** per client and per form. **AI credits:** none. **Browsers:** scripts of every website may call it.",
            ),
        ] {
            assert_eq!(described(policy), (Some(badge.to_owned()), Some(text.to_owned())), "{policy}");
        }
        assert_eq!(size(3 << 20), "3 MB");
    }

    #[test]
    fn unknown_policies_are_not_interpreted() {
        for policy in [
            "7",
            "{}",
            r#"{"caller": "key", "roles": [], "plan": "any", "rate": "key", "credits": "none"}"#,
            r#"{"caller": "key", "roles": [7], "plan": "any", "rate": "key", "credits": "none"}"#,
        ] {
            assert_eq!(described(policy), (None, None), "{policy}");
        }
        for policy in [
            r#"{"caller": "none", "plan": "gold", "rate": "reply", "credits": "none"}"#,
            r#"{"caller": "none", "plan": "any", "rate": "reply", "credits": "none", "more": 1}"#,
            r#"{"caller": "none", "plan": "any", "rate": "reply", "credits": "none", "origins": "some"}"#,
        ] {
            assert_eq!(described(policy), (Some("No API key".to_owned()), None), "{policy}");
        }
    }
}
