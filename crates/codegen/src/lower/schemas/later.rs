//! Keywords that OpenAPI 3.0 does not have: which are reported, and what can be used instead.

use crate::lower::Lowering;
use frontdesk_document::{Fate, Keyword, NodeRef, Version, closed_members, keyword};

impl<'d> Lowering<'d, '_> {
    /// Reports the keywords of JSON Schema 2020-12 in the schema itself that generated code does not check:
    /// those that the reader of a 3.1 document could not rewrite, and all of them in a document of 3.0.
    pub(super) fn later(&mut self, schema: NodeRef<'d>) {
        let later = self.document.version() == Version::V3_1;
        for (key, value) in schema.entries() {
            let Some(Keyword { name: keyword, instead, generated, since: Version::V3_1, .. }) =
                keyword(key.text)
            else {
                continue;
            };
            // In a document of 3.1, what the reader could write in another form is no longer there.
            let is_lost = matches!(generated, Fate::Ignored | Fate::Approximated | Fate::Rewritten);
            let is_checked = *keyword == "unevaluatedProperties" && closed_members(schema).is_some();
            if is_checked || !is_lost && (later || *keyword != "$defs") {
                continue;
            }
            if later {
                let message = format!("`{keyword}` has no counterpart in Rust types and is not checked");
                self.warn_once(value, "keyword-ignored", message, instead);
                continue;
            }
            let fate = match *keyword {
                "const" => "is read as an `enum` of one value",
                "$defs" => "is read only where a reference leads into it",
                _ => "is not checked",
            };
            let message = format!("`{keyword}` is not a keyword of OpenAPI 3.0; it {fate}");
            self.warn_once(value, "later-keyword", message, instead);
        }
    }
}
