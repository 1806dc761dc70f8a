//! Decoding of parameters.

use super::{Param, Place, Style};
use crate::codec::{
    brackets,
    text::{Branch, Node, Problem, Reader, percent_decode, percent_encode},
};
use crate::whole_numbers;
use serde::de::{DeserializeOwned, DeserializeSeed};
use std::{borrow::Cow, collections::BTreeMap, marker::PhantomData};

/// Decodes a value from percent-encoded pairs of name and value; `None` if the parameter is absent.
///
/// `found` holds all pairs of the query or of the cookies, or the single pair of the path, or all lines of
/// the header.
///
/// An object in the style `form` with `explode` is spread over pairs named after its members. A struct reads
/// its own members. A map reads all pairs but those of the [other parameters](Param::beside).
///
/// # Errors
///
/// The rule that the text violates, to follow the parameter's name: `must be an integer of 64 bits`.
pub fn decode<T: DeserializeOwned>(param: &Param, found: &[(&str, &str)]) -> Result<Option<T>, String> {
    interpreted(param, found, PhantomData::<T>, |_| true).map_err(|problem| problem.to_string())
}

/// Like [`decode`], with a deserialization seed.
///
/// Text may have several interpretations: literal text, a number in a union, a list whose commas are encoded.
/// Returns the first interpretation that `fits`, or else the most literal one.
///
/// # Errors
///
/// The location within the value, with dots between names, and the rule that the text violates there. The
/// location is empty for the value itself.
pub fn decode_with<T, S>(
    param: &Param,
    found: &[(&str, &str)],
    seed: S,
    fits: impl Fn(&T) -> bool,
) -> Result<Option<T>, (String, String)>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    interpreted(param, found, seed, fits).map_err(Problem::into_parts)
}

fn interpreted<T, S>(
    param: &Param,
    found: &[(&str, &str)],
    seed: S,
    fits: impl Fn(&T) -> bool,
) -> Result<Option<T>, Problem>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let read = |found: &[(&str, &str)]| match param.style {
        Style::Json => json(param, found, seed),
        _ => styled(param, found, seed, &fits),
    };
    let whole = read(found);
    if whole.is_err() && param.place == Place::Cookie && own(param, found).count() > 1 {
        return read(&first_cookie(param, found));
    }
    whole
}

/// Leaves out cookies of the parameter's name but the first. Browsers send one for each path that has the
/// cookie, that of the longest path first (RFC 6265, section 5.4).
fn first_cookie<'a>(param: &Param, found: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut seen = false;
    let is_own = |pair: &(&str, &str)| own(param, &[*pair]).next().is_some();
    found.iter().copied().filter(|pair| !is_own(pair) || !std::mem::replace(&mut seen, true)).collect()
}

fn styled<T, S>(
    param: &Param,
    found: &[(&str, &str)],
    seed: S,
    fits: &impl Fn(&T) -> bool,
) -> Result<Option<T>, Problem>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let read = |param: &Param, guess| match node(param, found)? {
        Some(node) => match seed.deserialize(Reader::new(node, guess)) {
            Ok(value) => Ok(Some(value)),
            Err(problem) if problem.is_absent() => Ok(None),
            Err(problem) => Err(problem),
        },
        None => Ok(None),
    };
    let literal = read(param, false);
    if literal.as_ref().is_ok_and(|value| value.as_ref().is_none_or(fits)) {
        return literal;
    }
    // If the literal text does not fit, it may be a number in a union, or a list from a sender that encodes
    // commas.
    let lone = param.style == Style::Form && own(param, found).count() == 1;
    let joined = Param { explode: param.explode && !lone, ..*param };
    match (read(&joined, true), literal) {
        (Ok(lenient), Err(_)) => Ok(lenient),
        (Ok(Some(lenient)), _) if fits(&lenient) => Ok(Some(lenient)),
        (_, literal) => literal,
    }
}

fn json<T, S>(param: &Param, found: &[(&str, &str)], seed: S) -> Result<Option<T>, Problem>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let Some(text) = only(param, found)? else { return Ok(None) };
    let value = whole_numbers::read(&text, |text| {
        let mut reader = serde_json::Deserializer::from_str(text);
        seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value))
    });
    value.map(Some).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Problem::rule(format!("must be JSON that fits: {error}")),
        _ => Problem::rule(format!("must be valid JSON: {error}")),
    })
}

/// Returns the text of a parameter that is given once, percent-decoded; `None` if it is absent.
fn only(param: &Param, found: &[(&str, &str)]) -> Result<Option<String>, Problem> {
    let mut all = own(param, found);
    let Some((_, raw)) = all.next() else { return Ok(None) };
    match all.next() {
        Some(_) => Err(Problem::rule("must be given once")),
        None => unescape(param.place, raw).map(Some),
    }
}

/// Returns the JSON text of a parameter in the style [`Style::Json`]; `None` if it is absent.
#[cfg(feature = "server")]
pub(crate) fn json_text(param: &Param, found: &[(&str, &str)]) -> Result<Option<String>, String> {
    let text = match param.place {
        Place::Cookie => only(param, &first_cookie(param, found)),
        _ => only(param, found),
    };
    text.map_err(|problem| problem.to_string())
}

/// Returns the text of the parameter, before its type is known.
pub(in crate::codec) fn node<'a>(
    param: &Param,
    found: &[(&'a str, &'a str)],
) -> Result<Option<Node<'a>>, Problem> {
    let pack = |raw| Packed { param: *param, raw };
    let pairs = matches!(param.place, Place::Query | Place::Cookie);
    if pairs && param.style == Style::DeepObject {
        let mut branch = Branch::default();
        for (name, raw) in found {
            if let Some(names) = behind(param, name)? {
                branch.insert(&names, unescape(param.place, raw)?)?;
            }
        }
        return Ok((!branch.is_empty()).then_some(Node::Branch(branch)));
    }
    if pairs && param.explode {
        let text = |raw| unescape(param.place, raw).map(|text| Node::Text(Cow::Owned(text)));
        let own = own(param, found).map(|(_, raw)| text(raw)).collect::<Result<_, _>>()?;
        let mut all: BTreeMap<String, Vec<Node<'_>>> = BTreeMap::new();
        for (name, raw) in found {
            let Ok(name) = unescape(param.place, name) else { continue };
            if param.is_of_another(&name) {
                continue;
            }
            // Another parameter may hold anything; if it cannot be decoded, it is reported where it is read.
            let Ok(text) = text(raw) else { continue };
            all.entry(name).or_default().push(text);
        }
        let all = all.into_iter().map(|(name, nodes)| (name, Node::Repeated(nodes))).collect();
        return Ok(Some(Node::Open { own, all }));
    }
    let mut nodes: Vec<Node<'_>> = own(param, found).map(|(_, raw)| Node::Packed(pack(raw))).collect();
    if nodes.len() > 1 {
        return Ok(Some(Node::Repeated(nodes)));
    }
    Ok(nodes.pop())
}

/// Returns the pairs with the parameter's own name.
fn own<'f, 'a>(
    param: &Param,
    found: &'f [(&'a str, &'a str)],
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'f, 'a> {
    let Param { name, place, .. } = *param;
    found.iter().copied().filter(move |(found, _)| match place {
        Place::Path => true,
        Place::Header => found.eq_ignore_ascii_case(name),
        Place::Query | Place::Cookie => {
            *found == name || percent_decode(found, place == Place::Query).is_ok_and(|found| found == name)
        }
    })
}

/// Returns the names in the brackets after the parameter's own name, which may contain brackets itself.
fn behind(param: &Param, raw: &str) -> Result<Option<Vec<String>>, Problem> {
    if !raw.contains(['[', '%', '+']) {
        return Ok((raw == param.name).then(Vec::new));
    }
    let opens = |rest: &&str| {
        rest.is_empty() || rest.starts_with('[') || rest.starts_with("%5B") || rest.starts_with("%5b")
    };
    let encoded = percent_encode(param.name, false);
    let literal =
        raw.strip_prefix(&encoded).filter(opens).or_else(|| raw.strip_prefix(param.name).filter(opens));
    let rest = match literal {
        Some(rest) => rest.to_owned(),
        None => {
            let Ok(name) = unescape(param.place, raw) else { return Ok(None) };
            match name.strip_prefix(param.name).filter(opens) {
                Some(rest) => percent_encode(rest, false),
                None => return Ok(None),
            }
        }
    };
    let names = brackets::names(&rest)?;
    Ok(names.map(|names| names.into_iter().skip(1).collect()))
}

fn unescape(place: Place, text: &str) -> Result<String, Problem> {
    if place == Place::Header {
        return Ok(text.trim_matches([' ', '\t']).to_owned());
    }
    percent_decode(text, place == Place::Query).map_err(Problem::rule)
}

/// Text whose parts are joined by a style. The requested type decides how it is split.
#[derive(Clone, Copy, Debug)]
pub(in crate::codec) struct Packed<'a> {
    param: Param,
    raw: &'a str,
}

impl<'a> Packed<'a> {
    pub(in crate::codec) fn text(self) -> Result<String, Problem> {
        let text = match self.param.style {
            Style::Label => self.behind_dot()?,
            Style::Matrix => self.behind_name()?,
            _ => self.raw,
        };
        unescape(self.param.place, text)
    }

    /// Whether the text contains a delimiter of its style.
    pub(in crate::codec) fn is_joined(&self) -> bool {
        self.parts(true).is_ok_and(|parts| parts.len() > 1)
    }

    pub(in crate::codec) fn list(self, lenient: bool) -> Result<Vec<Node<'a>>, Problem> {
        let parts = match (self.param.style, self.param.explode) {
            (Style::Matrix, true) => self
                .segments()?
                .into_iter()
                .map(|(name, value)| {
                    let name = unescape(self.param.place, name)?;
                    if name == self.param.name { Ok(value) } else { Err(self.malformed()) }
                })
                .collect::<Result<_, _>>()?,
            _ => self.parts(lenient)?,
        };
        parts
            .into_iter()
            .map(|part| unescape(self.param.place, part).map(|text| Node::Text(Cow::Owned(text))))
            .collect()
    }

    pub(in crate::codec) fn object(self) -> Result<Vec<(String, Node<'a>)>, Problem> {
        let pairs: Vec<(&str, &str)> = match (self.param.style, self.param.explode) {
            (Style::Matrix, true) => self.segments()?,
            (_, true) => self
                .parts(false)?
                .into_iter()
                .map(|part| {
                    part.split_once('=').ok_or_else(|| Problem::rule("must be written as `name=value`"))
                })
                .collect::<Result<_, _>>()?,
            (_, false) => {
                let parts = self.parts(false)?;
                if !parts.len().is_multiple_of(2) {
                    return Err(Problem::rule("must be names and values in turn"));
                }
                parts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
            }
        };
        pairs
            .into_iter()
            .map(|(name, value)| {
                let value = unescape(self.param.place, value)?;
                Ok((unescape(self.param.place, name)?, Node::Text(Cow::Owned(value))))
            })
            .collect()
    }

    /// Returns the text between the delimiters.
    fn parts(&self, lenient: bool) -> Result<Vec<&'a str>, Problem> {
        let query = matches!(self.param.place, Place::Query | Place::Cookie);
        if self.raw.is_empty() && !query {
            return Ok(Vec::new());
        }
        let (text, delimiters): (&str, &[&str]) = match (self.param.style, self.param.explode) {
            (Style::Label, true) => (self.behind_dot()?, &["."]),
            // Early editions of OpenAPI 3.0 used dots where RFC 6570 has commas.
            (Style::Label, false) => (self.behind_dot()?, &[",", "."]),
            (Style::Matrix, _) => (self.behind_name()?, &[","]),
            (Style::SpaceDelimited, _) => (self.raw, &[" ", "%20", "+"]),
            (Style::PipeDelimited, _) => (self.raw, &["|", "%7C", "%7c"]),
            _ if lenient && query => (self.raw, &[",", "%2C", "%2c"]),
            _ => (self.raw, &[","]),
        };
        if self.param.style == Style::SpaceDelimited {
            let text = text.split(' ').flat_map(|part| part.split('+')).flat_map(|part| part.split("%20"));
            return Ok(text.collect());
        }
        // If there is a literal delimiter, an encoded one belongs to an entry.
        let delimiter = delimiters.iter().find(|delimiter| text.contains(**delimiter));
        Ok(delimiter.map_or_else(|| vec![text], |delimiter| text.split(delimiter).collect()))
    }

    fn behind_dot(&self) -> Result<&'a str, Problem> {
        self.raw.strip_prefix('.').ok_or_else(|| Problem::rule("must begin with `.`"))
    }

    fn behind_name(&self) -> Result<&'a str, Problem> {
        let (name, value) = match self.segments()?.as_slice() {
            [single] => *single,
            _ => return Err(self.malformed()),
        };
        if unescape(self.param.place, name)? == self.param.name { Ok(value) } else { Err(self.malformed()) }
    }

    /// Returns the values of `;name=value`, which may occur any number of times.
    fn segments(&self) -> Result<Vec<(&'a str, &'a str)>, Problem> {
        if self.raw.is_empty() {
            return Ok(Vec::new());
        }
        let text = self.raw.strip_prefix(';').ok_or_else(|| self.malformed())?;
        Ok(text.split(';').map(|segment| segment.split_once('=').unwrap_or((segment, ""))).collect())
    }

    fn malformed(&self) -> Problem {
        Problem::rule(format!("must be written as `;{}=value`", self.param.name))
    }
}
