//! Translation of keywords of JSON Schema 2020-12 to draft 4, as far as it can say the same.

use frontdesk_document::NodeRef;
use serde_json::{Map, Value, json};

use super::translate::Work;

impl<'d> Work<'d> {
    /// Returns schemas of draft 4 that say together what these keywords of a schema say. `items` beside
    /// `prefixItems`, which is about further entries, was taken away when the document was read, so further
    /// entries are not judged.
    pub(super) fn later_keywords(&mut self, schema: NodeRef<'d>) -> Vec<Value> {
        let mut parts = Vec::new();
        let prefix: Vec<Value> = list(schema, "prefixItems").map(|item| self.refer(item)).collect();
        if !prefix.is_empty() {
            parts.push(json!({ "items": prefix }));
        }
        if let Some(contained) = part(schema, "contains")
            && schema.get("minContains").and_then(NodeRef::as_i128).unwrap_or(1) > 0
        {
            let contained = self.refer(contained);
            let nothing_fits = json!({ "type": "array", "items": { "not": contained } });
            parts.push(json!({ "not": nothing_fits }));
        }
        let mut dependencies = Map::new();
        for (name, names) in schema.get("dependentRequired").into_iter().flat_map(NodeRef::members) {
            let names: Vec<&str> = names.items().filter_map(NodeRef::as_str).collect();
            // Draft 4 has no empty list of dependencies.
            if !names.is_empty() {
                dependencies.insert(name.to_owned(), json!(names));
            }
        }
        if !dependencies.is_empty() {
            parts.push(json!({ "dependencies": dependencies }));
        }
        let dependent: Map<String, Value> = schema
            .get("dependentSchemas")
            .into_iter()
            .flat_map(NodeRef::members)
            .filter(|(_, schema)| schema.is_object())
            .map(|(name, schema)| (name.to_owned(), self.refer(schema)))
            .collect();
        if !dependent.is_empty() {
            parts.push(json!({ "dependencies": dependent }));
        }
        if let Some(condition) = part(schema, "if") {
            let condition = self.refer(condition);
            if let Some(then) = part(schema, "then") {
                let then = self.refer(then);
                parts.push(json!({ "anyOf": [{ "not": condition }, then] }));
            }
            if let Some(otherwise) = part(schema, "else") {
                let otherwise = self.refer(otherwise);
                parts.push(json!({ "anyOf": [condition, otherwise] }));
            }
        }
        parts
    }
}

fn part<'d>(schema: NodeRef<'d>, keyword: &str) -> Option<NodeRef<'d>> {
    schema.get(keyword).filter(|part| part.is_object())
}

fn list<'d>(schema: NodeRef<'d>, keyword: &str) -> impl Iterator<Item = NodeRef<'d>> {
    schema.get(keyword).into_iter().flat_map(NodeRef::items)
}
