//! Keywords that say the same in another way.

use crate::tree::Data;

use super::schema::Rewriter;

impl Rewriter<'_> {
    /// `nullable` and boolean bounds belong to OpenAPI 3.0; they mean what they mean there.
    pub(super) fn earlier_forms(&mut self, members: &[u32]) {
        if let Some(nullable) = self.edit.find(members, "nullable")
            && matches!(self.edit.data(nullable), Data::Bool(true))
        {
            let hint = "write `null` as another type, as in `type: [string, 'null']`";
            self.foreign.push((nullable, "`nullable` is a keyword of OpenAPI 3.0".to_owned(), hint));
        }
        for keyword in ["exclusiveMinimum", "exclusiveMaximum"] {
            if let Some(flag) = self.edit.find(members, keyword)
                && matches!(self.edit.data(flag), Data::Bool(_))
            {
                let message = format!("a boolean as `{keyword}` is a form of OpenAPI 3.0");
                self.foreign.push((
                    flag,
                    message,
                    "write the number here, instead of as `minimum` or `maximum`",
                ));
            }
        }
    }

    /// The first of the `examples` becomes the `example`.
    pub(super) fn examples(&mut self, members: &mut Vec<u32>) {
        let Some(examples) = self.edit.find(members, "examples") else { return };
        if !matches!(self.edit.data(examples), Data::Array { .. }) {
            return;
        }
        self.edit.take(members, "examples");
        if self.edit.find(members, "example").is_none()
            && let Some(first) = self.edit.children(examples).first().copied()
        {
            let key = self.edit.tree.node(examples).key;
            self.edit.tree.nodes[first as usize].key = key;
            self.edit.rename(first, "example");
            members.push(first);
        }
    }

    /// `const` is an enumeration of one value.
    pub(super) fn constant(&mut self, members: &mut Vec<u32>) {
        let Some(value) = self.edit.take(members, "const") else { return };
        self.edit.take(members, "enum");
        if matches!(self.edit.data(value), Data::Null) {
            self.edit.take(members, "type");
            self.nullable(members, value);
        }
        let key = self.edit.tree.node(value).key;
        let list = self.edit.list(value, "enum", &[value]);
        if let (Some(key), Some(own)) = (key, self.edit.tree.nodes[list as usize].key.as_mut()) {
            (own.start, own.end) = (key.start, key.end);
        }
        members.push(list);
    }

    /// A number as an exclusive bound: the bound, with a flag. Of two bounds the stricter counts.
    pub(super) fn exclusive(&mut self, members: &mut Vec<u32>, exclusive: &str, bound: &str) {
        let Some(value) = self.edit.find(members, exclusive) else { return };
        let Some(limit) = self.edit.number(value) else { return };
        self.edit.take(members, exclusive);
        if let Some(inclusive) = self.edit.find(members, bound).and_then(|other| self.edit.number(other)) {
            let stricter = if bound == "minimum" { inclusive > limit } else { inclusive < limit };
            if stricter {
                return;
            }
            self.edit.take(members, bound);
        }
        let flag = self.edit.flag(value, exclusive, true);
        if let (Some(key), Some(own)) =
            (self.edit.tree.node(value).key, self.edit.tree.nodes[flag as usize].key.as_mut())
        {
            (own.start, own.end) = (key.start, key.end);
        }
        self.edit.rename(value, bound);
        members.extend([value, flag]);
    }

    /// Bytes in a text, or bytes themselves.
    pub(super) fn content(&mut self, schema: u32, members: &mut Vec<u32>) {
        let text = |rewriter: &Self, members: &[u32], key: &str| {
            let value = rewriter.edit.find(members, key)?;
            rewriter.edit.string(value).map(str::to_ascii_lowercase)
        };
        let encoding = text(self, members, "contentEncoding");
        let media_type = text(self, members, "contentMediaType");
        if encoding.is_none() && media_type.is_none() {
            return;
        }
        let format = match (encoding.as_deref(), media_type.as_deref()) {
            (Some("base64"), _) => Some("byte"),
            (Some("binary"), _) => Some("binary"),
            (None, Some(media_type)) if !is_text(media_type) => Some("binary"),
            _ => None,
        };
        let Some(format) = format else {
            if encoding.is_none() || matches!(encoding.as_deref(), Some("7bit" | "8bit")) {
                self.edit.take(members, "contentEncoding");
                self.edit.take(members, "contentMediaType");
            }
            return;
        };
        let at = ["contentEncoding", "contentMediaType"]
            .iter()
            .find_map(|key| self.edit.take(members, key))
            .unwrap_or(schema);
        self.edit.take(members, "contentMediaType");
        if self.edit.find(members, "format").is_none() {
            let word = self.edit.word(at, "format", format);
            members.push(word);
        }
        let composed = ["type", "$ref", "allOf", "anyOf", "oneOf"]
            .iter()
            .any(|key| self.edit.find(members, key).is_some());
        if !composed {
            let word = self.edit.word(at, "type", "string");
            members.push(word);
        }
    }

    /// `items` as `true` or `false`, and beside `prefixItems`, where it is about the entries after those.
    pub(super) fn arrays(&mut self, members: &mut Vec<u32>) {
        let prefix = self.edit.find(members, "prefixItems");
        let Some(items) = self.edit.find(members, "items") else { return };
        let data = self.edit.data(items);
        if let (Data::Bool(true), None) = (data, prefix) {
            self.allow(items, true);
            return;
        }
        if matches!(data, Data::Bool(_)) || prefix.is_some() {
            self.edit.take(members, "items");
        }
        if matches!(data, Data::Bool(false)) && self.edit.find(members, "maxItems").is_none() {
            let length = prefix.map_or(0, |prefix| self.edit.children(prefix).len());
            let most = self.edit.count(items, "maxItems", length);
            members.push(most);
        }
    }

    /// `patternProperties` and `unevaluatedProperties`, as far as `additionalProperties` says the same.
    pub(super) fn further_properties(&mut self, members: &mut Vec<u32>) {
        let patterns = self.edit.find(members, "patternProperties").filter(|node| self.edit.is_object(*node));
        let has = |rewriter: &Self, members: &[u32], keys: &[&str]| {
            keys.iter().any(|key| rewriter.edit.find(members, key).is_some())
        };
        if let Some(patterns) = patterns {
            let schemas = self.edit.children(patterns);
            let closed = self
                .edit
                .find(members, "additionalProperties")
                .is_some_and(|further| matches!(self.edit.data(further), Data::Bool(false)));
            let further = match schemas[..] {
                [only] if closed && !self.referred.contains(&self.id(only)) => {
                    self.edit.set_members(patterns, Vec::new());
                    self.edit.rename(only, "additionalProperties");
                    only
                }
                _ => self.edit.flag(patterns, "additionalProperties", true),
            };
            self.edit.take(members, "additionalProperties");
            members.push(further);
            return;
        }
        let Some(further) = self.edit.find(members, "unevaluatedProperties") else { return };
        if matches!(self.edit.data(further), Data::Bool(true)) {
            self.edit.take(members, "unevaluatedProperties");
            return;
        }
        let others = [
            "additionalProperties",
            "allOf",
            "anyOf",
            "oneOf",
            "$ref",
            "if",
            "then",
            "else",
            "dependentSchemas",
        ];
        if !has(self, members, &others) {
            self.edit.rename(further, "additionalProperties");
        }
    }
}

/// Returns whether values of a media type are text.
fn is_text(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/")
        || ["json", "xml", "yaml", "jwt", "javascript", "sql", "x-www-form-urlencoded"]
            .iter()
            .any(|word| essence.ends_with(word))
}
