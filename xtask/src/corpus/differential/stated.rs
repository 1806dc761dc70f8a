//! [`read`]: requests beside a document, with the result that a person has derived from the specifications.
//!
//! The servers are compared with each other by derived [requests](super::requests); where both are wrong
//! alike, only these show it. They are in `requests.txt` in the folder of the document:
//!
//! ```text
//! # The reason, which belongs to the next request.
//! refused POST /orders
//!   Content-Type: application/json
//!
//!   {"quantity": 1.5}
//! ```
//!
//! `unchecked CODE POST /orders` states a request that the specifications refuse and generated servers
//! accept, because they do not check the rule; the warning `CODE` of the generator says so, or [`GENERAL`].
//!
//! Headers and body are indented by two spaces. The lines of a body are joined by a line feed, those of a
//! multipart body by a carriage return and a line feed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;

use super::case::{Case, Expected};
use super::exchange::Request;

/// The name of the file.
const FILE: &str = "requests.txt";

/// What generated servers never check, with the reason.
pub const GENERAL: &[(&str, &str)] = &[
    (
        "json-type",
        "a body of any JSON media type is read where one is declared: clients often send `application/json` to \
         services that declare a more exact type",
    ),
    (
        "one-of",
        "a value that several branches of a `oneOf` allow is accepted: branches of real documents are seldom \
         closed, so that nearly every value would be refused",
    ),
];

/// The requests beside a document.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// The requests.
    pub cases: Vec<Case>,
    /// The warnings that say what is not checked, and rules that never are.
    pub unchecked: BTreeSet<String>,
}

/// Returns the requests beside a document; none if there is no such file.
///
/// # Errors
///
/// Returns an error if the file cannot be read; it names the line.
pub fn read(document: &Path) -> Result<Stated> {
    let file = document.with_file_name(FILE);
    if !file.exists() {
        return Ok(Stated::default());
    }
    parse(&fs::read_to_string(&file)?).with_context(|| format!("`{}` cannot be read", file.display()))
}

fn parse(text: &str) -> Result<Stated> {
    let mut stated = Stated::default();
    let mut reason = String::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            comment.trim().clone_into(&mut reason);
            continue;
        }
        let mut block: Vec<&str> = Vec::new();
        while let Some((_, next)) = lines.peek() {
            // A line without indentation ends the request, unless it separates the headers from the body.
            let separates = next.is_empty() && !block.is_empty() && !block.contains(&"");
            match next.strip_prefix("  ") {
                Some(inner) => block.push(inner),
                None if separates => block.push(""),
                None => break,
            }
            lines.next();
        }
        let (expected, code, request) =
            of_block(line, &block).with_context(|| format!("the request of line {}", index + 1))?;
        stated.unchecked.extend(code.map(str::to_owned));
        let purpose = format!("stated in line {}: {}", index + 1, std::mem::take(&mut reason));
        stated.cases.push(Case { operation: String::new(), purpose, expected, request });
    }
    Ok(stated)
}

fn of_block<'t>(line: &'t str, block: &[&str]) -> Result<(Expected, Option<&'t str>, Request)> {
    let mut words = line.split(' ');
    let (expected, code) = match words.next() {
        Some("accepted") => (Expected::Reached, None),
        Some("refused") => (Expected::Refused, None),
        Some("unchecked") => (Expected::Unchecked, words.next()),
        _ => bail!("it must begin with `accepted`, `refused` or `unchecked`"),
    };
    let (Some(method), Some(target), None) = (words.next(), words.next(), words.next()) else {
        bail!("a method and a target must follow, such as `accepted GET /orders?limit=1`");
    };
    let (head, body) = match block.iter().position(|line| line.is_empty()) {
        Some(end) => (&block[..end], Some(&block[end + 1..])),
        None => (block, None),
    };
    let headers = head
        .iter()
        .map(|line| line.split_once(": ").with_context(|| format!("`{line}` must be `Name: value`")))
        .map(|pair| pair.map(|(name, value)| (name.to_owned(), value.to_owned())))
        .collect::<Result<Vec<_>>>()?;
    let media_type =
        headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type")).map(|(_, value)| value);
    let separator =
        if media_type.is_some_and(|value| value.starts_with("multipart/")) { "\r\n" } else { "\n" };
    // The last line of a multipart body ends like the others.
    let end = if separator == "\r\n" { separator } else { "" };
    let body = body.filter(|body| !body.is_empty()).map(|body| (body.join(separator) + end).into_bytes());
    ensure!(body.is_none() || media_type.is_some(), "its body needs a `Content-Type`");
    Ok((expected, code, Request { method: method.to_owned(), target: target.to_owned(), headers, body }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_reasons_headers_and_bodies() {
        let text = "# Exactly the limit.\naccepted GET /orders?limit=100\nrefused POST /orders\n  \
                    Content-Type: application/json\n\n  {\n    \"a\": 1}\n\n# Parts\nrefused POST /files\n  \
                    Content-Type: multipart/form-data; boundary=b\n\n  --b\n  \n  x\n  --b--\n\n\
                    unchecked keyword-ignored GET /a\n";
        let Stated { cases, unchecked } = parse(text).expect("it can be read");
        let told: Vec<(&str, Expected, String)> =
            cases.iter().map(|case| (&*case.purpose, case.expected, case.request.to_string())).collect();
        let json = "POST /orders | Content-Type: application/json | {\\n  \\\"a\\\": 1}";
        let parts =
            "POST /files | Content-Type: multipart/form-data; boundary=b | --b\\r\\n\\r\\nx\\r\\n--b--\\r\\n";
        assert_eq!(
            told,
            [
                (
                    "stated in line 2: Exactly the limit.",
                    Expected::Reached,
                    "GET /orders?limit=100".to_owned()
                ),
                ("stated in line 3: ", Expected::Refused, json.to_owned()),
                ("stated in line 10: Parts", Expected::Refused, parts.to_owned()),
                ("stated in line 18: ", Expected::Unchecked, "GET /a".to_owned()),
            ]
        );
        assert_eq!(unchecked, BTreeSet::from(["keyword-ignored".to_owned()]));
    }

    #[test]
    fn what_is_no_request_is_refused_with_its_line() {
        for (text, message) in [
            ("GET /orders", "it must begin with"),
            ("\naccepted GET", "a method and a target"),
            ("accepted GET /a b", "a method and a target"),
            ("accepted GET /\n  Accept", "must be `Name: value`"),
            ("accepted POST /\n  A: b\n\n  {}", "needs a `Content-Type`"),
        ] {
            let error = format!("{:#}", parse(text).expect_err(text));
            assert!(error.contains(message) && error.contains("the request of line "), "{text}: {error}");
        }
    }
}
