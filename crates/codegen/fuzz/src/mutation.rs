//! Changes documents as trees: what comes out is JSON again, and says something else.
//!
//! A change of single bytes seldom leaves a document that the reader takes, so the stages behind it would see
//! little.

use std::sync::LazyLock;

use fastrand::Rng;
use frontdesk_document::{Document, MemoryLoader};
use libfuzzer_sys::fuzzer_mutate;
use serde_json::{Map, Value, json};

/// The words of OpenAPI, which libFuzzer reads as well.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let quoted = |line: &'static str| line.strip_prefix('"')?.strip_suffix('"');
    include_str!("../openapi.dict").lines().filter_map(quoted).filter(|word| !word.contains('\\')).collect()
});

/// Names that an emitter may stumble over.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "", " ", "_", "-", "-1", "+1", "1", "self", "Self", "type", "r#fn", "String", "Unknown", "extra",
    "body", "new", "a b", "a_b", "aB", "a\nb", "\"", "\\", "{", "}", "{}", "{a}", "*/", "//", "```", "`",
    "[a]", "<b>", "\u{0}", "é", "É", "ß", "ŉ", "İ", "ⓐ", "\u{93e}", "e\u{301}", "日本", "😀", "\u{200b}",
    "\u{2028}", "\u{feff}", "$", "~1", "/", "%", "application/json", "text/plain; a=b",
];

/// Largest part, in bytes of JSON, that is copied elsewhere, so that documents stay small.
const LARGEST_COPY: usize = 1500;

/// Changes the document in the first `size` bytes of `data`, which has room for `max_size`; the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Rng::with_seed(seed.into());
    if random.u8(..) < 32 {
        return fuzzer_mutate(data, size, max_size);
    }
    let Some(mut document) = parsed(&data[..size]) else { return fuzzer_mutate(data, size, max_size) };
    for _ in 0..random.usize(1..5) {
        change(&mut document, &mut random);
    }
    let text = document.to_string();
    match data.get_mut(..text.len()) {
        Some(room) if text.len() <= max_size => {
            room.copy_from_slice(text.as_bytes());
            text.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
}

/// Puts parts of another document into the first: paths or components, under their names. The size of the
/// outcome in `out`.
pub fn cross(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut random = Rng::with_seed(seed.into());
    let (Some(mut document), Some(other)) = (parsed(first), parsed(second)) else { return 0 };
    let mut places = Vec::new();
    list(&other, &mut String::new(), &mut places);
    places.retain(|place| match place.split('/').collect::<Vec<_>>()[..] {
        ["", "paths" | "x-webhooks", _] | ["", "components", _, _] => true,
        _ => false,
    });
    random.shuffle(&mut places);
    for place in places.iter().take(random.usize(1..8)) {
        let mut node = &mut document;
        for token in place.split('/').skip(1) {
            if !node.is_object() {
                *node = json!({});
            }
            node = &mut node[token.replace("~1", "/").replace("~0", "~")];
        }
        *node = other.pointer(place).cloned().unwrap_or_default();
    }
    let text = document.to_string();
    match out.get_mut(..text.len()) {
        Some(room) => {
            room.copy_from_slice(text.as_bytes());
            text.len()
        }
        None => 0,
    }
}

fn parsed(bytes: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(value);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let (document, _) = Document::read("openapi.yaml", &MemoryLoader::new().with("openapi.yaml", text));
    Some(document?.root().to_json())
}

/// Makes one change in one place.
fn change(document: &mut Value, random: &mut Rng) {
    let mut places = Vec::new();
    list(document, &mut String::new(), &mut places);
    let Some(place) = random.choice(&places).cloned() else { return };
    let new = new(document, &places, random);
    let key = key(&places, random);
    let number = random.usize(..);
    let Some(node) = document.pointer_mut(&place) else { return };
    match (random.u8(..9), node) {
        (0 | 1, Value::Object(members)) => {
            members.insert(key, new);
        }
        (0 | 1, Value::Array(items)) => items.insert(number % (items.len() + 1), new),
        (2, Value::Object(members)) => {
            let at = members.keys().nth(number % members.len().max(1)).cloned();
            at.map(|at| members.remove(&at));
        }
        (2, Value::Array(items)) if !items.is_empty() => {
            items.remove(number % items.len());
        }
        (3, Value::Object(members)) => {
            let at = members.keys().nth(number % members.len().max(1)).cloned();
            if let Some(value) = at.and_then(|at| members.remove(&at)) {
                members.insert(key, value);
            }
        }
        (4, node) => {
            let inner = node.take();
            *node = wrapped(inner, new, key, random);
        }
        (5, Value::String(text)) => {
            let at = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
            let at: Vec<usize> = at.collect();
            text.insert_str(at[number % at.len()], random.choice(ODD).unwrap_or(&""));
        }
        (_, node) => *node = new,
    }
}

/// The pointer of every value.
fn list(node: &Value, at: &mut String, places: &mut Vec<String>) {
    places.push(at.clone());
    let length = at.len();
    match node {
        Value::Object(members) => {
            for (key, member) in members {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                list(member, at, places);
                at.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push_str(&format!("/{index}"));
                list(item, at, places);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

/// A value to be put somewhere: one from elsewhere in the document, a reference to such a one, or a scalar.
fn new(document: &Value, places: &[String], random: &mut Rng) -> Value {
    let components: Vec<&String> = places
        .iter()
        .filter(|place| place.starts_with("/components/") && place.matches('/').count() == 3)
        .collect();
    match random.u8(..8) {
        0..=2 => {
            let found = random.choice(places).and_then(|place| document.pointer(place));
            found.filter(|found| found.to_string().len() < LARGEST_COPY).cloned().unwrap_or_default()
        }
        3 => reference(random.choice(components)),
        4 => reference(random.choice(places)),
        5 => json!(random.choice(ODD)),
        6 => json!(random.choice(&*WORDS)),
        _ => {
            let scalars = [
                json!(null),
                json!(true),
                json!(false),
                json!(0),
                json!(-1),
                json!(3),
                json!(0.5),
                json!(-0.0),
                json!(1e300),
                json!(u64::MAX),
                json!(i64::MIN),
                json!({}),
                json!([]),
                json!({"type": "string"}),
                json!({"type": "object", "properties": {"a": {"type": "integer"}}}),
            ];
            random.choice(scalars).unwrap_or_default()
        }
    }
}

fn reference(place: Option<&String>) -> Value {
    json!({"$ref": format!("#{}", place.map_or("", String::as_str))})
}

/// A key: a word of OpenAPI, one that the document has elsewhere, or an odd one.
fn key(places: &[String], random: &mut Rng) -> String {
    match random.u8(..8) {
        0..=3 => random.choice(&*WORDS).copied().unwrap_or_default().to_owned(),
        4..=6 => {
            let last = random.choice(places).and_then(|place| place.rsplit('/').next());
            last.unwrap_or_default().replace("~1", "/").replace("~0", "~")
        }
        _ => random.choice(ODD).copied().unwrap_or_default().to_owned(),
    }
}

/// The value within another: as a schema among schemas, a member or an item.
fn wrapped(inner: Value, other: Value, key: String, random: &mut Rng) -> Value {
    let list = if random.bool() { json!([inner.clone(), other]) } else { json!([inner.clone()]) };
    match random.u8(..7) {
        0 => json!({"allOf": list}),
        1 => json!({"oneOf": list}),
        2 => json!({"anyOf": list, "nullable": true}),
        3 => json!({"type": "array", "items": inner}),
        4 => json!({"type": "object", "additionalProperties": inner}),
        5 => list,
        _ => {
            let members: Map<String, Value> = [(key, inner)].into_iter().collect();
            json!({"type": "object", "properties": members, "required": [random.choice(ODD)]})
        }
    }
}
