//! Bodies of the media type `application/x-www-form-urlencoded`.

use super::{Param, Place, Style, brackets, style, text};
use crate::whole_numbers;
use serde::{
    Serialize,
    de::{DeserializeOwned, DeserializeSeed},
};
use std::marker::PhantomData;

/// How one member of a form is encoded, if not as `form` with `explode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name of the member.
    pub name: &'static str,
    /// How a list or an object is encoded.
    pub style: Style,
    /// Whether each entry is a pair of its own.
    pub explode: bool,
    /// Whether reserved characters remain unencoded.
    pub reserved: bool,
}

/// Encodes an object as a form. Members without a rule use `form` with `explode`; those that hold objects or
/// lists of objects use brackets (`a[b]=c`, `a[0][b]=c`), which services commonly accept. In members of
/// unknown type ([`Style::JsonIfNested`]) they are JSON.
///
/// # Errors
///
/// A sentence, if the value is not an object.
pub fn encode_form<T: Serialize + ?Sized>(form: &T, members: &[Member]) -> Result<String, String> {
    let tree = text::tree(form)?;
    let text::Tree::Object(entries) = tree else {
        return Err("the body of a form must be an object".to_owned());
    };
    let mut pairs = Vec::new();
    for (name, value) in &entries {
        let encoded = text::percent_encode(name, false);
        match members.iter().find(|member| member.name == name) {
            Some(member)
                if member.style == Style::Json || member.style == Style::JsonIfNested && !is_flat(value) =>
            {
                // A tree of text does not distinguish numbers from strings.
                let whole = serde_json::to_value(form).map_err(|error| error.to_string())?;
                let json = whole.get(name).map(ToString::to_string).unwrap_or_default();
                pairs.push((encoded, text::percent_encode(&json, member.reserved)));
            }
            Some(member) if member.has_style() => {
                let written = style::encode_tree(&member.param(), value);
                pairs.extend(written.map_err(|rule| format!("the member `{name}` {rule}"))?);
            }
            plain => {
                let reserved = plain.is_some_and(|member| member.reserved);
                match value {
                    text::Tree::List(list) if is_flat(value) => {
                        for entry in list {
                            brackets::write(&encoded, entry, reserved, &mut pairs);
                        }
                    }
                    _ => brackets::write(&encoded, value, reserved, &mut pairs),
                }
            }
        }
    }
    let pairs: Vec<String> = pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    Ok(pairs.join("&"))
}

/// Decodes the object in the text of a form.
///
/// # Errors
///
/// Each member that does not fit, by name, with the rule that it violates; an empty name is the whole object.
/// Of several missing members only the first is reported.
pub fn decode_form<T: DeserializeOwned>(text: &str, members: &[Member]) -> Result<T, Vec<(String, String)>> {
    decode_form_with(text, members, PhantomData::<T>, |_| true)
}

/// Like [`decode_form`], with a deserialization seed. Returns the first interpretation that `fits`, or else
/// the most literal one; see [`decode_with`](super::decode_with).
///
/// # Errors
///
/// Those of [`decode_form`].
pub fn decode_form_with<T, S>(
    text: &str,
    members: &[Member],
    seed: S,
    fits: impl Fn(&T) -> bool,
) -> Result<T, Vec<(String, String)>>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let pairs: Vec<(&str, &str)> = text
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    let nodes = nodes(&pairs, members)?;
    let mut failures: Vec<(String, String)> = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    loop {
        let rest = || {
            let kept = nodes.iter().filter(|(name, _)| !wrong.contains(name)).cloned();
            text::Node::Object(kept.collect())
        };
        let lenient = || seed.deserialize(text::Reader::new(rest(), true)).ok();
        let problem = match seed.deserialize(text::Reader::new(rest(), false)) {
            Ok(value) if failures.is_empty() => {
                return Ok(if fits(&value) { value } else { lenient().filter(&fits).unwrap_or(value) });
            }
            Ok(_) => return Err(failures),
            Err(problem) => problem,
        };
        if failures.is_empty()
            && let Some(value) = lenient()
        {
            return Ok(value);
        }
        let member = problem.member().unwrap_or_default().to_owned();
        let known = wrong.contains(&member);
        if !known {
            failures.push(problem.into_parts());
        }
        // A decoder stops at the first failure, so invalid members are removed one by one until the rest can
        // be decoded.
        if known
            || !nodes.iter().any(|(name, _)| *name == member)
            || failures.len() >= crate::check::Report::MOST
        {
            return Err(failures);
        }
        wrong.push(member);
    }
}

/// Reads a member from JSON text.
fn json<'a>(raw: &str) -> Result<text::Node<'a>, text::Problem> {
    let text = text::percent_decode(raw, true).map_err(text::Problem::rule)?;
    let mut value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| text::Problem::rule(format!("must be valid JSON: {error}")))?;
    whole_numbers::write_digits(&mut value);
    Ok(value.into())
}

/// Invalid members, each with the rule that it violates.
type Failures = Vec<(String, String)>;

/// Returns every member by name.
fn nodes<'a>(
    pairs: &[(&'a str, &'a str)],
    members: &[Member],
) -> Result<Vec<(String, text::Node<'a>)>, Failures> {
    let mut nodes = Vec::new();
    let mut failures = Failures::new();
    let mut whole = text::Branch::default();
    for member in members.iter().filter(|member| member.has_style()) {
        let param = member.param();
        let own: Vec<_> = pairs.iter().copied().filter(|(name, _)| member.claims(name)).collect();
        let node = match own.first() {
            None => continue,
            Some((_, raw)) if member.style == Style::Json => json(raw).map(Some),
            Some(_) => style::node(&param, &own),
        };
        match node {
            Ok(Some(node)) => nodes.push((member.name.to_owned(), node)),
            Ok(None) => {}
            Err(problem) => failures.push((member.name.to_owned(), problem.to_string())),
        }
    }
    let mut nested: Vec<&Member> = Vec::new();
    for member in members.iter().filter(|member| member.style == Style::JsonIfNested) {
        if let Some(node) = member.nested(pairs) {
            nodes.push((member.name.to_owned(), node));
            nested.push(member);
        }
    }
    for (raw, value) in pairs {
        if members.iter().any(|member| member.claims(raw)) || nested.iter().any(|member| member.is_named(raw))
        {
            continue;
        }
        let inserted = brackets::names(raw).and_then(|names| {
            let decode = |text| text::percent_decode(text, true).map_err(text::Problem::rule);
            let names = match names {
                Some(names) => names,
                None => vec![decode(raw)?],
            };
            whole.insert(&names, decode(value)?)
        });
        if let Err(problem) = inserted {
            failures.push((raw.split('[').next().unwrap_or_default().to_owned(), problem.to_string()));
        }
    }
    match whole.object() {
        Ok(members) => {
            nodes.extend(members.into_iter().map(|(name, branch)| (name, text::Node::Branch(branch))));
        }
        Err(problem) => failures.push((String::new(), problem.to_string())),
    }
    if failures.is_empty() { Ok(nodes) } else { Err(failures) }
}

impl Member {
    const fn param(&self) -> Param {
        let Self { name, style, explode, reserved } = *self;
        Param { name, place: Place::Query, style, explode, reserved, others: &[] }
    }

    /// Whether the member is encoded differently from one without a rule.
    fn has_style(&self) -> bool {
        self.style != Style::JsonIfNested && (self.style != Style::Form || !self.explode)
    }

    fn is_named(&self, raw: &str) -> bool {
        text::percent_decode(raw, true).is_ok_and(|name| name == self.name)
    }

    /// Reads the object or the list that is the only value of a member of unknown type.
    fn nested<'a>(&self, pairs: &[(&str, &str)]) -> Option<text::Node<'a>> {
        let mut own = pairs.iter().filter(|(name, _)| self.is_named(name));
        let (Some((_, raw)), None) = (own.next(), own.next()) else { return None };
        let text = text::percent_decode(raw, true).ok()?;
        let mut value: serde_json::Value = serde_json::from_str(&text).ok()?;
        whole_numbers::write_digits(&mut value);
        (value.is_object() || value.is_array()).then(|| value.into())
    }

    /// Whether a pair of this name belongs to this member rather than to one without a rule.
    fn claims(&self, raw: &str) -> bool {
        if !self.has_style() {
            return false;
        }
        let names = brackets::names(raw).ok().flatten();
        self.is_named(raw)
            || self.style == Style::DeepObject
                && names.and_then(|names| names.into_iter().next()).is_some_and(|name| name == self.name)
    }
}

/// Whether pairs of name and value can hold a value: it is a text, or a list of texts.
fn is_flat(tree: &text::Tree) -> bool {
    let is_leaf = |tree: &text::Tree| matches!(tree, text::Tree::Text(_) | text::Tree::Null);
    match tree {
        text::Tree::List(entries) => entries.iter().all(is_leaf),
        tree => is_leaf(tree),
    }
}

#[cfg(test)]
mod tests;
