//! Types and unions: lists of types, and `null` as a type of its own.

use crate::keywords::of_type;
use crate::tree::Data;
use crate::version::Version;

use super::schema::Rewriter;

/// Formats of numbers; all others are of strings.
const NUMERIC: [&str; 12] = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int", "uint", "float",
    "double",
];

impl Rewriter<'_> {
    /// `type`: a list of types, and `null`.
    pub(super) fn types(&mut self, schema: u32, members: &mut Vec<u32>) {
        let Some(ty) = self.edit.find(members, "type") else { return };
        let words: Vec<u32> = match self.edit.data(ty) {
            Data::Array { .. } => self.edit.children(ty),
            Data::String(_) if self.version == Version::V3_1 => vec![ty],
            _ => return,
        };
        let named = |word: &u32, name: &str| self.edit.string(*word) == Some(name);
        let null = words.iter().copied().find(|word| named(word, "null"));
        let has_number = words.iter().any(|word| named(word, "number"));
        let mut kinds: Vec<u32> = Vec::new();
        for word in words {
            let name = self.edit.string(word).map(str::to_owned);
            let Some(name) = name.filter(|name| name != "null" && !(has_number && name == "integer")) else {
                continue;
            };
            if !kinds.iter().any(|kind| self.edit.string(*kind) == Some(name.as_str())) {
                kinds.push(word);
            }
        }
        match kinds[..] {
            [only] if only == ty => return,
            [only] => {
                let data = self.edit.data(only);
                self.edit.replace(ty, data);
            }
            [] => {
                // An empty list stays, to be reported where types are read.
                if let Some(null) = null {
                    self.edit.take(members, "type");
                    self.only_null(members, null);
                }
                return;
            }
            _ => self.several_types(schema, members, ty, &kinds),
        }
        if let Some(null) = null {
            self.nullable(members, null);
        }
    }

    /// Only `null` is allowed.
    pub(super) fn only_null(&mut self, members: &mut Vec<u32>, at: u32) {
        if self.edit.find(members, "enum").is_none() {
            let value = self.edit.object(at, Vec::new());
            self.edit.replace(value, Data::Null);
            let list = self.edit.list(at, "enum", &[value]);
            members.push(list);
        }
        self.nullable(members, at);
    }

    pub(super) fn nullable(&mut self, members: &mut Vec<u32>, at: u32) {
        self.edit.take(members, "nullable");
        let flag = self.edit.flag(at, "nullable", true);
        members.push(flag);
    }

    /// Several types: a schema for each, with the keywords that apply to it, unless other keywords say which
    /// values are allowed.
    fn several_types(&mut self, schema: u32, members: &mut Vec<u32>, ty: u32, kinds: &[u32]) {
        let decided =
            ["enum", "anyOf", "oneOf", "$ref"].iter().any(|key| self.edit.find(members, key).is_some());
        let every = ["string", "boolean", "array", "object"]
            .iter()
            .all(|name| kinds.iter().any(|kind| self.edit.string(*kind) == Some(name)))
            && kinds.len() >= 5;
        self.edit.take(members, "type");
        if decided || every {
            return;
        }
        let mut branches = Vec::new();
        for kind in kinds {
            let name = self.edit.string(*kind).unwrap_or_default().to_owned();
            let word = self.edit.word(*kind, "type", &name);
            let mut own = vec![word];
            let group = if name == "integer" { "number" } else { &name };
            own.extend(of_type(group).filter_map(|keyword| self.edit.take(members, keyword.name)));
            let format = self.edit.find(members, "format").and_then(|format| self.edit.string(format));
            let numeric = format.is_some_and(|format| NUMERIC.contains(&format));
            if format.is_some() && group == (if numeric { "number" } else { "string" }) {
                own.extend(self.edit.take(members, "format"));
            }
            branches.push(self.edit.object(*kind, own));
        }
        let place = self.edit.tree.node(ty).key;
        let union = self.edit.list(schema, "anyOf", &branches);
        let (start, end) = (self.edit.tree.node(ty).start, self.edit.tree.node(ty).end);
        let node = &mut self.edit.tree.nodes[union as usize];
        (node.start, node.end) = (start, end);
        if let (Some(place), Some(key)) = (place, node.key.as_mut()) {
            (key.start, key.end) = (place.start, place.end);
        }
        members.push(union);
    }

    /// `null` among the branches of a union.
    pub(super) fn unions(&mut self, members: &mut Vec<u32>) {
        for keyword in ["anyOf", "oneOf"] {
            let Some(list) = self.edit.find(members, keyword) else { continue };
            if !matches!(self.edit.data(list), Data::Array { .. }) {
                continue;
            }
            let branches = self.edit.children(list);
            let (nulls, rest): (Vec<u32>, Vec<u32>) =
                branches.into_iter().partition(|branch| self.is_null(*branch));
            let Some(null) = nulls.first().copied() else { continue };
            let typed =
                self.edit.find(members, "type").is_some() && self.edit.find(members, "nullable").is_none();
            match rest[..] {
                [] => {
                    self.edit.take(members, keyword);
                    self.only_null(members, null);
                    continue;
                }
                [only] if self.edit.find(members, "discriminator").is_none() => {
                    self.edit.take(members, keyword);
                    self.merge(members, list, only);
                }
                _ => self.edit.set_items(list, &rest),
            }
            // A `type` beside the union rules `null` out again.
            if !typed {
                self.nullable(members, null);
            }
        }
    }

    /// Returns whether a rewritten schema allows `null` and nothing else.
    fn is_null(&self, schema: u32) -> bool {
        if !self.edit.is_object(schema) {
            return false;
        }
        let members = self.edit.children(schema);
        self.edit.find(&members, "enum").is_some_and(|values| {
            let values = self.edit.children(values);
            !values.is_empty() && values.iter().all(|value| matches!(self.edit.data(*value), Data::Null))
        })
    }

    /// Takes the only branch of a union into the schema around it: its keywords if they are not there yet,
    /// else as a part.
    fn merge(&mut self, members: &mut Vec<u32>, list: u32, branch: u32) {
        const DESCRIPTIVE: [&str; 7] =
            ["title", "description", "default", "example", "deprecated", "externalDocs", "nullable"];
        let own = if self.edit.is_object(branch) { self.edit.children(branch) } else { Vec::new() };
        let clashes = |member: &u32| {
            let key = self.edit.key(*member);
            self.edit.find(members, key).is_some() && !DESCRIPTIVE.contains(&key)
        };
        let id = self.id(branch);
        if self.targets.contains_key(&id) || self.referred.contains(&id) || own.iter().any(clashes) {
            let place = self.edit.tree.node(list).key;
            self.add_part(members, branch, place);
            return;
        }
        for member in own {
            if self.edit.find(members, self.edit.key(member)).is_none() {
                members.push(member);
            }
        }
    }
}
